/**
 * Searches that wait for nothing: of one shard, whose only copy is on this node and publishes its newest view, and brief. The steps of `search.ts` for
 * all others, each of which may wait, cost as much as a third of such a search.
 */
import type { Clock } from '../../base/clock.js';
import { isActive } from '../../cluster/copies/shard-copies.js';
import type { ClusterState } from '../../cluster/state.js';
import type { Searcher, SearchResult } from '../../native/searcher.js';
import { copiesOf } from '../copy-selection.js';
import type { CopyRanks } from '../copy-ranks.js';
import type { ShardKey } from '../shard-client.js';
import type { PlannedSearch, SearchAnswer } from './search.js';
import type { PlannedShard } from './shards/planned-shards.js';
import { hasSlowLog } from './slow-log.js';

export interface SearchAtOnceServices {
  readonly clock: Clock;
  readonly ranks: CopyRanks;
  readonly nodeId: () => string;
  /** Of the newest view that the owner publishes; undefined where the owner is to be asked. */
  readonly searcherOf: (key: ShardKey) => Searcher | undefined;
}

/** Of a search that may be kept (`PreparedSearches`). Undefined for what is to take the usual way, and for whatever fails. */
export function searchAtOnce(
  { request, shards, skipped }: PlannedSearch,
  state: ClusterState,
  services: SearchAtOnceServices,
): SearchAnswer | undefined {
  const [shard] = shards;
  if (shard === undefined || shards.length > 1 || request.copies.kind !== 'adaptive') return undefined;
  if (hasSlowLog(shard.target.index) || !isOnlyHere(shard.key, state, services.nodeId())) return undefined;
  const searcher = services.searcherOf(shard.key);
  if (searcher === undefined) return undefined;
  const result = searchView(shard, searcher, services);
  // What is to be looked up for its hits is waited for.
  if (result === undefined || result.hasLookups === true) return undefined;
  return { shards: { total: 1 + skipped, failures: [], skipped }, result };
}

function isOnlyHere(key: ShardKey, state: ClusterState, nodeId: string): boolean {
  const [only, ...others] = copiesOf(state, key);
  return only !== undefined && others.length === 0 && only.nodeId === nodeId && isActive(only);
}

function searchView(
  { plan, groups, cache }: PlannedShard,
  searcher: Searcher,
  { clock, ranks, nodeId }: SearchAtOnceServices,
): SearchResult | undefined {
  const ended = ranks.follow(nodeId());
  try {
    const startedMs = clock.monotonicMs();
    const result = searcher.executeAtOnce(plan, cache?.key);
    if (result === undefined) {
      ended();
      return undefined;
    }
    const timeMs = clock.monotonicMs() - startedMs;
    searcher.countGroups(groups, 'query', timeMs);
    searcher.countGroups(groups, 'fetch', 0);
    ended({ responseMs: timeMs, serviceMs: timeMs, queue: 0 });
    return result;
  } catch {
    ended();
    return undefined;
  } finally {
    searcher.release();
  }
}
