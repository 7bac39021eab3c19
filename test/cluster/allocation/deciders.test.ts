import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json-value.js';
import { AllocationRound } from '../../../src/cluster/allocation/allocation-round.js';
import { NO_CLUSTER_INFO, shardKey } from '../../../src/cluster/disks/cluster-info.js';
import { explainAllocate, explainRemain } from '../../../src/cluster/deciders/all.js';
import { putShutdown } from '../../../src/cluster/changes/nodes/node-shutdowns.js';
import type { ShardCopy } from '../../../src/cluster/state.js';
import { indexOf } from '../support.js';
import { TestCluster } from './cluster.js';

const ALLOCATION = 'cluster.routing.allocation';

/** What is said against (`NO`, `THROTTLE`) having the copy on the node. */
function objections(cluster: TestCluster, copy: ShardCopy | undefined, node: string, remains = false): string[] {
  if (copy === undefined) throw new Error('no such copy');
  const round = new AllocationRound(cluster.state, cluster.environment, { explains: true });
  const load = round.node(node);
  if (load === undefined) throw new Error(`no node ${node}`);
  const question = round.question(indexOf(cluster.state, 'x'), copy);
  return (remains ? explainRemain : explainAllocate)(question, load)
    .filter(({ verdict }) => verdict !== 'YES')
    .map(({ decider, verdict, explanation }) => `${decider} ${verdict}: ${explanation}`);
}

const replica = (cluster: TestCluster): ShardCopy | undefined => cluster.copies('x').find((copy) => !copy.primary);

/** Nodes a to d; the primary of `x` is started on a node, its replica is unassigned because allocation stopped then. */
function withPrimary(options: ConstructorParameters<typeof TestCluster>[1] = {}): TestCluster {
  const cluster = new TestCluster('a', options);
  cluster.create('x');
  cluster.settle();
  cluster.settings({ [`${ALLOCATION}.enable`]: 'primaries' });
  for (const name of 'bcd') cluster.join(name, options);
  return cluster;
}

