/** How long writes to the primaries of the node have kept processors busy. */
import { runLimited } from '../../base/run-limited.js';
import type { ShardWriteTime } from '../../cluster/nodes/node-reports.js';
import { holdsPrimaryOffice, isActive } from '../../cluster/copies/shard-copies.js';
import type { ShardCopy } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { placeOf } from '../copy-selection.js';
import type { ShardKey } from '../shard-client.js';
import { defineNodeAction } from './node-action.js';

/** Shards that are asked at once. */
const SHARDS_AT_ONCE = 16;

/** Those that cannot tell are left out. */
export const writeTimes = defineNodeAction(
  'write-times',
  async (context, _input: null): Promise<readonly ShardWriteTime[]> => {
    const times = await runLimited(primariesHere(context), SHARDS_AT_ONCE, context.loop, ([key, copy]) =>
      timeOf(context, key, copy),
    );
    return times.flatMap((time) => time ?? []);
  },
);

function primariesHere(context: ActionContext): readonly (readonly [ShardKey, ShardCopy])[] {
  return [...context.clusterState().routing.values()].flatMap(({ index, shards }) =>
    shards.flatMap((copies, shard) => {
      const primary = copies.find((copy) => holdsPrimaryOffice(copy) && isActive(copy));
      const key: ShardKey = { index: index.name, indexUuid: index.uuid, shard };
      return primary?.nodeId === context.node.id ? [[key, primary] as const] : [];
    }),
  );
}

async function timeOf(context: ActionContext, key: ShardKey, copy: ShardCopy): Promise<ShardWriteTime | undefined> {
  const place = placeOf(copy);
  if (place === undefined) return undefined;
  try {
    const busyMs = await context.shards.onCopy(key, place, 'write-time', null);
    return { indexUuid: key.indexUuid, shard: key.shard, busyMs };
  } catch {
    // It is being closed, or has failed.
    return undefined;
  }
}
