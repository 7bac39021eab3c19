/** What is made of the time that a phase of a search took on a shard: statistics, and a line in the log where it was slow. */
import { named } from '../../base/logger.js';
import { slowLevel, type SlowPhase } from '../../cluster/settings/slow-log-settings.js';
import type { Searcher } from '../../native/searcher.js';
import type { ShardKey } from '../shard-client.js';
import type { ShardOperationContext } from '../shard-operation.js';

export interface TimedSearch {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  readonly startedMs: number;
}

/** Of the plan, in a line of the log. */
const PLAN_LENGTH_MAX = 1_000;

export function queried(key: ShardKey, searcher: Searcher, search: TimedSearch, context: ShardOperationContext): void {
  ended(key, 'query', searcher, search, context);
}

export function fetched(key: ShardKey, searcher: Searcher, search: TimedSearch, context: ShardOperationContext): void {
  ended(key, 'fetch', searcher, search, context);
}

function ended(
  key: ShardKey,
  phase: 'query' | 'fetch',
  searcher: Searcher,
  search: TimedSearch,
  context: ShardOperationContext,
): void {
  const timeMs = context.clock.monotonicMs() - search.startedMs;
  searcher.countGroups(search.groups, phase, timeMs);
  logIfSlow(key, phase, search, timeMs, context);
}

function logIfSlow(
  key: ShardKey,
  phase: SlowPhase,
  { plan, groups }: TimedSearch,
  timeMs: number,
  context: ShardOperationContext,
): void {
  const settings = context.clusterState().indices.get(key.index)?.settings;
  const level = settings === undefined ? undefined : slowLevel(settings, phase, timeMs);
  if (level === undefined) return;
  named(context.logger, 'index.search.slowlog').log(level, `slow ${phase}`, {
    index: key.index,
    shard: key.shard,
    took_ms: Math.round(timeMs),
    groups: groups.join(','),
    plan: Buffer.from(plan.subarray(0, PLAN_LENGTH_MAX)).toString('utf8'),
  });
}
