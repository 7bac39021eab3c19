/** Copies on disks that nobody has open: where a primary can come back, where a replica is nearly complete. */
import { shardKey, type ShardStore } from '../disks/cluster-info.js';
import { neverStarted } from '../copies/shard-copies.js';
import { isMounted } from '../snapshots/mounted.js';
import type { Question } from './allocation-round.js';
import type { NodeLoad } from './node-load.js';

/** A node with a copy that holds every acknowledged operation. */
export interface StoredCopy {
  readonly node: NodeLoad;
  readonly allocationId: string;
}

export interface StoredPrimaries {
  readonly inSync: readonly StoredCopy[];
  /** Some nodes have not told yet what they have. */
  readonly isComplete: boolean;
}

/** What is known of the node's store: undefined for nothing yet, null for that there is none. */
export function storeOn({ round, index, copy }: Question, node: NodeLoad): ShardStore | null | undefined {
  return round.info.shardStores.get(shardKey(index.uuid, copy.shard))?.get(node.id);
}

/**
 * Where an existing primary may come back: the copy that was primary last comes first, copies that failed come last. A node
 * that held an in-sync copy last and did not answer yet is believed to have it, unless it could not open it: then it has to tell.
 */
export function storedPrimaries(question: Question): StoredPrimaries {
  const { round, index, copy } = question;
  const inSyncIds = index.inSyncAllocationIds[copy.shard] ?? [];
  const { lastNodeId = null, lastAllocationId = null, failedNodeIds = [] } = copy.unassigned ?? {};
  const inSync: StoredCopy[] = [];
  let isComplete = true;
  for (const node of round.nodes) {
    const store = storeOn(question, node);
    isComplete &&= store !== undefined;
    if (store === null) continue;
    // What an earlier version left does not tell which copy it is.
    const isLast = node.id === lastNodeId && (store !== undefined || !failedNodeIds.includes(node.id));
    const allocationId =
      store === undefined || store.allocationId === null
        ? inSyncIds.find((id) => isLast && id === lastAllocationId)
        : inSyncIdOf(store, inSyncIds);
    if (store?.error === undefined && allocationId !== undefined) inSync.push({ node, allocationId });
  }
  const rank = ({ node, allocationId }: StoredCopy): number =>
    (failedNodeIds.includes(node.id) ? 2 : 0) + (allocationId === lastAllocationId ? 0 : 1);
  return { inSync: inSync.sort((left, right) => rank(left) - rank(right)), isComplete };
}

/** As which in-sync copy the files can be opened, if as any. */
export function inSyncIdOf(store: ShardStore | null | undefined, inSyncIds: readonly string[]): string | undefined {
  const { allocationId = null, formerAllocationId } = store ?? {};
  return [allocationId, formerAllocationId].find((id): id is string => id != null && inSyncIds.includes(id));
}

/**
 * Nodes that have most of a replica already, the best first: the one that it was on last, then those that lack only
 * operations, then those that share most bytes of files with the primary.
 */
export function storedReplicas(question: Question): readonly NodeLoad[] {
  const { round, index, copy } = question;
  const { lastNodeId = null, failedNodeIds = [] } = copy.unassigned ?? {};
  // The usual case by far, of copies that never were anywhere.
  if (lastNodeId === null && !round.info.shardStores.has(shardKey(index.uuid, copy.shard))) return [];
  const worth = (node: NodeLoad): number => {
    const store = storeOn(question, node);
    if (store === null || failedNodeIds.includes(node.id)) return 0;
    if (node.id === lastNodeId) return Infinity;
    if (store === undefined || store.error !== undefined) return 0;
    return store.hasAllHistory ? Number.MAX_SAFE_INTEGER : store.matchingBytes;
  };
  return round.nodes
    .map((node) => ({ node, worth: worth(node) }))
    .filter((each) => each.worth > 0)
    .sort((left, right) => (left.worth === right.worth ? 0 : right.worth > left.worth ? 1 : -1))
    .map(({ node }) => node);
}

/** Whether the copy is a primary whose data must be found. */
export function mustBeFound(question: Question): boolean {
  const { index, copy } = question;
  const hasData = copy.primary && copy.state === 'UNASSIGNED' && !neverStarted(index, copy.shard);
  return hasData && !isToBeFetchedAgain(question);
}

/** A primary of a mounted index that surely lies on no disk: its snapshot has the data still. */
export function isToBeFetchedAgain(question: Question): boolean {
  const { index, copy } = question;
  if (!isMounted(index) || !copy.primary || copy.state !== 'UNASSIGNED' || neverStarted(index, copy.shard))
    return false;
  const { inSync, isComplete } = storedPrimaries(question);
  return isComplete && inSync.length === 0;
}
