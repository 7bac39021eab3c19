import { describe, expect, it } from 'vitest';
import { CLUSTER_SETTINGS, ClusterSettingDefinitions } from '../../../src/cluster/settings/cluster-settings.js';
import { DEFAULT_CLUSTER_SETTINGS } from '../../../src/cluster/settings/default-cluster-settings.js';
import { DEFAULT_INDEX_SETTINGS } from '../../../src/cluster/settings/default-index-settings.js';
import { INDEX_SETTINGS, IndexSettings } from '../../../src/cluster/settings/index-settings.js';
import { checkSetting, defaultsBeside, type SettingRegistry } from '../../../src/cluster/settings/registry.js';

const REGISTRIES: readonly (readonly [string, SettingRegistry])[] = [
  ['index', INDEX_SETTINGS],
  ['cluster', CLUSTER_SETTINGS],
];

describe.each(REGISTRIES)('%s settings', (_name, registry) => {
  it('have defaults that they accept themselves', () => {
    for (const [key, value] of defaultsBeside(registry, new Map())) {
      expect(() => {
        checkSetting(registry, key, value);
      }, key).not.toThrow();
    }
  });
});

describe('settings that are offered at their default only', () => {
  it.each([
    [INDEX_SETTINGS, 'index.mode', 'time_series'],
    [INDEX_SETTINGS, 'index.replication.type', 'SEGMENT'],
    [INDEX_SETTINGS, 'index.soft_deletes.enabled', 'false'],
    [CLUSTER_SETTINGS, 'search.low_level_cancellation', 'false'],
  ])('refuses others by name: %#', (registry, key, value) => {
    expect(() => {
      checkSetting(registry, key, value);
    }).toThrow(`setting [${key}] cannot be changed from its default`);
  });

  it('are no full ones', () => {
    const full = [...Object.values(IndexSettings), ...Object.values(ClusterSettingDefinitions)].map(({ key }) => key);
    const fixed = [...DEFAULT_INDEX_SETTINGS, ...DEFAULT_CLUSTER_SETTINGS].map(({ key }) => key);
    expect(fixed.filter((key) => full.includes(key))).toEqual([]);
    expect(new Set(fixed).size).toBe(fixed.length);
  });
});

describe('values of index settings', () => {
  it.each([
    ['index.number_of_shards', '0', 'Failed to parse value [0] for setting [index.number_of_shards] must be >= 1'],
    [
      'index.number_of_shards',
      '1025',
      'Failed to parse value [1025] for setting [index.number_of_shards] must be <= 1024',
    ],
    ['index.number_of_shards', 'many', 'Failed to parse value [many] for setting [index.number_of_shards]'],
    [
      'index.number_of_replicas',
      '-1',
      'Failed to parse value [-1] for setting [index.number_of_replicas] must be >= 0',
    ],
    ['index.hidden', 'yes', 'Failed to parse value [yes] as only [true] or [false] are allowed.'],
    [
      'index.refresh_interval',
      '10',
      'failed to parse setting [index.refresh_interval] with value [10] as a time value: unit is missing or unrecognized',
    ],
    [
      'index.translog.sync_interval',
      '1ms',
      'failed to parse value [1ms] for setting [index.translog.sync_interval], must be >= [100ms]',
    ],
    [
      'index.flush_after_merge',
      '1gb',
      'setting [index.flush_after_merge] cannot be changed from its default [512mb] yet',
    ],
    [
      'index.translog.flush_threshold_size',
      '99999999999gb',
      'failed to parse setting [index.translog.flush_threshold_size] with value [99999999999gb] as a size in bytes: ' +
        'values greater than 9223372036854775807 bytes are not supported',
    ],
    [
      'index.mapping.total_fields.limit',
      '99999999999999999999',
      'Failed to parse value [99999999999999999999] for setting [index.mapping.total_fields.limit]',
    ],
    ['index.sort.order', 'asc,down', 'Illegal sort order:down'],
    ['index.sort.mode', ['max', 'median'], 'Illegal index sort mode:[MEDIAN], must be one of [MAX, MIN]'],
    ['index.sort.mode', 'middle', 'Illegal sort mode: middle'],
    ['index.sort.missing', 'default', 'Illegal missing value:[default], must be one of [_last, _first]'],
    [
      'index.refresh_intervall',
      '1s',
      'unknown setting [index.refresh_intervall] did you mean [index.refresh_interval]?',
    ],
    [
      'index.foo',
      '1',
      'unknown setting [index.foo] please check that any required plugins are installed, or check the breaking changes ' +
        'documentation for removed settings',
    ],
  ])('%s = %s is refused', (key, value, message) => {
    expect(() => {
      checkSetting(INDEX_SETTINGS, key, value);
    }).toThrow(expect.objectContaining({ type: 'illegal_argument_exception', message }) as Error);
  });

  it.each([
    ['index.refresh_interval', '-1'],
    ['index.translog.durability', 'async'],
    ['index.auto_expand_replicas', '0-all'],
    ['index.analysis.analyzer.mine.type', 'custom'],
    ['index.routing.allocation.include._name', 'a,b'],
    ['index.query.default_field', ['title', 'body']],
  ])('%s = %s is accepted', (key, value) => {
    expect(() => {
      checkSetting(INDEX_SETTINGS, key, value);
    }).not.toThrow();
  });
});
