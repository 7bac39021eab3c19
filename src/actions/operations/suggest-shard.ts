/** Suggestions from one shard. */
import type { HeldName } from '../searches/contexts/open-searchers.js';
import { defineReadOperation } from '../shard-operation.js';
import { onSearcher } from './search-shard.js';

export interface SuggestInput {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
  /** What is looked at instead of the newest view. */
  readonly view?: HeldName & { readonly keepAliveMs?: number };
}

/** JSON: a list of entries for each suggestion of the plan. */
export const suggestShard = defineReadOperation(
  'suggest',
  (shard, { plan, view }: SuggestInput, context): Promise<Uint8Array> =>
    onSearcher(shard, view, context, (searcher) => searcher.suggest(plan, context)),
);
