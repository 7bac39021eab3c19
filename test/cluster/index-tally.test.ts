/** What is counted of all indices is kept up by what changes: after any changes it is what a count of everything gives. */
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { CopyTally, copyTally } from '../../src/cluster/allocation/copy-tally.js';
import { aliasTable } from '../../src/cluster/aliases/aliases.js';
import { NO_CLUSTER_INFO } from '../../src/cluster/disks/cluster-info.js';
import { createIndex } from '../../src/cluster/changes/indices/create-index.js';
import { deleteIndices } from '../../src/cluster/changes/indices/delete-indices.js';
import { nextRerouteAtMs } from '../../src/cluster/copies/delayed-allocation.js';
import { clusterHealth, overallHealth } from '../../src/cluster/health.js';
import { shardStoresWanted } from '../../src/cluster/copies/shard-stores-wanted.js';
import { updateAliases } from '../../src/cluster/changes/indices/update-aliases.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { TestCluster } from './allocation/cluster.js';
import { indexOf } from './support.js';

const STEPS = 150;

/** The same indices in maps that share nothing with those that were counted before. */
function anew(state: ClusterState): ClusterState {
  return { ...state, indices: new Map(state.indices), routing: new Map(state.routing) };
}

function counts(tally: CopyTally): object {
  const { started, unsettled, delayed, unassignedPrimaries, unassignedReplicas, refusedPrimaries } = tally;
  const busy = [...started].filter(([, { shards }]) => shards > 0).sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    started: busy.map(([id, { shards, slots }]) => [id, shards, [0, 1].map((slot) => slots[slot] ?? 0)]),
    unsettled: [...unsettled].sort(),
    delayed: [...delayed].sort(),
    primaries: [...tally.primaries.inOrder()].map(({ name }) => name),
    replicas: [...tally.replicas.inOrder()].map(({ name }) => name),
    unassignedPrimaries,
    unassignedReplicas,
    refusedPrimaries,
  };
}

function verify(state: ClusterState): void {
  const fresh = new CopyTally(NO_CLUSTER_INFO);
  fresh.follow(state);
  expect(counts(copyTally(state, NO_CLUSTER_INFO))).toEqual(counts(fresh));
  const { indices: _each, ...health } = clusterHealth(state, [...state.indices.values()]);
  expect(overallHealth(state)).toEqual(health);
  const aliases = [...state.indices.values()].flatMap((index) =>
    [...index.aliases.keys()].map((alias) => `${alias} ${index.name} ${index.version}`),
  );
  const known = [...aliasTable(state)].flatMap(([alias, targets]) =>
    targets.map(({ index }) => `${alias} ${index.name} ${index.version}`),
  );
  expect([...known].sort()).toEqual(aliases.sort());
  const wanted = shardStoresWanted(state, NO_CLUSTER_INFO.shardStores).map(({ index }) => index);
  const due = nextRerouteAtMs(state);
  const copy = anew(state);
  expect(
    shardStoresWanted(copy, NO_CLUSTER_INFO.shardStores)
      .map(({ index }) => index)
      .sort(),
  ).toEqual([...wanted].sort());
  expect(nextRerouteAtMs(copy)).toBe(due);
}

it('is the same as when everything is counted anew', () => {
  const random = seededRandom(3);
  const cluster = new TestCluster('abc');
  const away = new Set<string>();
  for (let step = 0; step < STEPS; step++) {
    const before = cluster.state;
    const names = [...cluster.state.indices.keys()];
    const name = names[random.below(Math.max(1, names.length))];
    const chance = random.below(10);
    if (chance < 5 || name === undefined) {
      const settings = { number_of_replicas: random.below(3), priority: random.below(4) };
      cluster.run(createIndex, { name: `i${step}`, settings, aliases: { [`a${random.below(5)}`]: {} } });
    } else if (chance === 5) {
      const { uuid } = indexOf(cluster.state, name);
      cluster.run(deleteIndices, { indices: [{ name, uuid }] });
    } else if (chance === 6) {
      const { uuid } = indexOf(cluster.state, name);
      const index = { name, uuid };
      cluster.run(updateAliases, { actions: [{ kind: 'add', index, alias: `a${random.below(5)}`, metadata: {} }] });
    } else if (chance === 7) {
      const id = ['b', 'c'][random.below(2)] ?? 'b';
      if (away.delete(id)) cluster.join(id);
      else {
        away.add(id);
        cluster.leave(id);
      }
    } else cluster.startAll();
    verify(cluster.state);
    // A change that is not agreed on leaves the state as it was.
    if (chance % 3 === 0) verify(before);
  }
  expect(cluster.state.indices.size).toBeGreaterThan(40);
});
