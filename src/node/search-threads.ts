/** The native threads for searches that take long: their settings and figures. */
import type { PoolFigures } from '../actions/context.js';
import type { NodeSettings } from '../base/node-settings.js';
import { poolLimits } from '../http/admission.js';
import { configureSearches, searchThreads } from '../native/search-threads.js';

export function configureSearchThreads(settings: NodeSettings, requestCacheBytes: number, workerCount: number): void {
  const { size: threads, queueSize: queue } = poolLimits(settings, workerCount).search;
  const slices = settings.values['search.max_concurrent_slices'] ?? workerCount;
  configureSearches({ requestCacheBytes, threads, queue, slices });
}

/** As those of a pool. Searches that find no room in it are not refused: the worker carries them out. */
export function searchThreadFigures(): PoolFigures {
  const { size, queueSize, active, queued, largest, completed } = searchThreads();
  return { size, queueSize, active, queue: queued, rejected: 0, completed, largest, waitMs: 0 };
}
