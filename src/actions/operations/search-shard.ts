/** Searches of one shard: whole, or in the two phases that a search over several shards needs. */
import type { CountResult, SearchResult } from '../../native/searcher.js';
import { defineShardOperation } from '../shard-operation.js';

export interface PlanInput {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
}

export const searchShard = defineShardOperation('search', (shard, input: PlanInput, context): SearchResult =>
  shard.searcher().execute(input.plan, context.cancellation),
);

export const countShard = defineShardOperation('count', (shard, input: PlanInput, context): CountResult =>
  shard.searcher().count(input.plan, context.cancellation),
);

export interface QueryPhaseOutput {
  /** Names the searcher that is kept for the fetch phase. */
  readonly searcher: number;
  readonly result: Uint8Array;
}

export const queryPhase = defineShardOperation('query-phase', (shard, input: PlanInput, context): QueryPhaseOutput => {
  const searcher = shard.searcher();
  const result = searcher.queryPhase(input.plan, context.cancellation);
  return { searcher: context.searchers.keep(searcher), result };
});

export interface FetchPhaseInput {
  readonly searcher: number;
  readonly plan: Uint8Array;
  /** From the reduced query phases. */
  readonly fetchList: Uint8Array;
}

export const fetchPhase = defineShardOperation('fetch-phase', (_shard, input: FetchPhaseInput, context): Uint8Array => {
  try {
    return context.searchers.get(input.searcher).fetchPhase(input.plan, input.fetchList, context.cancellation);
  } finally {
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
