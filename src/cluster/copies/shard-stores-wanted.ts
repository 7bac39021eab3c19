/** What the master must ask of nodes' disks, and which answers it may keep. */
import { withEntries } from '../../base/shared-map.js';
import { dataNodes } from '../nodes/data-nodes.js';
import { shardKey, type ClusterInfo, type ShardStore } from '../disks/cluster-info.js';
import { hasActivePrimary, neverStarted, primaryOf } from './shard-copies.js';
import { changedIndices, IndexTally, placedIndex, type PlacedIndex } from './index-tally.js';
import type { ClusterState, IndexMetadata, NodeRecord, ShardCopy } from '../state.js';

/** Nodes that shall say what lies in their directory of the shard. */
export interface WantedStores {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly nodeIds: readonly string[];
}

/**
 * Of shards with unassigned copies that may lie on some disk: nodes that did not answer yet. A primary of which one node has the only copy
 * is given back to that node unasked. An answer goes into
 * {@link ClusterInfo.shardStores}, `null` included, and a `reroute` command after it.
 */
export function shardStoresWanted(state: ClusterState, stores: ClusterInfo['shardStores']): readonly WantedStores[] {
  candidateTally.follow(state);
  const nodes = dataNodes(state);
  const wanted: WantedStores[] = [];
  for (const [believedOn, indices] of candidates) {
    const isThere = nodes.some(({ id }) => id === believedOn);
    if (isThere && stores.size === 0) continue;
    for (const placed of indices.values()) {
      // One that was asked already could not open what it has, though its failures are forgotten when another node joins.
      if (isThere && !hasAnswered(placed, believedOn, stores)) continue;
      wanted.push(...wantedOf(placed, nodes, stores));
    }
  }
  return wanted;
}

/**
 * By name: indices with unassigned copies that may lie on some disk. Those of which only one node can have them, and is believed to, are
 * found by its id: nobody needs to be asked while it is there. All others are found by an empty one.
 */
const candidates = new Map<string, Map<string, PlacedIndex>>();

const candidateTally = new IndexTally((placed, sign) => {
  const { index, table } = placed;
  const wanting = table.shards.filter((copies) => isWanting(index, copies));
  if (wanting.length === 0) return;
  const places = new Set(wanting.map((copies) => onlyPlaceOf(index, copies)));
  const [only = ''] = places.size === 1 ? places : [];
  const indices = candidates.get(only) ?? new Map<string, PlacedIndex>();
  if (sign === 1) candidates.set(only, indices.set(index.name, placed));
  else indices.delete(index.name);
});

function hasAnswered({ index, table }: PlacedIndex, nodeId: string, stores: ClusterInfo['shardStores']): boolean {
  return table.shards.some((_, shard) => stores.get(shardKey(index.uuid, shard))?.has(nodeId) === true);
}

/** The node that had the only copy which is in sync, unless it could not open it. */
function onlyPlaceOf(index: IndexMetadata, copies: readonly ShardCopy[]): string {
  const primary = primaryOf(copies);
  if (primary?.state !== 'UNASSIGNED') return '';
  const { lastNodeId = null, lastAllocationId = null, failedNodeIds = [] } = primary.unassigned ?? {};
  const ids = index.inSyncAllocationIds[primary.shard] ?? [];
  const isOnly = ids.length === 1 && ids[0] === lastAllocationId;
  return isOnly && lastNodeId !== null && !failedNodeIds.includes(lastNodeId) ? lastNodeId : '';
}

function wantedOf(
  { index, table }: PlacedIndex,
  nodes: readonly NodeRecord[],
  stores: ClusterInfo['shardStores'],
): readonly WantedStores[] {
  return table.shards.flatMap((copies, shard) => {
    if (!isWanting(index, copies)) return [];
    const known = stores.get(shardKey(index.uuid, shard));
    const nodeIds = nodes.map(({ id }) => id).filter((id) => known?.has(id) !== true && isFree(copies, id));
    return nodeIds.length === 0 ? [] : { index: index.name, indexUuid: index.uuid, shard, nodeIds };
  });
}

function isWanting(index: IndexMetadata, copies: readonly ShardCopy[]): boolean {
  return index.state === 'open' && copies.some((copy) => mayLieSomewhere(index, copies, copy));
}

/** A new copy lies nowhere; a replica is placed only once its primary is active. */
function mayLieSomewhere(index: IndexMetadata, copies: readonly ShardCopy[], copy: ShardCopy): boolean {
  if (copy.state !== 'UNASSIGNED') return false;
  if (copy.primary) return !neverStarted(index, copy.shard);
  return hasActivePrimary(copies) && copy.unassigned?.reason !== 'INDEX_CREATED';
}

function isFree(copies: readonly ShardCopy[], nodeId: string): boolean {
  return copies.every((copy) => copy.nodeId !== nodeId);
}

/**
 * The answers that are still true after a change of the state: of the same run of the node, of shards that wait for a copy,
 * and of directories in which nobody works.
 */
export function stillTrueStores(
  stores: ClusterInfo['shardStores'],
  before: ClusterState,
  after: ClusterState,
): ClusterInfo['shardStores'] {
  if (stores.size === 0) return stores;
  const names = before.nodes === after.nodes ? changedIndices(before, after) : allNames(before, after);
  const changed = new Map<string, Answers>();
  const removed: string[] = [];
  for (const name of names) {
    for (const [key, copies] of [...copiesByKey(before, name), ...copiesByKey(after, name)]) {
      const answers = stores.get(key);
      if (answers === undefined) continue;
      const isThere = copiesByKey(after, name).has(key);
      const rest = isThere ? stillTrue(answers, copies, before, after) : [];
      if (rest.length === 0) removed.push(key);
      else if (rest.length < answers.size) changed.set(key, new Map(rest));
    }
  }
  return changed.size + removed.length === 0 ? stores : withEntries(stores, changed, removed);
}

type Answers = ReadonlyMap<string, ShardStore | null>;

function stillTrue(
  answers: Answers,
  copies: readonly ShardCopy[],
  before: ClusterState,
  after: ClusterState,
): readonly (readonly [string, ShardStore | null])[] {
  if (copies.every((copy) => copy.state !== 'UNASSIGNED')) return [];
  const sameRun = (id: string): boolean =>
    before.nodes.get(id)?.ephemeralId === after.nodes.get(id)?.ephemeralId && after.nodes.has(id);
  return [...answers].filter(([id]) => sameRun(id) && isFree(copies, id));
}

function allNames(before: ClusterState, after: ClusterState): ReadonlySet<string> {
  return new Set([...before.routing.keys(), ...after.routing.keys()]);
}

/** By key of the shard; nothing where the index is not there. */
function copiesByKey(state: ClusterState, name: string): ReadonlyMap<string, readonly ShardCopy[]> {
  const placed = placedIndex(state, name);
  if (placed === undefined) return new Map();
  const { index, table } = placed;
  return new Map(table.shards.map((copies, shard) => [shardKey(index.uuid, shard), copies] as const));
}
