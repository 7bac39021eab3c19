/**
 * The pools of a node as the API names them. Those that this engine has nothing of are there, without a thread, where tools
 * ask for them by name.
 */
import type { PoolFigures } from '../../../actions/context.js';

export interface Pool {
  readonly name: string;
  /** `fixed`: so many at once; `scaling`: as many as there is work, up to a number. */
  readonly type: 'fixed' | 'scaling';
  readonly figures: PoolFigures;
  /** Whether the time that requests wait is measured. */
  readonly measuresWaiting: boolean;
}

const NONE: PoolFigures = {
  size: 0,
  queueSize: -1,
  active: 0,
  queue: 0,
  rejected: 0,
  completed: 0,
  largest: 0,
  waitMs: 0,
};

/** Others of what a node tells are `fixed`. */
const SCALING = ['flush', 'merge', 'refresh', 'snapshot'];
const EMPTY_SCALING = ['fetch_shard_started', 'fetch_shard_store', 'generic'];
/** Pools of searches: their waiting time is told. */
const OF_SEARCHES = ['index_searcher', 'search', 'search_throttled'];

/** In order of their names. */
export function allPools(own: Readonly<Record<string, PoolFigures>>): readonly Pool[] {
  const pools: readonly Pool[] = [
    ...Object.entries(own).map(([name, figures]) =>
      pool(name, SCALING.includes(name) ? 'scaling' : 'fixed', figures, OF_SEARCHES.includes(name)),
    ),
    ...EMPTY_SCALING.map((name) => pool(name, 'scaling', NONE, false)),
    pool('search_throttled', 'fixed', NONE, true),
  ];
  return [...pools].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function pool(name: string, type: Pool['type'], figures: PoolFigures, measuresWaiting: boolean): Pool {
  return { name, type, figures, measuresWaiting };
}
