import { describe, expect, it } from 'vitest';
import { deleteShutdown, putShutdown } from '../../../src/cluster/changes/nodes/node-shutdowns.js';
import { nodesChanged } from '../../../src/cluster/changes/nodes/membership.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { delayOf, nextRerouteAtMs } from '../../../src/cluster/copies/delayed-allocation.js';
import { shardMigration } from '../../../src/cluster/nodes/shutdown-status.js';
import type { ClusterState, NodeShutdown } from '../../../src/cluster/state.js';
import { must } from '../../../src/base/assert.js';
import { TestCluster } from '../allocation/cluster.js';
import { clusterWith, environment, indexOf, NODE, NOW_MS } from '../support.js';

const STATE = clusterWith({ name: 'a', settings: { number_of_replicas: 0 } });
const REMOVE = { nodeId: NODE.id, type: 'remove', reason: 'too old' } as const;

function put(state: ClusterState, input: Parameters<typeof putShutdown>[1], nowMs = NOW_MS): ClusterState {
  return putShutdown(state, input, environment(nowMs)).state;
}

function shutdownOf(state: ClusterState): NodeShutdown {
  const shutdown = state.shutdowns.get(NODE.id);
  if (shutdown === undefined) throw new Error('no shutdown');
  return shutdown;
}

describe('a shutdown', () => {
  it('is kept with its time, and changed by the next', () => {
    const state = put(STATE, REMOVE);
    expect(shutdownOf(state)).toEqual({ ...REMOVE, startedAtMs: NOW_MS });
    expect(put(state, REMOVE, NOW_MS + 5)).toBe(state);
    const again = put(state, { ...REMOVE, reason: 'other' }, NOW_MS + 5);
    expect(shutdownOf(again)).toMatchObject({ reason: 'other', startedAtMs: NOW_MS });
    const restart = put(again, { ...REMOVE, type: 'restart', allocationDelayMs: 1_000 }, NOW_MS + 5);
    expect(shutdownOf(restart)).toMatchObject({ type: 'restart', allocationDelayMs: 1_000, startedAtMs: NOW_MS + 5 });
  });

  it('may be of a node that is not there', () => {
    const state = put(STATE, { ...REMOVE, nodeId: 'unknown' });
    expect(state.shutdowns.has('unknown')).toBe(true);
  });

  it('is forgotten on demand', () => {
    const state = deleteShutdown(put(STATE, REMOVE), { nodeId: NODE.id }, environment()).state;
    expect(state.shutdowns.size).toBe(0);
    expect(() => deleteShutdown(state, { nodeId: NODE.id }, environment())).toThrow(
      `node [${NODE.id}] is not currently shutting down`,
    );
  });
});

describe('a shutdown of type sigterm', () => {
  const SIGTERM = { ...REMOVE, type: 'sigterm', gracePeriodMs: 1_000 } as const;
  const without = (state: ClusterState): ClusterState => nodesChanged(state, { left: [NODE.id] }, environment()).state;

  it('knows the run of the node that shall end, and is forgotten when the next one comes', () => {
    const state = put(STATE, SIGTERM);
    expect(shutdownOf(state)).toEqual({ ...SIGTERM, ephemeralId: NODE.ephemeralId, startedAtMs: NOW_MS });
    const same = nodesChanged(state, { joined: [{ ...NODE, version: '9.9.9' }] }, environment()).state;
    expect(same.shutdowns.size).toBe(1);
    const next = nodesChanged(state, { joined: [{ ...NODE, ephemeralId: 'second run' }] }, environment()).state;
    expect(next.shutdowns.size).toBe(0);
  });

  it('is forgotten a tenth of its grace period after that is over, when the node is gone', () => {
    const state = without(put(STATE, SIGTERM));
    expect(nextRerouteAtMs(state)).toBe(NOW_MS + 1_100);
    expect(rerouteCluster(state, {}, environment(NOW_MS + 1_099)).state.shutdowns.size).toBe(1);
    expect(rerouteCluster(state, {}, environment(NOW_MS + 1_100)).state.shutdowns.size).toBe(0);
  });

  it('stays while the node overruns its grace period', () => {
    const state = put(STATE, SIGTERM);
    expect(nextRerouteAtMs(state)).toBeUndefined();
    expect(rerouteCluster(state, {}, environment(NOW_MS + 60_000)).state.shutdowns.size).toBe(1);
    const left = nodesChanged(state, { left: [NODE.id] }, environment(NOW_MS + 60_000)).state;
    expect(left.shutdowns.size).toBe(0);
  });
});

describe('copies of a node that restarts', () => {
  it.each([
    [undefined, '1m', 300_000],
    [1_000, '1m', 60_000],
    [120_000, '1m', 120_000],
    [undefined, '10m', 600_000],
  ])('wait for it: with %j said of the node and %s of the index, %j ms', (allocationDelayMs, ofIndex, expected) => {
    const indexed = clusterWith({ name: 'a', settings: { 'index.unassigned.node_left.delayed_timeout': ofIndex } });
    const said = allocationDelayMs === undefined ? {} : { allocationDelayMs };
    const state = put(indexed, { ...REMOVE, type: 'restart', ...said });
    const info = { reason: 'NODE_RESTARTING', lastNodeId: NODE.id } as const;
    expect(delayOf(state, indexOf(state, 'a'), info)).toBe(expected);
  });
});

describe('its status', () => {
  it('of a restart is complete: shards stay', () => {
    const state = put(STATE, { ...REMOVE, type: 'restart' });
    expect(shardMigration(state, shutdownOf(state))).toMatchObject({ status: 'COMPLETE', remaining: 0 });
  });

  it('of an absent node has not started', () => {
    const shutdown = { ...REMOVE, nodeId: 'unknown', startedAtMs: 1 };
    expect(shardMigration(STATE, shutdown)).toMatchObject({ status: 'NOT_STARTED' });
  });

  it('is stalled while shards have nowhere to go, and names one', () => {
    const state = put(STATE, REMOVE);
    expect(shardMigration(state, shutdownOf(state))).toEqual({
      status: 'STALLED',
      remaining: 1,
      explanation:
        'shard [0] [primary] of index [a] cannot move, use the Cluster Allocation Explain API on this shard for details',
    });
  });

  it('is complete when all that cannot move has copies on nodes that stay', () => {
    const cluster = new TestCluster('ab');
    cluster.create('x');
    cluster.settle();
    const [leaving, staying] = cluster.copies('x').map(({ nodeId }) => nodeId ?? '');
    cluster.run(putShutdown, { ...REMOVE, nodeId: leaving ?? '' });
    const first = must(cluster.state.shutdowns.get(leaving ?? ''), 'shutdown');
    expect(shardMigration(cluster.state, first)).toEqual({
      status: 'COMPLETE',
      remaining: 0,
      explanation:
        '[1] shards cannot be moved away from this node but have at least one copy on another node in the cluster',
    });
    cluster.run(putShutdown, { ...REMOVE, nodeId: staying ?? '' });
    expect(shardMigration(cluster.state, first)).toMatchObject({ status: 'STALLED', remaining: 1 });
  });

  it('is complete when nothing is left on the node', () => {
    const empty = put({ ...STATE, routing: new Map() }, REMOVE);
    expect(shardMigration(empty, shutdownOf(empty))).toEqual({ status: 'COMPLETE', remaining: 0 });
  });
});
