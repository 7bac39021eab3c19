/** What workers of other nodes ask of this one, and how they are answered. */
import { runNodeAction } from '../../actions/nodes/node-actions.js';
import { Cancellation } from '../../base/cancellation.js';
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { PUBLISH_MS_MAX } from '../../base/limits.js';
import { NO_SUBJECT } from '../../cluster/security/subject-text.js';
import { decodeMessage, encodeMessage } from '../../transport/codec.js';
import type { RemoteMessage, RemoteRequests, RemoteShardAnswer, RemoteShardRequest } from '../thread-messages.js';
import type { RequestHandler } from './request-handler.js';

/** To be asked when the cluster state is known. Gives the bytes of the answer. */
export async function answerRemote(handler: RequestHandler, message: RemoteMessage): Promise<Uint8Array> {
  return encodeMessage(await answerTo(handler, message));
}

/** What the message holds lies in memory that is used again once it is answered. */
async function answerTo(
  handler: RequestHandler,
  { action, bytes, cancellation: word, task }: RemoteMessage,
): Promise<unknown> {
  const { host, contexts } = handler;
  const cancellation = new Cancellation(word);
  const request = decodeMessage(bytes);
  switch (action) {
    case 'shard':
      return answerShardRequest(handler, request as RemoteShardRequest, cancellation);
    case 'last-commit':
      return host.lastCommit(request as RemoteRequests['last-commit']);
    case 'recovery':
      return host.recovery(request as RemoteRequests['recovery']) ?? null;
    case 'node': {
      const { name, input, subject = NO_SUBJECT } = request as RemoteRequests['node'];
      return runNodeAction(contexts.of({ cancellation, number: task, opaqueId: '', subject }), name, input);
    }
    default:
      throw new QuarryError('action_not_found_transport_exception', `there is no action [${action}] of workers`);
  }
}

async function answerShardRequest(
  { operations, services }: RequestHandler,
  { key, name, input, stateVersion }: RemoteShardRequest,
  cancellation: Cancellation,
): Promise<RemoteShardAnswer> {
  // Without that state by then the shard is not found, and the sender looks for it anew.
  await services.states.when(({ version }) => version >= stateVersion, PUBLISH_MS_MAX);
  const queue = operations.underWay;
  const startedMs = systemClock.monotonicMs();
  const output = await operations.onOwn(key, name, input, cancellation, true);
  return { output, serviceMs: systemClock.monotonicMs() - startedMs, queue };
}
