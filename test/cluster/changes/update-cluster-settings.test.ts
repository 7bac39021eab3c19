import { describe, expect, it } from 'vitest';
import { updateClusterSettings } from '../../../src/cluster/changes/update-cluster-settings.js';
import { effectiveClusterSettings } from '../../../src/cluster/settings/effective-cluster-settings.js';
import { withArchived } from '../../../src/cluster/settings/archived-settings.js';
import { CLUSTER_SETTINGS } from '../../../src/cluster/settings/cluster-settings.js';
import type { JsonObject } from '../../../src/base/json-value.js';
import type { ClusterState } from '../../../src/cluster/state.js';
import { createIndex } from '../../../src/cluster/changes/indices/create-index.js';
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
    expect(() => update(state, { 'logger.a': 'DEBUG' })).toThrow('setting [logger.a] names no logger');
    expect(() => update(state, { 'logger._root': 'loud' })).toThrow('Unknown level constant [loud]');
    expect(() => update(state, { 'cluster.remote.b.seeds': 'x:1' })).toThrow(
      'searches across clusters are not offered',
    );
  });

  it('keeps what it does not understand as archived, without effect, until that is removed', () => {
    const persistent = new Map([
      ['future.setting', 'x'],
      ['search.max_buckets', 'plenty'],
      ['cluster.max_shards_per_node', '7'],
    ]);
    const before = clusterOfOneNode();
    const state = { ...before, clusterSettings: { ...before.clusterSettings, persistent } };
    expect([...effectiveClusterSettings(state)]).toEqual([['cluster.max_shards_per_node', '7']]);
    expect([...withArchived(CLUSTER_SETTINGS, persistent).keys()]).toEqual([
      'archived.future.setting',
      'archived.search.max_buckets',
      'cluster.max_shards_per_node',
    ]);
    const keysAfter = (change: JsonObject): readonly string[] => [
      ...update(state, change).clusterSettings.persistent.keys(),
    ];
    expect(keysAfter({ 'archived.search.max_buckets': null })).toEqual([
      'future.setting',
      'cluster.max_shards_per_node',
    ]);
    expect(keysAfter({ archived: { '*': null } })).toEqual(['cluster.max_shards_per_node']);
    expect(keysAfter({ 'cluster.*': null })).toEqual(['future.setting', 'search.max_buckets']);
    expect(() => update(state, { 'archived.future.setting': 'y' })).toThrow(
      '[archived.future.setting], not recognized',
    );
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
