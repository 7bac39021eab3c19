/** What the master must ask of nodes' disks, and which answers it may keep. */
import { dataNodes } from './data-nodes.js';
import { shardKey, type ClusterInfo, type ShardStore } from './cluster-info.js';
import { hasActivePrimary, neverStarted } from './shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from './state.js';

/** Nodes that shall say what lies in their directory of the shard. */
export interface WantedStores {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly nodeIds: readonly string[];
}

/**
 * Of shards with unassigned copies that may lie on some disk: nodes that did not answer yet. An answer goes into
 * {@link ClusterInfo.shardStores}, `null` included, and a `reroute` command after it.
 */
export function shardStoresWanted(state: ClusterState, stores: ClusterInfo['shardStores']): readonly WantedStores[] {
  const nodes = dataNodes(state);
  const wanted: WantedStores[] = [];
  for (const [name, { shards }] of state.routing) {
    const index = state.indices.get(name);
    if (index?.state !== 'open') continue;
    shards.forEach((copies, shard) => {
      if (!copies.some((copy) => mayLieSomewhere(index, copies, copy))) return;
      const known = stores.get(shardKey(index.uuid, shard));
      const nodeIds = nodes.map(({ id }) => id).filter((id) => known?.has(id) !== true && isFree(copies, id));
      if (nodeIds.length > 0) wanted.push({ index: name, indexUuid: index.uuid, shard, nodeIds });
    });
  }
  return wanted;
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
  const kept = new Map<string, ReadonlyMap<string, ShardStore | null>>();
  for (const [name, { shards }] of after.routing) {
    const index = after.indices.get(name);
    shards.forEach((copies, shard) => {
      const answers = stores.get(shardKey(index?.uuid ?? '', shard));
      if (answers === undefined || copies.every((copy) => copy.state !== 'UNASSIGNED')) return;
      const sameRun = (id: string): boolean =>
        before.nodes.get(id)?.ephemeralId === after.nodes.get(id)?.ephemeralId && after.nodes.has(id);
      const rest = [...answers].filter(([id]) => sameRun(id) && isFree(copies, id));
      if (rest.length > 0) kept.set(shardKey(index?.uuid ?? '', shard), new Map(rest));
    });
  }
  return kept;
}
