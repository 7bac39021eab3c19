/** States and environments for tests of the pure rooms. */
import { createIndex, type CreateIndexInput } from '../../src/cluster/changes/indices/create-index.js';
import type { ChangeEnvironment } from '../../src/cluster/changes/change.js';
import { shardsStarted, type ShardReport } from '../../src/cluster/changes/copies/shard-reports.js';
import { masterElected, nodeJoined } from '../../src/cluster/changes/nodes/membership.js';
import { emptyClusterState, type ClusterState, type IndexMetadata, type NodeRecord } from '../../src/cluster/state.js';

export const NOW_MS = Date.UTC(2024, 2, 22, 13, 45, 30);

/** Uuids are `u1`, `u2`, ...; analysis knows the analyzers `standard` and `keyword`. */
export function environment(nowMs = NOW_MS): ChangeEnvironment {
  let next = 0;
  return {
    nowMs,
    newUuid: () => `u${++next}`,
    scripts: { check: () => undefined, checkSimilarity: () => undefined },
    analysis: { validate: () => undefined, has: (_settings, name) => name === 'standard' || name === 'keyword' },
  };
}

export const NODE: NodeRecord = {
  id: 'node-1',
  ephemeralId: 'first run',
  raftId: '1',
  name: 'first',
  host: 'localhost',
  ip: '127.0.0.1',
  httpAddress: '127.0.0.1:9200',
  transportAddress: '127.0.0.1:9300',
  version: '0.1.0',
  roles: ['master', 'data', 'ingest'],
  attributes: { rack: 'r1' },
  workerSlots: 2,
};

/** The node joins and leads, at once. */
export function startCluster(state: ClusterState, node: NodeRecord): ClusterState {
  const joined = nodeJoined(state, { node }, environment()).state;
  const led = masterElected(joined, { nodeId: node.id, term: state.term + 1 }, environment()).state;
  return { ...led, version: state.version + 1 };
}

export function clusterOfOneNode(node: NodeRecord = NODE): ClusterState {
  return startCluster(emptyClusterState('test', 'cluster-uuid'), node);
}

/** A cluster with the indices, all assigned shards started. */
export function clusterWith(...inputs: readonly CreateIndexInput[]): ClusterState {
  const made = environment();
  const created = inputs.reduce((state, input) => createIndex(state, input, made).state, clusterOfOneNode());
  return withAllStarted(created, made);
}

export function withAllStarted(state: ClusterState, made: ChangeEnvironment = environment()): ClusterState {
  return shardsStarted(state, { shards: initializing(state) }, made).state;
}

export function initializing(state: ClusterState): readonly ShardReport[] {
  return [...state.routing.values()].flatMap(({ index, shards }) =>
    shards
      .flat()
      .flatMap((copy) =>
        copy.state === 'INITIALIZING'
          ? [{ index: index.name, indexUuid: index.uuid, shard: copy.shard, allocationId: copy.allocationId ?? '' }]
          : [],
      ),
  );
}

export function indexOf(state: ClusterState, name: string): IndexMetadata {
  const index = state.indices.get(name);
  if (index === undefined) throw new Error(`no index ${name}`);
  return index;
}
