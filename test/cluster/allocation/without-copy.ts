import { isRelocationTarget, otherEndOfMove } from '../../../src/cluster/copies/shard-copies.js';
import type { ClusterState, ShardCopy } from '../../../src/cluster/state.js';

/** The state as if the copy had no place yet, and the copy as it is in that state. */
export function withoutCopy(
  state: ClusterState,
  name: string,
  copy: ShardCopy,
): { state: ClusterState; copy: ShardCopy } {
  const table = state.routing.get(name);
  if (table === undefined) throw new Error(`no index ${name}`);
  const copies = table.shards[copy.shard] ?? [];
  const source = isRelocationTarget(copy) ? otherEndOfMove(copies, copy) : undefined;
  const asked: ShardCopy =
    source === undefined
      ? { ...copy, state: 'UNASSIGNED', nodeId: null, workerSlot: null, allocationId: null }
      : { ...source, state: 'STARTED', relocatingNodeId: null };
  const rest = copies.filter((each) => each !== copy).map((each) => (each === source ? asked : each));
  const all = source === undefined ? [...rest, asked] : rest;
  const shards = table.shards.with(copy.shard, all);
  return { state: { ...state, routing: new Map(state.routing).set(name, { ...table, shards }) }, copy: asked };
}
