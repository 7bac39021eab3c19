/** Work that has no threads of its own, told as pools are: workers do it for the shards that they own, and native threads that all share. */
import type { PoolFigures } from '../actions/context.js';
import { SHARDS_AT_ONCE } from '../actions/snapshots/shards-at-once.js';
import type { NodeSettings } from '../base/node-settings.js';
import { WORKS, type CountedWork, type WorkFigures } from '../base/work-counters.js';

const UNBOUNDED = -1;

/** Merges at once, of all shards of a node. */
export function mergesMax({ values }: NodeSettings, workerCount: number): number {
  return values['thread_pool.merge.max'] ?? Math.max(1, Math.floor(workerCount / 2));
}

export function workPools(
  figures: Readonly<Record<CountedWork, WorkFigures>>,
  settings: NodeSettings,
  workerCount: number,
): Readonly<Record<string, PoolFigures>> {
  const pools = WORKS.map((work): readonly [string, PoolFigures] => {
    const size = sizeOf(work, settings, workerCount);
    return [work, { size, queueSize: UNBOUNDED, rejected: 0, waitMs: 0, ...figures[work] }];
  });
  return Object.fromEntries(pools);
}

/** How many there may be at once; of what has no such bound the workers, each of which may have several beside each other. */
function sizeOf(work: CountedWork, settings: NodeSettings, workerCount: number): number {
  if (work === 'merge') return mergesMax(settings, workerCount);
  return work === 'snapshot' ? workerCount * SHARDS_AT_ONCE : workerCount;
}
