/** Names a search that goes on without its request: the worker that carries it out, its task, and a random token. */
import { illegalArgument } from '../../../base/errors.js';
import type { CopyPlace } from '../../shard-client.js';

export interface AsyncId {
  readonly place: CopyPlace;
  readonly token: string;
  /** Number of its task on that node. */
  readonly task: number;
}

export function encodeAsyncId({ place, token, task }: AsyncId): string {
  return Buffer.from([token, place.workerSlot, task, place.nodeId].join('/'), 'utf8').toString('base64url');
}

export function decodeAsyncId(text: string): AsyncId {
  const parts = /^(?<token>[\w-]{1,64})\/(?<slot>\d{1,3})\/(?<task>\d{1,16})\/(?<nodeId>[\w-]{1,64})$/.exec(
    Buffer.from(text, 'base64url').toString('utf8'),
  )?.groups;
  const { token, slot, task, nodeId } = parts ?? {};
  if (token === undefined || slot === undefined || task === undefined || nodeId === undefined) {
    throw illegalArgument(`invalid id: [${text}]`);
  }
  return { place: { nodeId, workerSlot: Number(slot) }, token, task: Number(task) };
}
