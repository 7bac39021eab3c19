/**
 * `dfs_query_then_fetch`: one round more before a search, in which all of its shards tell how many documents have its terms, so that
 * each scores as if it had the documents of all.
 */
import { begunInTurns } from '../../../base/turn-of-loop.js';
import { mergeStatistics } from '../../../native/searcher.js';
import type { SearchPlan } from '../../../search/plan/search-plan.js';
import type { ActionContext } from '../../context.js';
import type { CopyPreference } from '../../copy-preference.js';
import { CopyFailure, readFromCopies } from '../../read-from-copies.js';
import type { PlannedShard } from './planned-shards.js';
import { viewOf } from './query-and-fetch.js';

/** The plan with what its shards count together. One that cannot tell is left out: its query phase will say why. */
export async function withSharedStatistics(
  plan: SearchPlan,
  shards: readonly PlannedShard[],
  copies: CopyPreference,
  context: ActionContext,
): Promise<SearchPlan> {
  if (shards.length < 2) return plan;
  const asked = await begunInTurns(shards, context.loop, (shard) => countedBy(shard, copies, context));
  const counted = await Promise.all(asked);
  context.cancellation.throwIfCancelled();
  return { ...plan, statistics: mergeStatistics(counted.filter((bytes) => bytes !== undefined)) };
}

async function countedBy(
  { key, plan, held }: PlannedShard,
  copies: CopyPreference,
  context: ActionContext,
): Promise<Uint8Array | undefined> {
  if (held !== undefined) {
    const input = { plan, view: viewOf(held) };
    return context.shards.onCopy(key, held.place, 'statistics-phase', input).catch(() => undefined);
  }
  const answer = await readFromCopies(context, key, copies, 'statistics-phase', { plan });
  return answer instanceof CopyFailure ? undefined : answer.output;
}
