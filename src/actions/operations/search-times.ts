/** What is made of the time that a phase of a search took on a shard: statistics, and a line in the log where it was slow. */
import { slowLevel, type SlowPhase } from '../../cluster/settings/slow-log-settings.js';
import type { SearchedShard, ShardOperationContext } from '../shard-operation.js';

export interface TimedSearch {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  readonly startedMs: number;
}

/** Of the plan, in a line of the log. */
const PLAN_LENGTH_MAX = 1_000;

export function queried(shard: SearchedShard, search: TimedSearch, context: ShardOperationContext): void {
  const timeMs = context.clock.monotonicMs() - search.startedMs;
  shard.searchGroups.queried(search.groups, timeMs);
  logIfSlow(shard, 'query', search, timeMs, context);
}

export function fetched(shard: SearchedShard, search: TimedSearch, context: ShardOperationContext): void {
  const timeMs = context.clock.monotonicMs() - search.startedMs;
  shard.searchGroups.fetched(search.groups, timeMs);
  logIfSlow(shard, 'fetch', search, timeMs, context);
}

function logIfSlow(
  { key }: SearchedShard,
  phase: SlowPhase,
  { plan, groups }: TimedSearch,
  timeMs: number,
  context: ShardOperationContext,
): void {
  const settings = context.clusterState().indices.get(key.index)?.settings;
  const level = settings === undefined ? undefined : slowLevel(settings, phase, timeMs);
  if (level === undefined) return;
  context.logger.log(level, `slow ${phase}`, {
    index: key.index,
    shard: key.shard,
    took_ms: Math.round(timeMs),
    groups: groups.join(','),
    plan: Buffer.from(plan.subarray(0, PLAN_LENGTH_MAX)).toString('utf8'),
  });
}
