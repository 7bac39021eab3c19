import { describe, expect, it } from 'vitest';
import { NO_CLUSTER_INFO, shardKey, type ShardStore } from '../../../src/cluster/disks/cluster-info.js';
import { clusterHealth } from '../../../src/cluster/health.js';
import { nextRerouteAtMs } from '../../../src/cluster/copies/delayed-allocation.js';
import { masterElected, nodesChanged } from '../../../src/cluster/changes/nodes/membership.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { shardFailed, type ShardReport } from '../../../src/cluster/changes/copies/shard-reports.js';
import type { ShardCopy } from '../../../src/cluster/state.js';
import { indexOf } from '../support.js';
import { TestCluster } from '../allocation/cluster.js';

const status = (cluster: TestCluster): string =>
  clusterHealth({ ...cluster.state, masterNodeId: 'a' }, [...cluster.state.indices.values()]).status;

/** `x` with its primary on a and its replica on b. */
function started(nodes = 'ab', settings = {}): TestCluster {
  const cluster = new TestCluster(nodes);
  cluster.create('x', settings);
  cluster.settle();
  return cluster;
}

const store = (allocationId: string): ShardStore => ({
  allocationId,
  totalBytes: 10,
  matchingBytes: 5,
  hasAllHistory: false,
});

describe('a node that leaves', () => {
  it('gives the office of its primaries to in-sync replicas, under the next term, at once', () => {
    const cluster = started();
    const [primary, replica] = cluster.copies('x');
    expect([cluster.places('x'), cluster.term('x'), status(cluster)]).toEqual(['a:P:STARTED b:R:STARTED', 1, 'green']);
    cluster.leave('a');
    expect([cluster.places('x'), cluster.term('x'), status(cluster)]).toEqual([
      'b:P:STARTED -:R:UNASSIGNED',
      2,
      'yellow',
    ]);
    // Nothing was acknowledged without the copy that left.
    expect(cluster.inSync('x')).toEqual([primary?.allocationId, replica?.allocationId]);
    expect(cluster.copies('x')[1]?.unassigned).toMatchObject({
      reason: 'NODE_LEFT',
      delayed: true,
      lastNodeId: 'a',
      lastAllocationId: primary?.allocationId,
      details: 'node_left [a]: disconnected',
    });
    expect(cluster.state.masterNodeId).toBe('');
    cluster.run(masterElected, { nodeId: 'b', term: 2 });
    expect([cluster.state.masterNodeId, cluster.state.term]).toEqual(['b', 2]);
    cluster.run(masterElected, { nodeId: 'a', term: 1 });
    expect(cluster.state.masterNodeId).toBe('b');
  });

  it('turns an index without replicas red, without a yellow stage, until it returns', () => {
    const cluster = started('ab', { number_of_replicas: 0 });
    const [primary] = cluster.copies('x');
    cluster.leave(primary?.nodeId ?? '');
    expect([status(cluster), cluster.inSync('x')]).toEqual(['red', [primary?.allocationId]]);
    expect(cluster.copies('x')[0]?.unassigned?.lastAllocationStatus).toBe('no_valid_shard_copy');
    cluster.join(primary?.nodeId ?? '');
    expect(cluster.copies('x')[0]).toMatchObject({ state: 'INITIALIZING', allocationId: primary?.allocationId });
    cluster.settle();
    expect([status(cluster), cluster.term('x')]).toEqual(['green', 2]);
  });

  it('is waited for before its replicas are made anew elsewhere', () => {
    const cluster = started('abc');
    const [primary, replica] = cluster.copies('x');
    const lost = replica?.nodeId ?? '';
    cluster.leave(lost);
    expect(cluster.places('x')).toBe(`${primary?.nodeId}:P:STARTED -:R:UNASSIGNED`);
    expect(nextRerouteAtMs(cluster.state)).toBe(cluster.nowMs + 60_000);
    cluster.nowMs += 59_999;
    cluster.run(rerouteCluster, {});
    expect(cluster.copies('x')[1]?.state).toBe('UNASSIGNED');
    cluster.nowMs += 1;
    cluster.run(rerouteCluster, {});
    expect(cluster.copies('x')[1]).toMatchObject({ state: 'INITIALIZING' });
    expect(nextRerouteAtMs(cluster.state)).toBeUndefined();
  });

  it('gets its replicas back when it returns in time', () => {
    const cluster = started('abc');
    const lost = cluster.copies('x')[1]?.nodeId ?? '';
    cluster.leave(lost);
    cluster.join(lost);
    expect(cluster.copies('x')[1]).toMatchObject({ state: 'INITIALIZING', nodeId: lost });
  });

  it('is not waited for where the delay is 0', () => {
    const cluster = started('abc', { 'unassigned.node_left.delayed_timeout': '0' });
    cluster.leave(cluster.copies('x')[1]?.nodeId ?? '');
    expect(cluster.copies('x')[1]?.state).toBe('INITIALIZING');
  });
});

