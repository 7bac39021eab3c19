/** Merges the segments of an index for a lifecycle policy. */
import { mergePolicy } from '../../cluster/settings/index-values.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { broadcastEach } from '../indices/broadcast.js';

/** Resolves when each shard has at most so many; throws what the first shard that failed says. */
export async function mergeStep(context: ActionContext, index: IndexMetadata, maxSegments: number): Promise<void> {
  const input = { policy: mergePolicy(index), maxSegments, onlyExpungeDeletes: false, flush: true };
  const { failures } = await broadcastEach(context, [index], 'force-merge', () => input);
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
}
