/**
 * Carries out small reads in the front thread, which has them first: a request that goes to a worker and an answer that comes back cost two messages
 * and two threads to wake, more than many a read itself. What such a read needs is published by the owners of the shards (`PublishedCopies`). What
 * turns out to take long goes on natively, as in workers.
 */
import type { NodeIdentity } from '../../actions/context.js';
import { must } from '../../base/assert.js';
import { RequestHandler } from '../worker/request-handler.js';
import { shardLifecycle } from '../worker/shard-lifecycle.js';
import type { ThreadParts } from '../worker/thread-services.js';
import type { WorkerStart } from '../thread-messages.js';

/** `slot` is one that no worker has: no copy of a shard is ever assigned to it. */
export async function nearReader(
  start: WorkerStart,
  parts: ThreadParts,
  slot: number,
  node: NodeIdentity,
): Promise<RequestHandler> {
  const reader = new RequestHandler(start, parts, {
    isNear: true,
    makeLifecycle: shardLifecycle,
    // No shard is opened here.
    indexingMemory: () => must<never>(undefined, 'indexing memory of a front'),
    checkAccounting: () => undefined,
  });
  await reader.services.authorities.load();
  reader.takeSlot(slot, node);
  return reader;
}
