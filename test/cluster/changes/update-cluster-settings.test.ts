import { describe, expect, it } from 'vitest';
import { updateClusterSettings } from '../../../src/cluster/changes/update-cluster-settings.js';
import type { JsonObject } from '../../../src/base/json-value.js';
import type { ClusterState } from '../../../src/cluster/state.js';
import { createIndex } from '../../../src/cluster/changes/create-index.js';
import { clusterOfOneNode, environment } from '../support.js';

function update(state: ClusterState, persistent: JsonObject, transient: JsonObject = {}): ClusterState {
  return updateClusterSettings(state, { persistent, transient }, environment()).state;
}

describe('updates of cluster settings', () => {
  it('sets and resets, also by pattern', () => {
    const state = update(clusterOfOneNode(), { cluster: { max_shards_per_node: 7 } }, { 'search.max_buckets': 5 });
    expect([...state.clusterSettings.persistent]).toEqual([['cluster.max_shards_per_node', '7']]);
    expect([...state.clusterSettings.transient]).toEqual([['search.max_buckets', '5']]);
    const reset = update(state, { 'cluster.*': null }, { 'search.max_buckets': null });
    expect([reset.clusterSettings.persistent.size, reset.clusterSettings.transient.size]).toEqual([0, 0]);
    expect(update(state, { 'cluster.max_shards_per_node': 7 })).toBe(state);
  });

  it('refuses unknown keys and wrong values by name', () => {
    const state = clusterOfOneNode();
    expect(() => update(state, { nonsense: 1 })).toThrow('persistent setting [nonsense], not recognized');
    expect(() => update(state, {}, { nonsense: null })).toThrow('transient setting [nonsense], not recognized');
    expect(() => update(state, { 'cluster.max_shards_per_node': 0 })).toThrow('must be >= 1');
    expect(() => update(state, { 'logger.a': 'DEBUG' })).toThrow('setting [logger.a] cannot be changed');
  });

  it('allocates what a setting held back', () => {
    const key = 'cluster.routing.allocation.enable';
    const stopped = update(clusterOfOneNode(), { [key]: 'none' });
    const created = createIndex(stopped, { name: 'x' }, environment()).state;
    const copyState = (state: ClusterState): string | undefined => state.routing.get('x')?.shards[0]?.[0]?.state;
    expect(copyState(created)).toBe('UNASSIGNED');
    expect(copyState(update(created, { [key]: null }))).toBe('INITIALIZING');
  });
});
