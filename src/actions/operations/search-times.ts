/** What is made of the time that a phase of a search took on a shard: statistics, and a line in the log where it was slow. */
import { named } from '../../base/logger.js';
import { formatTime } from '../../base/units.js';
import type { SlowLogUser } from '../../cluster/security/slow-log-user.js';
import { slowLevel, type SlowPhase } from '../../cluster/settings/slow-log-settings.js';
import type { Searcher } from '../../native/searcher.js';
import type { ShardKey } from '../shard-client.js';
import type { ShardOperationContext } from '../shard-operation.js';

/** What the log of a slow search tells of the request; sent to shards of indices that have such a log. */
export interface SlowSearch {
  readonly opaqueId: string;
  /** All that the search is about. */
  readonly shards: number;
  readonly searchType: 'QUERY_THEN_FETCH' | 'DFS_QUERY_THEN_FETCH';
  /** The beginning of its body; absent where there is none. */
  readonly source?: string;
  readonly user?: SlowLogUser;
  /** Of a fetch phase: what the query phase has found on this shard. */
  readonly found?: string;
}

export interface TimedSearch {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  readonly startedMs: number;
  readonly slow: SlowSearch | undefined;
  /** Asked for where a line is written. */
  readonly found: () => string;
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
  { plan, groups, slow, found }: TimedSearch,
  timeMs: number,
  context: ShardOperationContext,
): void {
  const settings = context.clusterState().indices.get(key.index)?.settings;
  const level = settings === undefined ? undefined : slowLevel(settings, phase, timeMs);
  if (level === undefined) return;
  const fields = {
    message: `[${key.index}][${key.shard}]`,
    took: formatTime(timeMs),
    took_millis: Math.trunc(timeMs),
    total_hits: found(),
    stats: JSON.stringify(groups),
    search_type: slow?.searchType ?? 'QUERY_THEN_FETCH',
    // The request came before its index had a log.
    total_shards: slow?.shards ?? null,
    source: slow?.source ?? '{}',
    id: slow === undefined || slow.opaqueId === '' ? null : slow.opaqueId,
  };
  named(context.logger, 'index.search.slowlog').log(level, `slow ${phase}`, {
    index: key.index,
    shard: key.shard,
    ...slowFields(fields, context),
    plan: Buffer.from(plan.subarray(0, PLAN_LENGTH_MAX)).toString('utf8'),
    ...slow?.user,
  });
}

type Field = string | number | null;

/** Under the names that the references give them. */
export function slowFields(
  fields: Readonly<Record<string, Field>>,
  { distribution }: Pick<ShardOperationContext, 'distribution'>,
): Readonly<Record<string, Field>> {
  const prefix = distribution === 'elasticsearch' ? 'elasticsearch.slowlog.' : '';
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}${name}`, value]));
}
