/**
 * Searches that wait for nothing: brief ones of one shard, of which a copy on this node answers that publishes its newest view. The steps of `search.ts`
 * for all others, each of which may wait, cost up to a third of such a search.
 */
import type { Clock } from '../../base/clock.js';
import { isActive } from '../../cluster/copies/shard-copies.js';
import type { ClusterState } from '../../cluster/state.js';
import type { Mapping } from '../../mapping/types.js';
import type { Searcher, SearchResult } from '../../native/searcher.js';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import type { CopyPreference } from '../copy-preference.js';
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
  if (shard === undefined || shards.length > 1 || hasSlowLog(shard.target.index)) return undefined;
  // What is to be looked up for its hits is waited for. The search would be carried out, and counted, twice.
  if (mayLookUp(request.plan, shard.target.index.mapping)) return undefined;
  if (!isFirstHere(shard.key, request.copies, state, services.nodeId())) return undefined;
  const searcher = services.searcherOf(shard.key);
  if (searcher === undefined) return undefined;
  const result = searchView(shard, searcher, services);
  if (result === undefined || result.hasLookups === true) return undefined;
  return { shards: { total: 1 + skipped, failures: [], skipped }, result };
}

function mayLookUp({ fetch: { fields = [] }, runtime = [] }: SearchPlan, mapping: Mapping): boolean {
  if (fields.length === 0) return false;
  return [...runtime, ...mapping.runtime.values()].some(({ lookup }) => lookup !== undefined);
}

/** Whether a copy here is the first of `copiesInOrder`, as far as can be told without ranks. */
function isFirstHere(key: ShardKey, { kind }: CopyPreference, state: ClusterState, nodeId: string): boolean {
  const active = copiesOf(state, key).filter(isActive);
  if (!active.some((copy) => copy.nodeId === nodeId)) return false;
  return kind === 'local' || kind === 'only-local' || (kind === 'adaptive' && active.length === 1);
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
