/** Searches of one shard: whole, or in the two phases that a search over several shards needs. */
import type { CountResult, SearchResult } from '../../native/searcher.js';
import { defineShardOperation } from '../shard-operation.js';

export interface PlanInput {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
}

export interface SearchInput extends PlanInput {
  /** Groups of statistics that count this search. */
  readonly groups: readonly string[];
}

export const searchShard = defineShardOperation('search', (shard, input: SearchInput, context): SearchResult => {
  const startedMs = context.clock.monotonicMs();
  const result = shard.searcher().execute(input.plan, context.cancellation);
  // One call does both phases; its time is told as that of the query.
  shard.searchGroups.queried(input.groups, context.clock.monotonicMs() - startedMs);
  shard.searchGroups.fetched(input.groups, 0);
  return result;
});

export const countShard = defineShardOperation('count', (shard, input: PlanInput, context): CountResult =>
  shard.searcher().count(input.plan, context.cancellation),
);

export interface QueryPhaseOutput {
  /** Names the searcher that is kept for the fetch phase. */
  readonly searcher: number;
  readonly result: Uint8Array;
}

export const queryPhase = defineShardOperation(
  'query-phase',
  (shard, input: SearchInput, context): QueryPhaseOutput => {
    const startedMs = context.clock.monotonicMs();
    const searcher = shard.searcher();
    const result = searcher.queryPhase(input.plan, context.cancellation);
    shard.searchGroups.queried(input.groups, context.clock.monotonicMs() - startedMs);
    return { searcher: context.searchers.keep(searcher), result };
  },
);

export interface FetchPhaseInput extends SearchInput {
  readonly searcher: number;
  /** From the reduced query phases. */
  readonly fetchList: Uint8Array;
}

export const fetchPhase = defineShardOperation('fetch-phase', (shard, input: FetchPhaseInput, context): Uint8Array => {
  const startedMs = context.clock.monotonicMs();
  try {
    return context.searchers.get(input.searcher).fetchPhase(input.plan, input.fetchList, context.cancellation);
  } finally {
    shard.searchGroups.fetched(input.groups, context.clock.monotonicMs() - startedMs);
    context.searchers.release(input.searcher);
  }
});

export interface ReleaseInput {
  readonly searcher: number;
}

export const releaseSearcher = defineShardOperation(
  'release-searcher',
  (_shard, input: ReleaseInput, context): null => {
    context.searchers.release(input.searcher);
    return null;
  },
);
