/** Which shards of a search can hold a match, told from their columns before any of them is searched. */
import { begunInTurns } from '../../../base/turn-of-loop.js';
import type { ActionContext } from '../../context.js';
import type { CopyPreference } from '../../copy-preference.js';
import { CopyFailure, readFromCopies } from '../../read-from-copies.js';
import type { ShardKey } from '../../shard-client.js';
import type { PlannedShard } from './planned-shards.js';
import { viewOf } from './query-and-fetch.js';

export interface AskedShard {
  readonly key: ShardKey;
  /** An encoded count plan. */
  readonly plan: Uint8Array;
  /** The copy whose view is held for the search; absent: any. */
  readonly held?: NonNullable<PlannedShard['held']>;
}

/** One answer for each shard; one that cannot say may match. */
export async function canMatch(
  shards: readonly AskedShard[],
  copies: CopyPreference,
  context: ActionContext,
): Promise<readonly boolean[]> {
  return Promise.all(await begunInTurns(shards, context.loop, (shard) => shardCanMatch(shard, copies, context)));
}

async function shardCanMatch(
  { key, plan, held }: AskedShard,
  copies: CopyPreference,
  context: ActionContext,
): Promise<boolean> {
  if (held !== undefined) {
    // A view that is lost is a failure of the search itself.
    const input = { plan, view: viewOf(held) };
    return context.shards.onCopy(key, held.place, 'can-match', input).catch(() => true);
  }
  const answer = await readFromCopies(context, key, copies, 'can-match', { plan });
  return answer instanceof CopyFailure || answer.output;
}
