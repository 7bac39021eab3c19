/** Whether the node serves certain copies: what the state says of them may be older than their loss. */
import { isActive } from '../../cluster/copies/shard-copies.js';
import type { ActionContext } from '../context.js';
import { placeOf } from '../copy-selection.js';
import type { ShardKey } from '../shard-client.js';
import { defineNodeAction } from './node-action.js';

export interface ActiveCopiesInput {
  readonly copies: readonly (ShardKey & { readonly allocationId: string })[];
}

/** In the order of the copies. */
export const activeCopies = defineNodeAction(
  'active-copies',
  (context, { copies }: ActiveCopiesInput): Promise<readonly boolean[]> =>
    Promise.all(copies.map((copy) => isServed(context, copy))),
);

async function isServed(context: ActionContext, wanted: ActiveCopiesInput['copies'][number]): Promise<boolean> {
  const { index, indexUuid, shard, allocationId } = wanted;
  const routing = context.clusterState().routing.get(index);
  if (routing?.index.uuid !== indexUuid) return false;
  const copy = routing.shards[shard]?.find((each) => each.allocationId === allocationId);
  if (copy?.nodeId !== context.node.id || !isActive(copy)) return false;
  const place = placeOf(copy);
  if (place === undefined) return false;
  try {
    await context.shards.onCopy({ index, indexUuid, shard }, place, 'checkpoints', null);
    return true;
  } catch {
    return false;
  }
}
