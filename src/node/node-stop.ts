/** How a node ends: in which order, so that nothing that was acknowledged or accepted is lost. */
import { reliefCount } from '../shard/indexing-memory.js';
import { COORDINATOR } from '../workers/wires.js';
import { servedBy } from './front/figures.js';
import type { NodeParts } from './node-start.js';
import type { LeaveMessage, WorkerTask } from './thread-messages.js';

type EndingParts = Pick<NodeParts, 'log' | 'starts' | 'threads' | 'front'>;

/** Ends all threads of a node that runs, and whose threads are expected to end. `onWait` is told what takes its time. */
export async function bringDown(
  { log, starts, threads, front }: EndingParts,
  onWait?: (what: string) => void,
): Promise<void> {
  log.log('info', 'stopping');
  const served = await front.stopServing((what) => {
    log.log('info', 'the stop waits', { for: what });
    onWait?.(what);
  });
  const leaving: LeaveMessage = { kind: 'leave' };
  await threads.lines.get(COORDINATOR)?.call(leaving);
  // One that is being restarted has acknowledged nothing that is not in its translog.
  await threads.pool.runInReady({ kind: 'drain' } satisfies WorkerTask);
  await front.transport?.stop();
  await threads.pool.close();
  await front.security?.close();
  await threads.coordinator.stop();
  log.log('info', 'stopped', served === undefined ? {} : servedBy(served, reliefCount(starts.worker.indexingWords)));
}

/** Ends the threads of a node that did not start. */
export async function abandon({ threads, front }: Pick<EndingParts, 'threads' | 'front'>): Promise<void> {
  threads.expectEnd();
  const { sideFronts, pool, coordinator } = threads;
  await Promise.allSettled([front.abandon(), sideFronts?.abandon(), pool.close(), coordinator.stop()]);
}