describe('rules of the cluster', () => {
  it('enable: names the setting of the cluster, or of the index, which wins', () => {
    const cluster = withPrimary();
    expect(objections(cluster, replica(cluster), 'b')).toEqual([
      `enable NO: replica allocations are forbidden due to cluster setting [${ALLOCATION}.enable=primaries]`,
    ]);
    cluster.settings({ [`${ALLOCATION}.enable`]: 'none' });
    cluster.indexSettings('x', { 'routing.allocation.enable': 'new_primaries' });
    expect(objections(cluster, replica(cluster), 'b')).toEqual([
      'enable NO: non-new primary allocations are forbidden due to index setting ' +
        '[index.routing.allocation.enable=new_primaries]',
    ]);
    cluster.indexSettings('x', { 'routing.allocation.enable': 'all' });
    expect(cluster.places('x')).toBe('a:P:STARTED b:R:INITIALIZING');
  });

  it('same_shard: keeps copies on nodes of their own, and on hosts of their own when asked', () => {
    const cluster = withPrimary();
    expect(objections(cluster, replica(cluster), 'a')[1]).toMatch(
      /^same_shard NO: a copy of this shard is already allocated to this node \[\[x\]\[0\], node\[a\], \[P\], s\[STARTED\], a\[id=/,
    );
    cluster.settings({ [`${ALLOCATION}.same_shard.host`]: true });
    expect(objections(cluster, replica(cluster), 'b').join()).toContain(
      'cannot allocate to node [b] because a copy of this shard is already allocated to node [a] with the same host ' +
        'address [127.0.0.1] and [cluster.routing.allocation.same_shard.host] is [true]',
    );
  });

  it.each<[JsonObject, string]>([
    [
      { [`${ALLOCATION}.exclude._name`]: 'b,c' },
      `filter NO: node matches cluster setting [${ALLOCATION}.exclude] filters [_name:"b OR c"]`,
    ],
    [
      { [`${ALLOCATION}.require.rack`]: 'r1' },
      `filter NO: node does not match cluster setting [${ALLOCATION}.require] filters [rack:"r1"]`,
    ],
    [
      { [`${ALLOCATION}.include._ip`]: '10.*' },
      `filter NO: node does not match cluster setting [${ALLOCATION}.include] filters [_ip:"10.*"]`,
    ],
    [{ [`${ALLOCATION}.total_shards_per_node`]: 1, [`${ALLOCATION}.exclude._name`]: 'z' }, ''],
    [
      { [`${ALLOCATION}.awareness.attributes`]: 'zone' },
      'awareness NO: node does not contain the awareness attribute [zone]; required attributes cluster setting ' +
        `[${ALLOCATION}.awareness.attributes=zone]`,
    ],
    [
      { [`${ALLOCATION}.node_concurrent_recoveries`]: 0 },
      'throttling THROTTLE: reached the limit of incoming shard recoveries [0], cluster setting ' +
        `[${ALLOCATION}.node_concurrent_incoming_recoveries=0] (can also be set via [${ALLOCATION}.node_concurrent_recoveries])`,
    ],
  ])('with %j', (settings, expected) => {
    const cluster = withPrimary();
    cluster.settings(settings);
    expect(objections(cluster, replica(cluster), 'b').slice(1).join()).toBe(expected);
  });

  it('shards_limit: counts the shards of the node and of the index', () => {
    const cluster = withPrimary();
    cluster.settings({ [`${ALLOCATION}.total_shards_per_node`]: 1 });
    cluster.indexSettings('x', { 'routing.allocation.total_shards_per_node': 1, number_of_replicas: 1 });
    expect(objections(cluster, replica(cluster), 'a').join()).toContain(
      `shards_limit NO: too many shards [1] allocated to this node, cluster setting [${ALLOCATION}.total_shards_per_node=1]`,
    );
    cluster.settings({ [`${ALLOCATION}.total_shards_per_node`]: null });
    expect(objections(cluster, replica(cluster), 'a').join()).toContain(
      'too many shards [1] allocated to this node for index [x], index setting ' +
        '[index.routing.allocation.total_shards_per_node=1]',
    );
  });
});

describe('rules of nodes', () => {
  it('data_tier: the first tier that there is, and what is missing where there is none', () => {
    const cluster = new TestCluster();
    cluster.join('hot', { roles: ['master', 'data_hot'] });
    cluster.join('warm', { roles: ['data_warm'] });
    cluster.create('x', { 'routing.allocation.include._tier_preference': 'data_cold,data_warm,data_hot' });
    expect(cluster.places('x')).toBe('warm:P:INITIALIZING -:R:UNASSIGNED');
    expect(objections(cluster, replica(cluster), 'hot').join()).toContain(
      'data_tier NO: index has a preference for tiers [data_cold,data_warm,data_hot] and node does not meet the required ' +
        '[data_warm] tier',
    );
    cluster.indexSettings('x', { 'routing.allocation.include._tier_preference': 'data_cold' });
    expect(objections(cluster, replica(cluster), 'hot').join()).toContain(
      'index has a preference for tiers [data_cold], but no nodes for any of those tiers are available in the cluster',
    );
  });

  it('node_version: nothing goes to an older node', () => {
    const cluster = withPrimary({ version: '1.2.0' });
    cluster.join('old', { version: '1.1.9' });
    cluster.join('new', { version: '1.10.0' });
    expect(objections(cluster, replica(cluster), 'old')[1]).toBe(
      'node_version NO: cannot allocate replica shard to a node with version [1.1.9] since this is older than the primary ' +
        'version [1.2.0]',
    );
    expect(objections(cluster, replica(cluster), 'new')).toHaveLength(1);
  });

  it('node_shutdown: empties a node that is to be removed, and leaves one that restarts alone', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    const { nodeId } = cluster.copies('x')[0] ?? {};
    cluster.run(putShutdown, { nodeId: nodeId ?? '', type: 'restart' as const, reason: 'r' });
    expect(cluster.places('x')).toBe(`${nodeId}:P:STARTED`);
    cluster.run(putShutdown, { nodeId: nodeId ?? '', type: 'remove' as const, reason: 'r' });
    expect(objections(cluster, cluster.copies('x')[0], nodeId ?? '', true)).toEqual([
      `node_shutdown NO: node [${nodeId}] is preparing to be removed from the cluster`,
    ]);
    cluster.settle();
    expect(cluster.copies('x')[0]?.nodeId).not.toBe(nodeId);
  });

  it('awareness: spreads copies over zones, and leaves room for a forced one', () => {
    const cluster = new TestCluster();
    for (const id of ['a1', 'a2', 'b1']) cluster.join(id, { attributes: { zone: id.slice(0, 1) } });
    cluster.settings({ [`${ALLOCATION}.awareness.attributes`]: 'zone' });
    cluster.create('x');
    cluster.settle();
    const zones = (): string[] => cluster.copies('x').map(({ nodeId }) => nodeId?.slice(0, 1) ?? '-');
    expect(zones().sort()).toEqual(['a', 'b']);
    cluster.settings({ [`${ALLOCATION}.awareness.force.zone.values`]: 'a,b' });
    cluster.leave('b1');
    cluster.nowMs += 120_000;
    cluster.settings({ [`${ALLOCATION}.balance.threshold`]: 1.1 });
    cluster.settle();
    expect(zones()).toEqual(['a', '-']);
    expect(
      objections(cluster, replica(cluster), 'a2')
        .concat(objections(cluster, replica(cluster), 'a1'))
        .join(),
    ).toContain(
      'awareness NO: there are [2] copies of this shard and [2] values for attribute [zone] ([a] from nodes in the ' +
        'cluster and [a, b] from forced awareness) so there may be at most [1] copies of this shard allocated to nodes with ' +
        'each value, but (including this copy) there would be [2] copies allocated to nodes with [node.attr.zone: a]',
    );
  });
});

describe('disk_threshold', () => {
  const GIGABYTE = 2 ** 30;
  const info = (cluster: TestCluster, free: Record<string, number>, shard = 1): void => {
    const disks = Object.entries(free).map(
      ([id, share]) => [id, { path: '/data', totalBytes: 100 * GIGABYTE, freeBytes: share * GIGABYTE }] as const,
    );
    const key = shardKey(indexOf(cluster.state, 'x').uuid, 0);
    cluster.info = { ...NO_CLUSTER_INFO, disks: new Map(disks), shardBytes: new Map([[key, shard * GIGABYTE]]) };
  };

  it('names the watermark, what is free and what is used', () => {
    const cluster = withPrimary();
    info(cluster, { a: 50, b: 12, c: 16, d: 50 }, 7);
    expect(objections(cluster, replica(cluster), 'b')[1]).toBe(
      `disk_threshold NO: the node is above the low watermark cluster setting [${ALLOCATION}.disk.watermark.low=85%], having ` +
        'less than the minimum required [15gb] free space, actual free: [12gb, 12.0%], actual used: [88.0%]',
    );
    expect(objections(cluster, replica(cluster), 'c')[1]).toBe(
      'disk_threshold NO: allocating the shard to this node will bring the node above the high watermark cluster setting ' +
        `[${ALLOCATION}.disk.watermark.high=90%] and cause it to have less than the minimum required [10gb] of free space ` +
        '(free: [16gb], used: [84.0%], estimated shard size: [7gb])',
    );
    expect(objections(cluster, replica(cluster), 'd')).toHaveLength(1);
    info(cluster, { a: 8, b: 50, c: 50, d: 50 });
    expect(objections(cluster, cluster.copies('x')[0], 'a', true)).toEqual([
      'disk_threshold NO: the shard cannot remain on this node because it is above the high watermark cluster setting ' +
        `[${ALLOCATION}.disk.watermark.high=90%] and there is less than the required [10gb] free space on node, actual free: ` +
        '[8gb], actual used: [92.0%]',
    ]);
  });

  it('lets a new primary be above the low watermark, and takes sizes for watermarks as well', () => {
    const cluster = new TestCluster('a');
    cluster.info = {
      ...NO_CLUSTER_INFO,
      disks: new Map([['a', { path: '/', totalBytes: 100 * GIGABYTE, freeBytes: 12 * GIGABYTE }]]),
    };
    cluster.create('x');
    expect(cluster.places('x')).toBe('a:P:INITIALIZING -:R:UNASSIGNED');
    cluster.settings({
      [`${ALLOCATION}.disk.watermark`]: { low: '30gb', high: '20gb', flood_stage: '1gb' },
    });
    cluster.create('y');
    expect(cluster.places('y')).toBe('-:P:UNASSIGNED -:R:UNASSIGNED');
    expect(() => {
      cluster.settings({ [`${ALLOCATION}.disk.watermark.low`]: '10gb' });
    }).toThrow('low disk watermark [10gb] less than high disk watermark [20gb]');
    expect(() => {
      cluster.settings({ [`${ALLOCATION}.disk.watermark.low`]: '80%' });
    }).toThrow('unable to consistently parse');
  });
});
