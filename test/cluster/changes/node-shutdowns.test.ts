import { describe, expect, it } from 'vitest';
import { deleteShutdown, putShutdown } from '../../../src/cluster/changes/node-shutdowns.js';
import { shardMigration } from '../../../src/cluster/shutdown-status.js';
import type { ClusterState, NodeShutdown } from '../../../src/cluster/state.js';
import { clusterWith, environment, NODE, NOW_MS } from '../support.js';

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

  it('is complete when nothing is left on the node', () => {
    const empty = put({ ...STATE, routing: new Map() }, REMOVE);
    expect(shardMigration(empty, shutdownOf(empty))).toEqual({ status: 'COMPLETE', remaining: 0 });
  });
});
