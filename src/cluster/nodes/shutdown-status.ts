/** How far a node is that is about to be stopped. */
import type { ClusterState, NodeShutdown, ShardCopy } from '../state.js';

export type ShutdownStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'STALLED' | 'COMPLETE';

export interface ShardMigration {
  readonly status: ShutdownStatus;
  /** Copies that are still on the node and must leave it. */
  readonly remaining: number;
  readonly explanation?: string;
}

export function shardMigration(state: ClusterState, { nodeId, type }: NodeShutdown): ShardMigration {
  if (type === 'restart') {
    const explanation = 'no shard relocation is necessary for a node restart';
    return { status: 'COMPLETE', remaining: 0, explanation };
  }
  if (!state.nodes.has(nodeId)) {
    return { status: 'NOT_STARTED', remaining: 0, explanation: 'node is not currently part of the cluster' };
  }
  const copies = [...state.routing.values()].flatMap(({ shards }) => shards.flat());
  const remaining = copies.filter((copy) => copy.nodeId === nodeId);
  if (remaining.length === 0) return { status: 'COMPLETE', remaining: 0 };
  // Moves wait for each other: as long as any goes on, others may follow.
  const isMoving = copies.some(({ state: copyState }) => copyState === 'RELOCATING' || copyState === 'INITIALIZING');
  if (isMoving) return { status: 'IN_PROGRESS', remaining: remaining.length };
  const stuck = firstOnlyThere(state, nodeId);
  if (stuck === undefined) {
    const explanation =
      `[${remaining.length}] shards cannot be moved away from this node but have at least one copy on another node ` +
      'in the cluster';
    return { status: 'COMPLETE', remaining: 0, explanation };
  }
  const { index, copy } = stuck;
  const explanation =
    `shard [${copy.shard}] [${copy.primary ? 'primary' : 'replica'}] of index [${index}] cannot move, ` +
    'use the Cluster Allocation Explain API on this shard for details';
  return { status: 'STALLED', remaining: remaining.length, explanation };
}

/** A copy on the node whose shard has no started one on any node that stays. */
function firstOnlyThere(
  { routing, shutdowns }: ClusterState,
  nodeId: string,
): { readonly index: string; readonly copy: ShardCopy } | undefined {
  const stays = (copy: ShardCopy): boolean =>
    copy.state === 'STARTED' && copy.nodeId !== null && !shutdowns.has(copy.nodeId);
  for (const { index, shards } of routing.values()) {
    for (const copies of shards) {
      const copy = copies.find((each) => each.nodeId === nodeId);
      if (copy !== undefined && !copies.some(stays)) return { index: index.name, copy };
    }
  }
  return undefined;
}
