/** How long the master thinks: many indices of 5 shards x 2 copies over simulated nodes, which start copies at once. */
import { seededRandom, newUuid } from '../src/base/random.js';
import type { ChangeEnvironment } from '../src/cluster/changes/change.js';
import { createIndex } from '../src/cluster/changes/indices/create-index.js';
import { nodesChanged } from '../src/cluster/changes/nodes/membership.js';
import { shardsStarted, type ShardReport } from '../src/cluster/changes/copies/shard-reports.js';
import { updateClusterSettings } from '../src/cluster/changes/update-cluster-settings.js';
import { unassignedRouting } from '../src/cluster/copies/shard-copies.js';
import { emptyClusterState, type ClusterState, type IndexMetadata, type NodeRecord } from '../src/cluster/state.js';

const SHARDS = 5;
const REPLICAS = 1;
const NOW_MS = Date.UTC(2024, 0, 1);
const WORKERS = 4;

const random = seededRandom(1);
const environment: ChangeEnvironment = {
  nowMs: NOW_MS,
  newUuid: () => newUuid(random),
  analysis: { validate: () => undefined, has: () => true },
  scripts: { check: () => undefined, checkSimilarity: () => undefined },
};

function node(number: number): NodeRecord {
  const id = `node-${String(number).padStart(3, '0')}`;
  const ip = `10.0.0.${number}`;
  return {
    id,
    ephemeralId: id,
    raftId: String(number + 1),
    name: id,
    host: ip,
    ip,
    httpAddress: `${ip}:9200`,
    transportAddress: `${ip}:9300`,
    version: '1.0.0',
    roles: ['master', 'data'],
    attributes: {},
    workerSlots: WORKERS,
  };
}

/** The nodes, and the indices with every copy unassigned. */
function newCluster(indices: number, nodes: number): ClusterState {
  const settings = { number_of_shards: SHARDS, number_of_replicas: REPLICAS };
  const empty = emptyClusterState('bench', 'bench');
  const { state } = createIndex(empty, { name: 'pattern', settings }, environment);
  const pattern = state.indices.get('pattern') as IndexMetadata;
  const made = Array.from({ length: indices }, (_, number): IndexMetadata => {
    const name = `index-${number}`;
    return { ...pattern, name, uuid: name, creationDateMs: NOW_MS + number };
  });
  const records = Array.from({ length: nodes }, (_, number) => node(number));
  return {
    ...empty,
    nodes: new Map(records.map((record) => [record.id, record])),
    indices: new Map(made.map((index) => [index.name, index])),
    routing: new Map(made.map((index) => [index.name, unassignedRouting(index, 'INDEX_CREATED', NOW_MS)])),
  };
}

/** Only tables that changed since `before` hold new ones. */
function initializing(state: ClusterState, before: ClusterState | undefined): ShardReport[] {
  const reports: ShardReport[] = [];
  for (const table of state.routing.values()) {
    const { index, shards } = table;
    if (before?.routing.get(index.name) === table) continue;
    for (const copies of shards) {
      for (const { state: copyState, shard, allocationId } of copies) {
        if (copyState !== 'INITIALIZING') continue;
        reports.push({ index: index.name, indexUuid: index.uuid, shard, allocationId: allocationId ?? '' });
      }
    }
  }
  return reports;
}

/** The state when nothing is on its way any more, and in how many rounds of starting. */
function settled(state: ClusterState): { state: ClusterState; rounds: number } {
  let before: ClusterState | undefined;
  let current = state;
  for (let rounds = 0; ; rounds++) {
    const shards = initializing(current, before);
    if (shards.length === 0) return { state: current, rounds };
    before = current;
    current = shardsStarted(current, { shards }, environment).state;
  }
}

/** Every copy is started, and no two of a shard are on one node. */
function verify(state: ClusterState): void {
  for (const { index, shards } of state.routing.values()) {
    for (const copies of shards) {
      const holders = new Set(
        copies.flatMap(({ state: copyState, nodeId }) => (copyState === 'STARTED' ? nodeId : [])),
      );
      if (copies.length !== 1 + REPLICAS || holders.size !== copies.length) {
        throw new Error(`${index.name} is not allocated: ${JSON.stringify(copies)}`);
      }
    }
  }
}

function cpuMs<Result>(work: () => Result): { result: Result; ms: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: (user + system) / 1_000 };
}

export default function main(size: Readonly<Record<string, number>>): void {
  const { indices = 20, nodes = 5 } = size;
  const kick = { persistent: { 'cluster.max_shards_per_node': 100_000 }, transient: {} };
  const start = newCluster(indices, nodes);
  const allocate = (): { state: ClusterState; rounds: number } =>
    settled(updateClusterSettings(start, kick, environment).state);
  settled(nodesChanged(newCluster(20, 5), { joined: [node(5)] }, environment).state);
  // Most of the first is still the making of machine code.
  const first = cpuMs(allocate);
  const second = cpuMs(allocate);
  const { state, rounds } = first.result;
  for (const { result } of [first, second]) verify(result.state);
  const copies = [...state.routing.values()].flatMap(({ shards }) => shards.flat());
  const perNode = [...state.nodes.keys()].map((id) => copies.filter(({ nodeId }) => nodeId === id).length);
  console.log(`${indices} indices x ${SHARDS} shards x ${1 + REPLICAS} copies over ${nodes} nodes`);
  console.log(`all started after  ${first.ms.toFixed(0)} ms of CPU in ${rounds} rounds, in a fresh process`);
  console.log(`again              ${second.ms.toFixed(0)} ms of CPU, as by a master that did so before`);
  console.log(`copies on a node   ${Math.min(...perNode)} to ${Math.max(...perNode)}`);
  const one = cpuMs(() => settled(createIndex(state, { name: 'one-more' }, environment).state));
  console.log(`one more index     ${one.ms.toFixed(1)} ms of CPU`);
  const loss = cpuMs(() => nodesChanged(one.result.state, { left: ['node-000'] }, environment).state);
  console.log(`a node leaves      ${loss.ms.toFixed(1)} ms of CPU until its primaries have successors`);
  const joined = cpuMs(() => settled(nodesChanged(one.result.state, { joined: [node(nodes)] }, environment).state));
  console.log(`a node joins       ${joined.ms.toFixed(0)} ms of CPU in ${joined.result.rounds} rounds of rebalancing`);
}
