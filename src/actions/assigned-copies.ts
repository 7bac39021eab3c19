/** Which copies of shards the cluster state gives to one worker, and what their holder must know of each. */
import { placedIndex, type IndexTables } from '../cluster/copies/index-tally.js';
import { holdsPrimaryOffice, isActive, primaryOf, recoverySourceOf } from '../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, NodeRecord, ShardCopy } from '../cluster/state.js';
import type { RecoveryNode, RecoveryOrigin } from '../shard/recovery-progress.js';
import type { ShardView } from '../shard/replication/replication-group.js';

export interface AssignedCopy {
  readonly metadata: IndexMetadata;
  readonly copy: ShardCopy;
  readonly view: ShardView;
}

/** Of one index, by {@link shardId}. */
export function assignedCopies(
  tables: IndexTables,
  name: string,
  nodeId: string,
  slot: number,
): ReadonlyMap<string, AssignedCopy> {
  const assigned = new Map<string, AssignedCopy>();
  const placed = placedIndex(tables, name);
  // The shards of a closed index keep their places, without open files.
  if (placed?.index.state !== 'open') return assigned;
  const { index: metadata, table } = placed;
  for (const copy of table.shards.flat()) {
    if (copy.nodeId !== nodeId || copy.workerSlot !== slot || copy.state === 'UNASSIGNED') continue;
    const view = viewOf(copy, table.shards[copy.shard] ?? [], metadata);
    assigned.set(shardId(metadata.uuid, copy.shard), { metadata, copy, view });
  }
  return assigned;
}

/** Where the copy's data comes from, if it is opened now. */
export function recoveryOrigin(state: ClusterState, index: IndexMetadata, copy: ShardCopy): RecoveryOrigin {
  const type = recoverySourceOf(index, copy);
  const primary = primaryOf(state.routing.get(index.name)?.shards[copy.shard] ?? []);
  const node = (id: string | null | undefined): RecoveryNode | undefined => recoveryNode(state.nodes.get(id ?? ''));
  const source = type === 'PEER' ? node(primary?.nodeId) : undefined;
  return { type, primary: copy.primary, source, target: node(copy.nodeId) };
}

export function recoveryNode(node: NodeRecord | undefined): RecoveryNode | undefined {
  if (node === undefined) return undefined;
  const { id, host, transportAddress, ip, name } = node;
  return { id, host, transportAddress, ip, name };
}

function viewOf(self: ShardCopy, copies: readonly ShardCopy[], metadata: IndexMetadata): ShardView {
  const others = copies.flatMap(({ allocationId, nodeId, workerSlot }) =>
    allocationId === null || nodeId === null || workerSlot === null || allocationId === self.allocationId
      ? []
      : { allocationId, nodeId, workerSlot },
  );
  const inSync = new Set(metadata.inSyncAllocationIds[self.shard]);
  const placed = new Set(copies.map(({ allocationId }) => allocationId));
  const absent = [...inSync].filter((id) => !placed.has(id));
  return { others, inSync, absent, isActive: isActive(self), isComplete: copies.every(isActive) };
}

/** A copy's time as primary ends with the primary term, its time as replica with its allocation. */
export function tenure(metadata: IndexMetadata, copy: ShardCopy): string {
  const office = holdsPrimaryOffice(copy) ? `primary ${metadata.primaryTerms[copy.shard] ?? 1}` : 'replica';
  return `${copy.allocationId ?? ''} as ${office}`;
}

export function shardId(indexUuid: string, shard: number): string {
  return `${indexUuid}/${shard}`;
}
