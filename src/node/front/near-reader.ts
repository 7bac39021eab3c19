/**
 * Carries out small reads in the front thread, which has them first: a request that goes to a worker and an answer that comes back cost two messages
 * and two threads to wake, more than many a read itself. What such a read needs is published by the owners of the shards (`PublishedCopies`). What
 * turns out to take long goes on natively, as in workers.
 */
import type { NodeIdentity } from '../../actions/context.js';
import { shardLifecycle } from '../worker/shard-lifecycle.js';
import type { WorkerStart } from '../thread-messages.js';
import { WorkerThread, type ThreadParts } from '../worker/worker.js';

/** `slot` is one that no worker has: no copy of a shard is ever assigned to it. */
export async function nearReader(
  start: WorkerStart,
  parts: ThreadParts,
  slot: number,
  node: NodeIdentity,
): Promise<WorkerThread> {
  const thread = new WorkerThread(start, shardLifecycle, parts);
  await thread.authorities.load();
  thread.takeSlot(slot, node);
  return thread;
}
