/** Which shards of a search can hold a match, told from their columns before any of them is searched. */
import type { ActionContext } from '../context.js';
import type { CopyPreference } from '../copy-preference.js';
import { CopyFailure, readFromCopies } from '../read-from-copies.js';
import type { ShardKey } from '../shard-client.js';

export interface AskedShard {
  readonly key: ShardKey;
  /** An encoded count plan. */
  readonly plan: Uint8Array;
}

/** One answer for each shard; one that cannot say may match. */
export async function canMatch(
  shards: readonly AskedShard[],
  copies: CopyPreference,
  context: ActionContext,
): Promise<readonly boolean[]> {
  return Promise.all(
    shards.map(async ({ key, plan }) => {
      const answer = await readFromCopies(context, key, copies, 'can-match', { plan });
      return answer instanceof CopyFailure || answer.output;
    }),
  );
}
