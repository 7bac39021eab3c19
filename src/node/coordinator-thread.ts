/** Entry of the coordinator thread. */
import { systemClock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { newUuid, systemRandom } from '../base/random.js';
import { decodeState, encodeState } from '../cluster/state-codec.js';
import { emptyClusterState, type ClusterState } from '../cluster/state.js';
import { Coordinator } from '../coordinator/coordinator.js';
import { MergeScheduler } from '../coordinator/merge-scheduler.js';
import { NativeMerge } from '../native/merge.js';
import { nativeAnalysisRules } from '../coordinator/native-analysis.js';
import { readChecked, writeChecked } from '../store/files.js';
import { nameThisThread } from '../store/threads.js';
import { Mailbox } from '../workers/mailbox.js';
import { FRONT } from '../workers/pool.js';
import { parent, startData } from '../workers/threads.js';
import type {
  CancelMergeMessage,
  CoordinatorOrder,
  CoordinatorStart,
  MergeMessage,
  PublishMessage,
  SubmitMessage,
} from './thread-messages.js';

nameThisThread('coordinator');
const start = startData() as CoordinatorStart;
const mailboxes = new Map<string, Mailbox>();
const logger: Logger = {
  log: (level, message, fields) => mailboxes.get(FRONT)?.note({ kind: 'log', level, message, fields }),
};

async function readState(): Promise<ClusterState> {
  const text = await readChecked(start.statePath);
  if (text === undefined) return emptyClusterState(start.clusterName, newUuid(systemRandom));
  // Places of shards mean nothing until this run of the node has joined: nobody may open one before.
  return { ...decodeState(text), masterNodeId: '' };
}

async function makeCoordinator(): Promise<Coordinator> {
  return new Coordinator({
    initial: await readState(),
    clock: systemClock,
    random: systemRandom,
    analysis: nativeAnalysisRules,
    logger,
    persist: (state) => writeChecked(start.statePath, encodeState(state)),
  });
}

// A state that cannot be read ends the thread with its reason, and with it the node.
const coordinator = await makeCoordinator();

const merges = new MergeScheduler(start.mergesMax, (job) => new NativeMerge(job));

async function connect({ wire }: CoordinatorOrder): Promise<void> {
  const { peer, port } = wire;
  mailboxes.get(peer)?.close();
  const mailbox = new Mailbox(port, peer, (message) => {
    const order = message as SubmitMessage | MergeMessage | CancelMergeMessage;
    switch (order.kind) {
      case 'merge':
        return merges.run(peer, order.id, order.job);
      case 'cancel-merge':
        merges.cancel(peer, order.id);
        return undefined;
      case 'submit':
        return coordinator.submit(order.name, order.input, order.timeoutMs);
    }
  });
  mailboxes.set(peer, mailbox);
  // Left behind by a worker that crashed: its successor must not open the shards while somebody writes there.
  await merges.cancelAll(peer);
  await coordinator.subscribe(peer, (publication) => {
    const message: PublishMessage = { kind: 'publish', publication };
    return mailbox.call(message);
  });
}

parent().on('message', (order: CoordinatorOrder) => {
  connect(order).catch((error: unknown) => {
    logger.log('error', 'cannot connect a thread', { thread: order.wire.peer, reason: String(error) });
  });
});
