/** What can be said of single copies of shards, and how unassigned ones are made. */
import { isMounted } from '../snapshots/mounted.js';
import type {
  ClusterState,
  IndexMetadata,
  IndexRouting,
  ShardCopy,
  UnassignedInfo,
  UnassignedReason,
} from '../state.js';

/** Whether the copy serves: one that moves away serves until its target has started. */
export function isActive(copy: ShardCopy): boolean {
  return copy.state === 'STARTED' || copy.state === 'RELOCATING';
}

/** Whether the copy is the far end of a move. */
export function isRelocationTarget(copy: ShardCopy): boolean {
  return copy.state === 'INITIALIZING' && copy.relocatingNodeId !== null;
}

/** The copies that the index asks for: those that moves make for a while are left out. */
export function copiesWithoutTargets(copies: readonly ShardCopy[]): readonly ShardCopy[] {
  return copies.some(isRelocationTarget) ? copies.filter((copy) => !isRelocationTarget(copy)) : copies;
}

/** The target of a move, or its source: each finds the other. */
export function otherEndOfMove(copies: readonly ShardCopy[], copy: ShardCopy): ShardCopy | undefined {
  if (copy.relocatingNodeId === null) return undefined;
  return copies.find(
    (each) => each.nodeId === copy.relocatingNodeId && each.relocatingNodeId === copy.nodeId && each !== copy,
  );
}

/** The primary; never the target that it moves to. */
export function primaryOf(copies: readonly ShardCopy[]): ShardCopy | undefined {
  return copies.find((copy) => copy.primary && !isRelocationTarget(copy));
}

/** Whether the copy is to take writes: the target of a primary's move is a replica until it has taken over. */
export function holdsPrimaryOffice(copy: ShardCopy): boolean {
  return copy.primary && !isRelocationTarget(copy);
}

export function hasActivePrimary(copies: readonly ShardCopy[]): boolean {
  const primary = primaryOf(copies);
  return primary !== undefined && isActive(primary);
}

/** Whether each shard of the index serves. */
export function isWhole({ routing }: Pick<ClusterState, 'routing'>, { name }: Pick<IndexMetadata, 'name'>): boolean {
  return routing.get(name)?.shards.every(hasActivePrimary) === true;
}

/** A shard that never had a started primary holds nothing: its primary is made anew, wherever that is. */
export function neverStarted(index: IndexMetadata, shard: number): boolean {
  return (index.inSyncAllocationIds[shard] ?? []).length === 0;
}

/**
 * Whether a worker that is given the primary makes its directory anew. Of a mounted index any copy can be: the master gives it another allocation
 * than those in sync only where none of these is left.
 */
export function isMadeAnew(index: IndexMetadata, copy: ShardCopy): boolean {
  if (neverStarted(index, copy.shard)) return true;
  const { allocationId } = copy;
  return (
    isMounted(index) && allocationId !== null && index.inSyncAllocationIds[copy.shard]?.includes(allocationId) !== true
  );
}

/**
 * What a copy recovers from, in the API's words.
 * - `EMPTY_STORE`: a directory made anew.
 * - `EXISTING_STORE`: what lies on the node's disk.
 * - `LOCAL_SHARDS`: shards of another index on the node.
 * - `PEER`: the primary.
 * - `SNAPSHOT`: a repository.
 */
export type RecoverySource = 'EMPTY_STORE' | 'EXISTING_STORE' | 'LOCAL_SHARDS' | 'PEER' | 'SNAPSHOT';

/** Shards that the snapshot lacks begin empty. */
function isToBeRestored({ restoredFrom }: IndexMetadata, shard: number): boolean {
  return restoredFrom !== undefined && !restoredFrom.missingShards.includes(shard);
}

export function recoverySourceOf(index: IndexMetadata, copy: ShardCopy): RecoverySource {
  if (!copy.primary || copy.relocatingNodeId !== null) return 'PEER';
  if (!isMadeAnew(index, copy)) return 'EXISTING_STORE';
  if (copy.unassigned?.reason === 'FORCED_EMPTY_PRIMARY') return 'EMPTY_STORE';
  if (isToBeRestored(index, copy.shard)) return 'SNAPSHOT';
  return index.settings.has('index.resize.source.uuid') ? 'LOCAL_SHARDS' : 'EMPTY_STORE';
}

/** Information on a copy that has, or had until now, no place. `former` is the copy as it was. */
export function unassignedInfo(reason: UnassignedReason, atMs: number, former?: ShardCopy): UnassignedInfo {
  return {
    reason,
    atMs,
    failedAllocations: 0,
    lastAllocationStatus: 'no_attempt',
    delayed: false,
    lastNodeId: former?.nodeId ?? former?.unassigned?.lastNodeId ?? null,
    lastAllocationId: former?.allocationId ?? former?.unassigned?.lastAllocationId ?? null,
    failedNodeIds: [],
  };
}

export function unassignedCopy(shard: number, primary: boolean, unassigned: UnassignedInfo): ShardCopy {
  return {
    shard,
    primary,
    state: 'UNASSIGNED',
    nodeId: null,
    relocatingNodeId: null,
    workerSlot: null,
    allocationId: null,
    unassigned,
  };
}

/** All copies of an index, unassigned. */
export function unassignedRouting(index: IndexMetadata, reason: UnassignedReason, atMs: number): IndexRouting {
  const info = unassignedInfo(reason, atMs);
  const shards = Array.from({ length: index.numberOfShards }, (_, shard) =>
    Array.from({ length: 1 + index.numberOfReplicas }, (_, copy) => unassignedCopy(shard, copy === 0, info)),
  );
  return { index: { name: index.name, uuid: index.uuid }, shards };
}