describe('a node that restarts', () => {
  it('loses its offices to in-sync replicas elsewhere and its copies recover', () => {
    const cluster = started();
    cluster.join('a');
    expect(cluster.places('x')).toBe('b:P:STARTED a:R:INITIALIZING');
    cluster.settle();
    expect([status(cluster), cluster.inSync('x').length]).toEqual(['green', 2]);
  });

  it('together with all others keeps every in-sync copy', () => {
    const cluster = started();
    const inSync = cluster.inSync('x');
    cluster.run(nodesChanged, { joined: ['b'].map((id) => cluster.record(id)), left: ['a'] });
    expect(cluster.inSync('x')).toEqual(inSync);
    // The replica of b has everything: it can be primary as soon as b says what it holds.
    cluster.info = {
      ...NO_CLUSTER_INFO,
      shardStores: new Map([[shardKey(indexOf(cluster.state, 'x').uuid, 0), new Map([['b', store(inSync[1] ?? '')]])]]),
    };
    cluster.run(rerouteCluster, {});
    expect(cluster.copies('x')[0]).toMatchObject({ nodeId: 'b', state: 'INITIALIZING', allocationId: inSync[1] });
    cluster.settle();
    expect(status(cluster)).toBe('yellow');
  });

  it('is described anew, and nothing else, when it is the same run', () => {
    const cluster = started();
    const before = cluster.state;
    const node = before.nodes.get('a');
    cluster.run(nodesChanged, { joined: node === undefined ? [] : [{ ...node }] });
    expect(cluster.state).toBe(before);
    cluster.run(nodesChanged, { joined: node === undefined ? [] : [{ ...node, httpAddress: '1.2.3.4:1' }] });
    expect(cluster.state.nodes.get('a')?.httpAddress).toBe('1.2.3.4:1');
    expect(cluster.places('x')).toBe('a:P:STARTED b:R:STARTED');
  });
});

describe('a primary whose data must be found', () => {
  it('comes back only from an in-sync copy', () => {
    const cluster = started('abc', { number_of_replicas: 0 });
    const [primary] = cluster.copies('x');
    const key = shardKey(indexOf(cluster.state, 'x').uuid, 0);
    cluster.leave(primary?.nodeId ?? '');
    const [other = ''] = cluster.state.nodes.keys();
    const answers = new Map<string, ShardStore | null>([[other, store('somebody else')]]);
    cluster.info = { ...NO_CLUSTER_INFO, shardStores: new Map([[key, answers]]) };
    cluster.run(rerouteCluster, {});
    expect(cluster.copies('x')[0]?.unassigned?.lastAllocationStatus).toBe('fetching_shard_data');
    for (const id of cluster.state.nodes.keys()) if (id !== other) answers.set(id, null);
    cluster.run(rerouteCluster, {});
    expect(cluster.copies('x')[0]?.unassigned?.lastAllocationStatus).toBe('no_valid_shard_copy');
    // Its files were given to a copy that never was in sync.
    answers.set(other, { ...store('successor'), formerAllocationId: primary?.allocationId ?? '' });
    cluster.run(rerouteCluster, {});
    expect(cluster.copies('x')[0]).toMatchObject({ nodeId: other, allocationId: primary?.allocationId });
  });
});

