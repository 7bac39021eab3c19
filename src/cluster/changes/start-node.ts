/** A node starts: its shards are assigned to its workers again. */
import { allocate, unassignedCopy, unassignedInfo } from '../allocation.js';
import type { ClusterState, IndexMetadata, IndexRouting, NodeRecord, ShardCopy } from '../state.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';

export interface StartNodeInput {
  readonly node: NodeRecord;
}

/**
 * The cluster is this node alone. Every primary that it held is opened again under the next primary term; shards of closed
 * indices only get their place back.
 */
export function startNode(state: ClusterState, input: StartNodeInput, environment: ChangeEnvironment): Change<null> {
  const { node } = input;
  const indices = new Map<string, IndexMetadata>();
  const routing = new Map<string, IndexRouting>();
  for (const index of state.indices.values()) {
    indices.set(index.name, withNextTerms(index));
    const table = state.routing.get(index.name);
    routing.set(index.name, recoveredRouting(index, table, node, environment.nowMs));
  }
  const started: ClusterState = {
    ...state,
    nodes: new Map([[node.id, node]]),
    masterNodeId: node.id,
    indices,
    routing,
  };
  const allocated = allocate(started, routing, () => environment.newUuid());
  const parts = { nodes: started.nodes, masterNodeId: node.id, indices, routing: allocated };
  return { state: nextState(state, parts, environment), result: null };
}

function withNextTerms(index: IndexMetadata): IndexMetadata {
  if (index.state === 'close') return index;
  const primaryTerms = index.primaryTerms.map((term, shard) => {
    const everStarted = (index.inSyncAllocationIds[shard]?.length ?? 0) > 0;
    return everStarted ? term + 1 : term;
  });
  return { ...index, primaryTerms, version: index.version + 1 };
}

function recoveredRouting(
  index: IndexMetadata,
  table: IndexRouting | undefined,
  node: NodeRecord,
  nowMs: number,
): IndexRouting {
  const info = unassignedInfo('CLUSTER_RECOVERED', nowMs);
  const shards = index.primaryTerms.map((_, shard) => {
    const primary = table?.shards[shard]?.[0];
    const replicas = Array.from({ length: index.numberOfReplicas }, () => unassignedCopy(shard, false, info));
    return [recoveredPrimary(index, shard, primary, node, nowMs), ...replicas];
  });
  return { index: { name: index.name, uuid: index.uuid }, shards };
}

function recoveredPrimary(
  index: IndexMetadata,
  shard: number,
  before: ShardCopy | undefined,
  node: NodeRecord,
  nowMs: number,
): ShardCopy {
  if (index.state === 'close' && before?.nodeId === node.id) {
    return { ...before, workerSlot: (before.workerSlot ?? 0) % Math.max(1, node.workerSlots) };
  }
  const unassigned = unassignedCopy(shard, true, unassignedInfo('CLUSTER_RECOVERED', nowMs));
  return { ...unassigned, allocationId: index.inSyncAllocationIds[shard]?.[0] ?? null };
}
