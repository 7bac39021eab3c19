/** How far a node is that is about to be stopped. */
import type { ClusterState, NodeShutdown } from './state.js';

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
  const [first] = remaining;
  const index = [...state.routing.values()].find(({ shards }) => shards.flat().some((copy) => copy === first))?.index;
  const explanation =
    `shard [${first?.shard}] [${first?.primary === true ? 'primary' : 'replica'}] of index [${index?.name}] cannot move, ` +
    'use the Cluster Allocation Explain API on this shard for details';
  return { status: 'STALLED', remaining: remaining.length, explanation };
}
