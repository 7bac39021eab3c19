import { describe, expect, it } from 'vitest';
import type { ChangeEnvironment } from '../../../src/cluster/changes/change.js';
import { deleteIndices } from '../../../src/cluster/changes/indices/delete-indices.js';
import { closeIndices, openIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { NO_CLUSTER_INFO, shardKey } from '../../../src/cluster/disks/cluster-info.js';
import { shardFailed, shardsStarted } from '../../../src/cluster/changes/copies/shard-reports.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { createIndex } from '../../../src/cluster/changes/indices/create-index.js';
import { decodeState, encodeState } from '../../../src/cluster/state-codec.js';
import { indexHealth } from '../../../src/cluster/health.js';
import type { ClusterState, ShardCopy } from '../../../src/cluster/state.js';
import {
  NODE,
  clusterOfOneNode,
  clusterWith,
  environment,
  indexOf,
  initializing,
  startCluster,
  withAllStarted,
} from '../support.js';

const primary = (state: ClusterState): ShardCopy | undefined => state.routing.get('x')?.shards[0]?.[0];
/** The node has told that the files of the shard are there. */
function withStore(state: ClusterState, nowMs?: number): ChangeEnvironment {
  const { uuid, inSyncAllocationIds } = indexOf(state, 'x');
  const allocationId = inSyncAllocationIds[0]?.[0] ?? null;
  const store = { allocationId, totalBytes: 1, matchingBytes: 0, hasAllHistory: false };
  const shardStores = new Map([[shardKey(uuid, 0), new Map([[NODE.id, store]])]]);
  return { ...environment(nowMs), clusterInfo: { ...NO_CLUSTER_INFO, shardStores } };
}

const health = (state: ClusterState): string => indexHealth(state, indexOf(state, 'x')).status;

describe('the life of a shard', () => {
  it('is yellow while a new primary opens, then green without replicas', () => {
    const settings = { number_of_replicas: 0 };
    const created = createIndex(clusterOfOneNode(), { name: 'x', settings }, environment()).state;
    expect([primary(created)?.state, health(created)]).toEqual(['INITIALIZING', 'yellow']);
    const started = withAllStarted(created);
    expect([primary(started)?.state, health(started)]).toEqual(['STARTED', 'green']);
    expect(indexOf(started, 'x').inSyncAllocationIds).toEqual([[primary(started)?.allocationId]]);
  });

  it('is yellow with replicas on a single node', () => {
    expect(health(clusterWith({ name: 'x' }))).toBe('yellow');
  });

  it('is tried again after a failure under the next term, then stays red', () => {
    let state = clusterWith({ name: 'x', settings: { number_of_replicas: 0, 'allocation.max_retries': 2 } });
    const made = withStore(state);
    const fail = (): void => {
      const { allocationId } = primary(state) ?? {};
      const shard = { index: 'x', indexUuid: indexOf(state, 'x').uuid, shard: 0, allocationId: allocationId ?? '' };
      state = shardFailed(state, { shard, reason: 'corrupt_index_exception: broken' }, made).state;
    };
    fail();
    expect(primary(state)).toMatchObject({ state: 'INITIALIZING', unassigned: { failedAllocations: 1 } });
    expect(indexOf(state, 'x').primaryTerms).toEqual([2]);
    fail();
    expect(primary(state)).toMatchObject({
      state: 'UNASSIGNED',
      nodeId: null,
      unassigned: { reason: 'ALLOCATION_FAILED', failedAllocations: 2, details: 'corrupt_index_exception: broken' },
    });
    expect(health(state)).toBe('red');
  });

  it('that failed on its node waits until that has told what is there', () => {
    const state = clusterWith({ name: 'x', settings: { number_of_replicas: 0 } });
    const { allocationId } = primary(state) ?? {};
    const shard = { index: 'x', indexUuid: indexOf(state, 'x').uuid, shard: 0, allocationId: allocationId ?? '' };
    const failed = shardFailed(state, { shard, reason: 'broken' }, environment()).state;
    expect(primary(failed)?.state).toBe('UNASSIGNED');
    expect(primary(rerouteCluster(failed, {}, withStore(state)).state)?.state).toBe('INITIALIZING');
  });

  it('is tried ever more rarely, but always again, when it opens well and fails at its work', () => {
    let state = clusterWith({ name: 'x', settings: { number_of_replicas: 0, 'allocation.max_retries': 4 } });
    const failAt = (nowMs: number): number | undefined => {
      const { allocationId } = primary(state) ?? {};
      const shard = { index: 'x', indexUuid: indexOf(state, 'x').uuid, shard: 0, allocationId: allocationId ?? '' };
      const at = withStore(state, nowMs);
      state = shardFailed(state, { shard, reason: 'i_o_exception: no space left' }, at).state;
      const failures = primary(state)?.unassigned?.failedAllocations;
      const again = { ...shard, allocationId: primary(state)?.allocationId ?? '' };
      state = decodeState(encodeState(shardsStarted(state, { shards: [again] }, at).state));
      expect(primary(state)?.state).toBe('STARTED');
      return failures;
    };
    expect([1_000, 2_000, 3_000, 62_999, 70_000].map(failAt)).toEqual([1, 2, 3, 3, 3]);
    expect([130_000, 130_100].map(failAt)).toEqual([1, 2]);
  });

  it('ignores reports about copies that are assigned no more', () => {
    const state = clusterWith({ name: 'x' });
    const stale = { index: 'x', indexUuid: indexOf(state, 'x').uuid, shard: 0, allocationId: 'long ago' };
    expect(shardsStarted(state, { shards: [stale] }, environment()).state).toBe(state);
    expect(shardFailed(state, { shard: stale, reason: 'late' }, environment()).state).toBe(state);
  });

  it('keeps its place while the index is closed, and is opened again with it', () => {
    const open = clusterWith({ name: 'x', settings: { number_of_replicas: 0 } });
    const indices = [indexOf(open, 'x')];
    const closed = closeIndices(open, { indices }, environment()).state;
    expect([indexOf(closed, 'x').state, primary(closed)?.state, health(closed)]).toEqual(['close', 'STARTED', 'green']);
    const reopened = openIndices(closed, { indices }, environment(0)).state;
    expect(primary(reopened)).toMatchObject({ state: 'INITIALIZING', unassigned: { reason: 'INDEX_REOPENED' } });
    expect(health(withAllStarted(reopened))).toBe('green');
  });

  it('comes back with its node, from the stored state, under the next term', () => {
    const before = clusterWith({ name: 'x' });
    const stored = decodeState(encodeState(before));
    expect(stored).toEqual(before);
    const after = startCluster(stored, { ...NODE, ephemeralId: 'second run' });
    expect(primary(after)).toMatchObject({
      state: 'INITIALIZING',
      allocationId: primary(before)?.allocationId,
      unassigned: { reason: 'CLUSTER_RECOVERED' },
    });
    expect(indexOf(after, 'x').primaryTerms).toEqual([2]);
    expect(health(after)).toBe('red');
    expect(initializing(after)).toHaveLength(1);
  });

  it('goes with its index, unless another one has the name meanwhile', () => {
    const state = clusterWith({ name: 'x' });
    const gone = deleteIndices(state, { indices: [indexOf(state, 'x')] }, environment()).state;
    expect([gone.indices.size, gone.routing.size]).toEqual([0, 0]);
    expect(() => deleteIndices(state, { indices: [{ name: 'x', uuid: 'other' }] }, environment())).toThrow(
      'no such index [x]',
    );
  });
});
