import { describe, expect, it } from 'vitest';
import { NO_CLUSTER_INFO, shardKey, type ClusterInfo, type ShardStore } from '../../src/cluster/disks/cluster-info.js';
import { must } from '../../src/base/assert.js';
import { unassignedCopy, unassignedInfo } from '../../src/cluster/copies/shard-copies.js';
import { shardStoresWanted, stillTrueStores } from '../../src/cluster/copies/shard-stores-wanted.js';
import { indexOf } from './support.js';
import { TestCluster } from './allocation/cluster.js';

describe('stores of shards', () => {
  it('are asked for while a copy that may lie on a disk has no place, and not twice', () => {
    const cluster = new TestCluster('abc');
    cluster.create('x');
    expect(shardStoresWanted(cluster.state, NO_CLUSTER_INFO.shardStores)).toEqual([]);
    cluster.settle();
    const [primary, replica] = cluster.copies('x');
    cluster.leave(replica?.nodeId ?? '');
    const free = [...cluster.state.nodes.keys()].filter((id) => id !== primary?.nodeId);
    const { uuid } = indexOf(cluster.state, 'x');
    expect(shardStoresWanted(cluster.state, NO_CLUSTER_INFO.shardStores)).toEqual([
      { index: 'x', indexUuid: uuid, shard: 0, nodeIds: free },
    ]);
    const answers = new Map<string, ShardStore | null>(free.map((id) => [id, null]));
    const info: ClusterInfo = { ...NO_CLUSTER_INFO, shardStores: new Map([[shardKey(uuid, 0), answers]]) };
    expect(shardStoresWanted(cluster.state, info.shardStores)).toEqual([]);
    const before = cluster.state;
    expect(stillTrueStores(info.shardStores, before, cluster.state)).toEqual(info.shardStores);
    cluster.join(free[0] ?? '');
    expect(stillTrueStores(info.shardStores, before, cluster.state).size).toBe(0);
  });

  it('of a lost primary are asked of every node', () => {
    const cluster = new TestCluster('abc');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    cluster.leave(cluster.copies('x')[0]?.nodeId ?? '');
    expect(shardStoresWanted(cluster.state, NO_CLUSTER_INFO.shardStores)[0]?.nodeIds).toEqual([
      ...cluster.state.nodes.keys(),
    ]);
  });

  it('of a primary are asked of the others when the node that had it has told, also after its failures are forgotten', () => {
    const cluster = new TestCluster('abc');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    const holder = cluster.copies('x')[0]?.nodeId ?? '';
    const others = [...cluster.state.nodes.keys()].filter((id) => id !== holder);
    cluster.leave(holder);
    cluster.join(holder);
    const { uuid } = indexOf(cluster.state, 'x');
    const routing = new Map(cluster.state.routing);
    const table = must(routing.get('x'), 'the table of x');
    const [copy] = cluster.copies('x');
    const { unassigned: former } = must(copy, 'the primary');
    const allocationId = indexOf(cluster.state, 'x').inSyncAllocationIds[0]?.[0] ?? '';
    const unassigned = {
      ...unassignedInfo('ALLOCATION_FAILED', 0),
      ...former,
      lastNodeId: holder,
      lastAllocationId: allocationId,
    };
    const lost = unassignedCopy(0, true, { ...unassigned, failedNodeIds: [] });
    const state = { ...cluster.state, routing: routing.set('x', { ...table, shards: [[lost]] }) };
    expect(shardStoresWanted(state, new Map())).toEqual([]);
    const told = new Map([[shardKey(uuid, 0), new Map<string, ShardStore | null>([[holder, null]])]]);
    const [wanted] = shardStoresWanted(state, told);
    expect([...(wanted?.nodeIds ?? [])].sort()).toEqual(others.sort());
  });
});

describe('index.auto_expand_replicas', () => {
  it('follows nodes that come, go or are excluded', () => {
    const cluster = new TestCluster('abc');
    cluster.create('x', { auto_expand_replicas: '0-all' });
    const replicas = (): number => indexOf(cluster.state, 'x').numberOfReplicas;
    expect(replicas()).toBe(2);
    cluster.join('d');
    expect(replicas()).toBe(3);
    cluster.settings({ 'cluster.routing.allocation.exclude._name': 'a,d' });
    expect(replicas()).toBe(1);
    cluster.leave('d');
    expect(replicas()).toBe(1);
    cluster.settings({ 'cluster.routing.allocation.exclude._name': null });
    expect(replicas()).toBe(2);
  });
});
