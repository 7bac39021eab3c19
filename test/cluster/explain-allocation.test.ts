import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { explainAllocation, type ExplainAllocationInput } from '../../src/cluster/explain/explain-allocation.js';
import { NO_CLUSTER_INFO, shardKey, type ShardStore } from '../../src/cluster/disks/cluster-info.js';
import { closeIndices } from '../../src/cluster/changes/indices/open-close-indices.js';
import { indexOf, NOW_MS } from './support.js';
import { TestCluster } from './allocation/cluster.js';

interface Explanation {
  readonly can_allocate?: string;
  readonly allocate_explanation?: string;
  readonly node_allocation_decisions?: readonly (JsonObject & { readonly deciders?: readonly JsonObject[] })[];
}

function explain(
  cluster: TestCluster,
  copy?: ExplainAllocationInput['copy'],
  options: Partial<ExplainAllocationInput> = {},
): JsonObject & Explanation {
  const before = cluster.state;
  const input = { includeYesDecisions: false, includeDiskInfo: false, ...options };
  const result = cluster.run(explainAllocation, copy === undefined ? input : { ...input, copy });
  expect(cluster.state).toBe(before);
  return result as JsonObject & Explanation;
}

describe('allocation explain', () => {
  it('says why a replica has no place on a single node', () => {
    const cluster = new TestCluster('a', { attributes: { rack: 'r1' } });
    cluster.create('x');
    cluster.settle();
    expect(explain(cluster)).toMatchObject({
      note: expect.stringMatching(/^No shard was specified/),
      index: 'x',
      shard: 0,
      primary: false,
      current_state: 'unassigned',
      unassigned_info: {
        reason: 'INDEX_CREATED',
        at: new Date(NOW_MS).toISOString(),
        last_allocation_status: 'no_attempt',
      },
      can_allocate: 'no',
      allocate_explanation: 'cannot allocate because allocation is not permitted to any of the nodes',
      node_allocation_decisions: [
        {
          node_id: 'a',
          node_name: 'a',
          node_attributes: { rack: 'r1' },
          node_decision: 'no',
          weight_ranking: 1,
          deciders: [{ decider: 'same_shard', decision: 'NO' }],
        },
      ],
    });
    const all = explain(cluster, undefined, { includeYesDecisions: true, includeDiskInfo: true });
    expect(all.node_allocation_decisions?.[0]?.deciders?.length).toBeGreaterThan(10);
    expect(all['cluster_info']).toMatchObject({ nodes: {}, shard_sizes: {}, reserved_sizes: [] });
  });

  it('refuses when there is nothing to explain, and what is not there', () => {
    const cluster = new TestCluster('a');
    expect(() => explain(cluster)).toThrow(
      'unable to find any unassigned shards to explain ' +
        '[ClusterAllocationExplainRequest[useAnyUnassignedShard=true,includeYesDecisions?=false]',
    );
    cluster.create('x', { number_of_replicas: 0 });
    expect(() => explain(cluster, { index: 'y', shard: 0, primary: true })).toThrow('no such index [y]');
    expect(() => explain(cluster, { index: 'x', shard: 3, primary: true })).toThrow('no such shard');
    expect(() => explain(cluster, { index: 'x', shard: 0, primary: false })).toThrow(
      'unable to find any shards to explain [ClusterAllocationExplainRequest[index=x,shard=0,primary?=false,',
    );
  });

  it('names the node that has no such copy', () => {
    const cluster = new TestCluster('abc');
    cluster.create('x');
    cluster.settle();
    const [primary, replica] = cluster.copies('x').map(({ nodeId }) => nodeId ?? '');
    const asked = { index: 'x', shard: 0 };
    for (const currentNode of [primary ?? '', 'c']) {
      expect(() => explain(cluster, { ...asked, primary: false, currentNode })).toThrow(
        `unable to find a replica shard assigned to node [${currentNode}]`,
      );
    }
    expect(() => explain(cluster, { ...asked, primary: true, currentNode: 'c' })).toThrow(
      'unable to find primary shard assigned to node [c]',
    );
    const found = explain(cluster, { ...asked, primary: false, currentNode: replica ?? '' });
    expect(found).toMatchObject({ primary: false, current_node: { id: replica } });
  });

  it('says what keeps one kind of copies from being balanced', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    cluster.settings({ 'cluster.routing.rebalance.enable': 'replicas' });
    expect(explain(cluster, { index: 'x', shard: 0, primary: true })).toMatchObject({
      can_rebalance_cluster: 'no',
      can_rebalance_cluster_decisions: [{ decider: 'enable', decision: 'NO' }],
      rebalance_explanation: expect.stringContaining('rebalancing is not allowed') as string,
    });
  });

  it('tells of a delay, how long it is and how much is left', () => {
    const cluster = new TestCluster('abc');
    cluster.create('x');
    cluster.settle();
    cluster.leave(cluster.copies('x')[1]?.nodeId ?? '');
    cluster.nowMs += 20_000;
    expect(explain(cluster)).toMatchObject({
      unassigned_info: { reason: 'NODE_LEFT' },
      can_allocate: 'allocation_delayed',
      allocate_explanation:
        'cannot allocate because the cluster is still waiting 40s for the departed node holding a replica to rejoin, despite ' +
        'being allowed to allocate the shard to at least one other node',
      configured_delay: '1m',
      configured_delay_in_millis: 60_000,
      remaining_delay: '40s',
      remaining_delay_in_millis: 40_000,
    });
  });

  it('tells what was found of a primary whose node is gone', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    const [lost] = cluster.copies('x');
    cluster.leave(lost?.nodeId ?? '');
    expect(explain(cluster)).toMatchObject({
      can_allocate: 'no_valid_shard_copy',
      allocate_explanation:
        'cannot allocate because a previous copy of the primary shard existed but can no longer be found on the nodes in the ' +
        'cluster',
      unassigned_info: { last_allocation_status: 'no_valid_shard_copy' },
    });
    const [other = ''] = cluster.state.nodes.keys();
    const stale: ShardStore = { allocationId: 'old', totalBytes: 1, matchingBytes: 0, hasAllHistory: false };
    const stores = new Map([[shardKey(indexOf(cluster.state, 'x').uuid, 0), new Map([[other, stale]])]]);
    cluster.info = { ...NO_CLUSTER_INFO, shardStores: stores };
    expect(explain(cluster)).toMatchObject({
      allocate_explanation: 'cannot allocate because all found copies of the shard are either stale or corrupt',
      node_allocation_decisions: [{ node_decision: 'no', store: { in_sync: false, allocation_id: 'old' } }],
    });
  });

  it('says of a started copy that it may stay, and that no place is better', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 0 });
    const copy = { index: 'x', shard: 0, primary: true };
    expect(explain(cluster, copy)).toMatchObject({
      current_state: 'initializing',
      explanation: expect.stringContaining('wait until initialization has completed'),
    });
    cluster.settle();
    const expected = {
      current_state: 'started',
      current_node: { id: 'a', name: 'a' },
      can_remain_on_current_node: 'yes',
      can_rebalance_cluster: 'yes',
      can_rebalance_to_other_node: 'no',
      rebalance_explanation:
        'cannot rebalance as no target node exists that can both allocate this shard and improve the cluster balance',
      node_allocation_decisions: [{ node_id: 'b', node_decision: 'worse_balance', weight_ranking: 1 }],
    };
    expect(explain(cluster, copy)).toMatchObject(expected);
    cluster.run(closeIndices, { indices: [indexOf(cluster.state, 'x')] });
    expect(explain(cluster, { ...copy, currentNode: 'a' })).toMatchObject({ current_state: 'started' });
  });

  it('says of a copy on an excluded node where it goes', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    cluster.settings({ 'cluster.routing.allocation.node_concurrent_recoveries': 0 });
    cluster.settings({ 'cluster.routing.allocation.exclude._ip': '127.0.0.1' });
    expect(explain(cluster, { index: 'x', shard: 0, primary: true })).toMatchObject({
      can_remain_on_current_node: 'no',
      can_remain_decisions: [{ decider: 'filter', decision: 'NO' }],
      can_move_to_other_node: 'no',
      move_explanation:
        'cannot move shard to another node, even though it is not allowed to remain on its current node',
    });
  });
});
