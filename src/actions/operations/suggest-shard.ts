/** Suggestions from one shard. */
import type { HeldName } from '../searches/open-searchers.js';
import { defineShardOperation } from '../shard-operation.js';

export interface SuggestInput {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
  /** What is looked at instead of the newest view. */
  readonly view?: HeldName & { readonly keepAliveMs?: number };
}

/** JSON: a list of entries for each suggestion of the plan. */
export const suggestShard = defineShardOperation(
  'suggest',
  (shard, { plan, view }: SuggestInput, context): Uint8Array => {
    const searcher = view === undefined ? shard.searcher() : context.searchers.touch(view, view.keepAliveMs).searcher;
    return searcher.suggest(plan, context.cancellation);
  },
);
