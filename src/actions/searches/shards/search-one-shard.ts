/** A whole search of one shard: of any copy, or of the view that is held for it. */
import { asQuarryError } from '../../../base/error-wire.js';
import type { SearchResult } from '../../../native/searcher.js';
import type { ActionContext } from '../../context.js';
import type { CopyPreference } from '../../copy-preference.js';
import { CopyFailure, readFromCopies, type CopyAnswer } from '../../read-from-copies.js';
import type { PlannedShard } from './planned-shards.js';
import { viewOf } from './query-and-fetch.js';

export async function searchShard(
  { key, plan, groups, slow, cache, held }: PlannedShard,
  copies: CopyPreference,
  context: ActionContext,
): Promise<CopyAnswer<SearchResult> | CopyFailure> {
  const asked = { plan, groups, ...(slow === undefined ? {} : { slow }) };
  if (held === undefined) {
    const input = { ...asked, ...(cache === undefined ? {} : { cache }) };
    return readFromCopies(context, key, copies, 'search', input);
  }
  const { place } = held;
  try {
    const input = { ...asked, view: viewOf(held) };
    return { place, output: await context.shards.onCopy(key, place, 'search', input) };
  } catch (error) {
    return new CopyFailure(asQuarryError(error), place.nodeId);
  }
}
