/** A whole search of one shard: of any copy, or of the view that is held for it. */
import { asQuarryError } from '../../../base/error-wire.js';
import type { SearchResult } from '../../../native/searcher.js';
import type { ActionContext } from '../../context.js';
import type { CopyPreference } from '../../copy-preference.js';
import { CopyFailure, readFromCopies, type CopyAnswer } from '../../read-from-copies.js';
import type { PlannedShard } from './planned-shards.js';
import { viewOf } from './query-and-fetch.js';

export async function searchShard(
  { key, plan, groups, cache, held }: PlannedShard,
  copies: CopyPreference,
  context: ActionContext,
): Promise<CopyAnswer<SearchResult> | CopyFailure> {
  if (held === undefined) {
    const input = { plan, groups, ...(cache === undefined ? {} : { cache }) };
    return readFromCopies(context, key, copies, 'search', input);
  }
  const { place } = held;
  try {
    const input = { plan, groups, view: viewOf(held) };
    return { place, output: await context.shards.onCopy(key, place, 'search', input) };
  } catch (error) {
    return new CopyFailure(asQuarryError(error), place.nodeId);
  }
}
