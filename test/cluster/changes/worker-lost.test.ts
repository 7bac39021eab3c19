import { describe, expect, it } from 'vitest';
import { closeIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { shardsOfWorker, workerLost, type WorkerLostInput } from '../../../src/cluster/changes/nodes/worker-lost.js';
import { clusterHealth } from '../../../src/cluster/health.js';
import { TestCluster } from '../allocation/cluster.js';
import { indexOf } from '../support.js';

function lostOn(cluster: TestCluster, nodeId: string, workerSlot: number): WorkerLostInput {
  return { nodeId, workerSlot, shards: shardsOfWorker(cluster.state, nodeId, workerSlot) };
}

function status(cluster: TestCluster): string {
  return clusterHealth(cluster.state, [...cluster.state.indices.values()]).status;
}

/** One index of two shards, one in each worker of the node. */
function clusterOfOne(): TestCluster {
  const cluster = new TestCluster('a', { workerSlots: 2 });
  cluster.create('x', { number_of_shards: 2, number_of_replicas: 0 });
  cluster.settle();
  return cluster;
}

describe('a worker that crashed', () => {
  it('leaves its shards red until they are open again, under the next term, and those of others alone', () => {
    const cluster = clusterOfOne();
    const [lost, other] = [0, 1].map((shard) => cluster.copies('x', shard)[0]);
    cluster.run(workerLost, lostOn(cluster, 'a', lost?.workerSlot ?? -1));
    expect(cluster.copies('x', 0)[0]).toMatchObject({
      state: 'INITIALIZING',
      nodeId: 'a',
      allocationId: lost?.allocationId,
      unassigned: {
        reason: 'ALLOCATION_FAILED',
        failedAllocations: 0,
        details: `worker [${lost?.workerSlot}] of node [a] crashed`,
      },
    });
    expect([cluster.term('x', 0), cluster.term('x', 1), status(cluster)]).toEqual([2, 1, 'red']);
    expect(cluster.copies('x', 1)[0]).toBe(other);
    cluster.settle();
    expect([status(cluster), cluster.inSync('x')]).toEqual(['green', [lost?.allocationId]]);
  });

  it('hands its primaries to replicas on other nodes, and gets replicas of them', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 1 });
    cluster.settle();
    const [primary, replica] = cluster.copies('x');
    const nodeId = primary?.nodeId ?? '';
    cluster.run(workerLost, lostOn(cluster, nodeId, primary?.workerSlot ?? -1));
    expect(cluster.places('x')).toBe(`${replica?.nodeId}:P:STARTED ${nodeId}:R:INITIALIZING`);
    expect([status(cluster), cluster.term('x'), cluster.inSync('x')]).toEqual([
      'yellow',
      2,
      [primary?.allocationId, replica?.allocationId],
    ]);
    cluster.settle();
    expect([status(cluster), cluster.inSync('x')]).toEqual([
      'green',
      cluster.copies('x').map(({ allocationId }) => allocationId),
    ]);
  });

  it('is reported again, or late, without an effect on what was opened since', () => {
    const cluster = clusterOfOne();
    const lost = lostOn(cluster, 'a', 0);
    cluster.run(workerLost, lost);
    const after = cluster.state;
    cluster.run(workerLost, lost);
    expect(cluster.state).toBe(after);
    cluster.settle();
    const started = cluster.state;
    cluster.run(workerLost, lost);
    expect(cluster.state).toBe(started);
  });

  it('is blamed on what it was opening, which is given up when that happens again and again', () => {
    const cluster = new TestCluster('a', { workerSlots: 1 });
    cluster.create('x', { number_of_replicas: 0, 'allocation.max_retries': 3 });
    cluster.settle();
    const crash = (): readonly unknown[] => {
      cluster.run(workerLost, lostOn(cluster, 'a', 0));
      const [copy] = cluster.copies('x');
      return [copy?.state, copy?.unassigned?.failedAllocations];
    };
    expect([crash(), crash(), crash(), crash()]).toEqual([
      ['INITIALIZING', 0],
      ['INITIALIZING', 1],
      ['INITIALIZING', 2],
      ['UNASSIGNED', 3],
    ]);
  });

  it('had nothing open of closed indices', () => {
    const cluster = clusterOfOne();
    const open = [0, 1].map((slot) => lostOn(cluster, 'a', slot));
    cluster.run(closeIndices, { indices: [indexOf(cluster.state, 'x')] });
    const closed = cluster.state;
    for (const lost of open) cluster.run(workerLost, lost);
    expect([cluster.state, lostOn(cluster, 'a', 0).shards]).toEqual([closed, []]);
  });
});