describe('a report of a copy', () => {
  it('is refused when it comes from a primary of an earlier term', () => {
    const cluster = started();
    const [, replica] = cluster.copies('x');
    if (replica === undefined) throw new Error('no replica');
    cluster.leave('a');
    const shard = { ...cluster.report('x', replica), primaryTerm: 1 };
    expect(() => cluster.run(shardFailed, { shard, reason: 'late' })).toThrow(
      expect.objectContaining({
        type: 'no_longer_primary_shard_exception',
        message: 'primary term [1] did not match current primary term [2]',
      }) as Error,
    );
    cluster.run(shardFailed, { shard: { ...shard, primaryTerm: 2 }, reason: 'x' });
    expect(cluster.copies('x')[0]?.unassigned?.reason).toBe('ALLOCATION_FAILED');
  });

  it('takes a failed replica out of its place, and a failed primary out of office', () => {
    const cluster = started('abc');
    const [primary, replica] = cluster.copies('x');
    if (primary === undefined || replica === undefined) throw new Error('no copies');
    cluster.fail('x', replica);
    expect(cluster.inSync('x')).toEqual([primary.allocationId, replica.allocationId]);
    expect(cluster.copies('x')[1]?.nodeId).not.toBe(replica.nodeId);
    cluster.settle();
    // The copy that started in its place is as good, and the set holds no more than the index asks for.
    expect(cluster.inSync('x')).toEqual([primary.allocationId, cluster.copies('x')[1]?.allocationId]);
    const successor = cluster.copies('x')[1];
    if (successor === undefined) throw new Error('no replica');
    cluster.fail('x', primary);
    expect([cluster.term('x'), cluster.copies('x')[0]?.primary, cluster.copies('x')[0]?.state]).toEqual([
      2,
      true,
      'STARTED',
    ]);
    expect(cluster.inSync('x')).toEqual([primary.allocationId, successor.allocationId]);
    cluster.settle();
    expect(cluster.inSync('x')).not.toContain(primary.allocationId);
  });

  it('takes the copy out of sync when it comes from the primary, with and without a place', () => {
    const cluster = started('abc', { number_of_replicas: 2 });
    const [primary, failing, leaving] = cluster.copies('x');
    if (primary === undefined || failing === undefined || leaving === undefined) throw new Error('no copies');
    const ofPrimary = (copy: ShardCopy): ShardReport => ({ ...cluster.report('x', copy), primaryTerm: 1 });
    cluster.run(shardFailed, { shard: ofPrimary(failing), reason: 'out of reach' });
    expect(cluster.inSync('x')).toEqual([primary.allocationId, leaving.allocationId]);
    cluster.leave(leaving.nodeId ?? '');
    expect(cluster.inSync('x')).toEqual([primary.allocationId, leaving.allocationId]);
    const { version } = cluster.state;
    cluster.run(shardFailed, { shard: ofPrimary(leaving), reason: 'a write' });
    expect([cluster.inSync('x'), cluster.state.version]).toEqual([[primary.allocationId], version + 1]);
    cluster.run(shardFailed, { shard: ofPrimary(leaving), reason: 'a write' });
    expect(cluster.state.version).toBe(version + 1);
    // The last one is what the data is known by.
    cluster.fail('x', primary);
    expect(cluster.inSync('x')).toEqual([primary.allocationId]);
  });
});

