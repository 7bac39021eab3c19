import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json-value.js';
import { closeIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { updateIndexSettings } from '../../../src/cluster/changes/indices/update-index-settings.js';
import { withArchived } from '../../../src/cluster/settings/archived-settings.js';
import { INDEX_SETTINGS } from '../../../src/cluster/settings/index-settings.js';
import { numberSetting } from '../../../src/cluster/settings/index-values.js';
import type { ClusterState } from '../../../src/cluster/state.js';
import { clusterWith, environment, indexOf } from '../support.js';

function update(state: ClusterState, settings: JsonObject, preserveExisting = false): ClusterState {
  const input = { indices: [indexOf(state, 'x')], settings, preserveExisting };
  return updateIndexSettings(state, input, environment()).state;
}

const OPEN = clusterWith({ name: 'x', settings: { refresh_interval: '5s' } });
const CLOSED = closeIndices(OPEN, { indices: [indexOf(OPEN, 'x')] }, environment()).state;
const UUID = indexOf(OPEN, 'x').uuid;

const settingOf = (state: ClusterState, key: string): unknown => indexOf(state, 'x').settings.get(key);

describe('updates of index settings', () => {
  it('sets, keeps and removes dynamic settings', () => {
    expect(settingOf(update(OPEN, { index: { refresh_interval: '9s' } }), 'index.refresh_interval')).toBe('9s');
    expect(settingOf(update(OPEN, { refresh_interval: '9s' }, true), 'index.refresh_interval')).toBe('5s');
    expect(settingOf(update(OPEN, { refresh_interval: null }), 'index.refresh_interval')).toBeUndefined();
    expect(settingOf(update(OPEN, { 'index.refresh*': null }), 'index.refresh_interval')).toBeUndefined();
  });

  it('changes nothing and writes no version when values are the same', () => {
    expect(update(OPEN, { refresh_interval: '5s' })).toBe(OPEN);
    expect(indexOf(update(OPEN, { refresh_interval: '6s' }), 'x').settingsVersion).toBe(2);
  });

  it('adds and removes replicas, and never lacks their number', () => {
    const more = update(OPEN, { number_of_replicas: 2 });
    expect(more.routing.get('x')?.shards[0]?.map(({ unassigned }) => unassigned?.reason)).toEqual([
      undefined,
      'INDEX_CREATED',
      'REPLICA_ADDED',
    ]);
    const none = update(OPEN, { number_of_replicas: 0 });
    expect(none.routing.get('x')?.shards[0]).toHaveLength(1);
    expect(settingOf(update(none, { number_of_replicas: null }), 'index.number_of_replicas')).toBe('1');
  });

  it('keeps what it does not understand as archived, without effect, until that is removed', () => {
    const index = indexOf(OPEN, 'x');
    const stored = [...index.settings, ['index.future.setting', 'x'], ['index.refresh_interval', 'soon']] as const;
    const state = { ...OPEN, indices: new Map([['x', { ...index, settings: new Map(stored) }]]) };
    expect(numberSetting(indexOf(state, 'x'), 'refreshInterval')).toBe(1_000);
    const shown = withArchived(INDEX_SETTINGS, indexOf(state, 'x').settings);
    expect([shown.get('archived.index.future.setting'), shown.get('archived.index.refresh_interval')]).toEqual([
      'x',
      'soon',
    ]);
    expect(indexOf(update(state, { priority: 2 }), 'x').settings.get('index.future.setting')).toBe('x');
    const one = update(state, { 'archived.index.future.setting': null });
    expect(settingOf(one, 'index.future.setting')).toBeUndefined();
    expect(settingOf(one, 'index.refresh_interval')).toBe('soon');
    const none = update(state, { 'archived.*': null });
    expect(settingOf(none, 'index.refresh_interval')).toBeUndefined();
    expect(settingOf(none, 'index.uuid')).toBe(UUID);
    expect(() => update(state, { 'archived.index.future.setting': 'y' })).toThrow('unknown setting [archived.');
  });

  it('changes static settings of closed indices only', () => {
    const key = 'index.codec';
    expect(settingOf(update(CLOSED, { [key]: 'best_compression' }), key)).toBe('best_compression');
    expect(() => update(OPEN, { [key]: 'best_compression' })).toThrow(
      `Can't update non dynamic settings [[index.codec]] for open indices [[x/${UUID}]]`,
    );
  });

  it.each<[string, ClusterState, JsonObject, string]>([
    [
      'a final setting of an open index',
      OPEN,
      { number_of_shards: 2 },
      `Can't update non dynamic settings [[index.number_of_shards]] for open indices [[x/${UUID}]]`,
    ],
    [
      'a final setting of a closed index',
      CLOSED,
      { number_of_shards: 2 },
      'final x setting [index.number_of_shards], not updateable',
    ],
    ['an unknown setting', OPEN, { nonsense: 1 }, 'unknown setting [index.nonsense] please check'],
    ['a wrong value', OPEN, { number_of_replicas: 'a' }, 'Failed to parse value [a] for setting'],
    ['a pattern with a value', OPEN, { 'refresh*': '1s' }, 'x setting [index.refresh*], not recognized'],
  ])('refuses %s', (_name, state, settings, message) => {
    expect(() => update(state, settings)).toThrow(message);
  });

  it('can always take a block away', () => {
    const blocked = update(OPEN, { 'blocks.read_only': true });
    expect(() => update(blocked, { refresh_interval: '1s' })).toThrow(
      'index [x] blocked by: [FORBIDDEN/5/index read-only (api)];',
    );
    expect(settingOf(update(blocked, { 'blocks.read_only': null }), 'index.blocks.read_only')).toBeUndefined();
  });
});