describe('a copy that is not wanted any more', () => {
  it('is out of sync; one whose node is away is not, when replicas become fewer', () => {
    const cluster = started('abc', { number_of_replicas: 2 });
    const [primary, first, second] = cluster.copies('x');
    cluster.leave(second?.nodeId ?? '');
    cluster.indexSettings('x', { number_of_replicas: 1 });
    expect(cluster.inSync('x')).toEqual([primary, first, second].map((copy) => copy?.allocationId));
    cluster.indexSettings('x', { number_of_replicas: 0 });
    expect(cluster.inSync('x')).toEqual([primary, second].map((copy) => copy?.allocationId));
  });

  it('is out of sync when somebody cancels it, unless nobody else can be primary', () => {
    const cluster = started('ab');
    const [primary, replica] = cluster.copies('x');
    const cancel = (copy: ShardCopy | undefined): void => {
      const node = copy?.nodeId ?? '';
      cluster.run(rerouteCluster, {
        commands: [{ kind: 'cancel' as const, index: 'x', shard: 0, node, allowPrimary: true }],
      });
    };
    cancel(replica);
    expect(cluster.inSync('x')).toEqual([primary?.allocationId]);
    cancel(primary);
    expect(cluster.inSync('x')).toEqual([primary?.allocationId]);
  });
});

describe('a move', () => {
  it('of a primary makes the target primary under the next term', () => {
    const cluster = started('ab', { number_of_replicas: 0 });
    const from = cluster.copies('x')[0]?.nodeId ?? '';
    const to = from === 'a' ? 'b' : 'a';
    const move = { kind: 'move' as const, index: 'x', shard: 0, fromNode: from, toNode: to };
    cluster.run(rerouteCluster, { commands: [move] });
    expect(cluster.places('x')).toBe(`${from}:P:RELOCATING ${to}:P:INITIALIZING`);
    expect(cluster.copies('x').map(({ relocatingNodeId }) => relocatingNodeId)).toEqual([to, from]);
    expect(status(cluster)).toBe('green');
    cluster.settle();
    expect([cluster.places('x'), cluster.term('x'), cluster.inSync('x').length]).toEqual([`${to}:P:STARTED`, 2, 1]);
  });

  it('puts the target in sync in place of its source, and nobody else out of it', () => {
    const cluster = started('abc', { number_of_replicas: 2 });
    const [primary, replica, away] = cluster.copies('x');
    cluster.leave(away?.nodeId ?? '');
    cluster.join('d');
    cluster.run(rerouteCluster, {
      commands: [{ kind: 'move' as const, index: 'x', shard: 0, fromNode: replica?.nodeId ?? '', toNode: 'd' }],
    });
    cluster.settle();
    const moved = cluster.copies('x').find(({ nodeId }) => nodeId === 'd');
    expect(cluster.inSync('x')).toEqual([primary, away, moved].map((copy) => copy?.allocationId));
  });

  it('ends where it began when the target fails', () => {
    const cluster = started('ab', { number_of_replicas: 0 });
    const from = cluster.copies('x')[0]?.nodeId ?? '';
    const move = { kind: 'move' as const, index: 'x', shard: 0, fromNode: from, toNode: from === 'a' ? 'b' : 'a' };
    cluster.run(rerouteCluster, { commands: [move] });
    const target = cluster.copies('x')[1];
    if (target === undefined) throw new Error('no target');
    cluster.fail('x', target);
    expect(cluster.places('x')).toBe(`${from}:P:STARTED`);
    expect(cluster.copies('x')[0]?.failedRelocations).toBe(1);
  });
});

describe('a node that joins', () => {
  it('has shards tried again that were given up', () => {
    const cluster = new TestCluster('a');
    cluster.create('x', { number_of_replicas: 0, 'allocation.max_retries': 1 });
    const [primary] = cluster.copies('x');
    if (primary === undefined) throw new Error('no primary');
    cluster.fail('x', primary);
    expect(cluster.places('x')).toBe('-:P:UNASSIGNED');
    cluster.join('b');
    expect(cluster.places('x')).toMatch(/^[ab]:P:INITIALIZING$/);
  });
});
