/**
 * Settings of indices that the API documents and that are offered at their default only: what the default says is what this
 * engine does. Another value is refused by name. A few are deprecated and without an effect in the references too.
 */
import { setting, type SettingDefinition, type SettingScope } from './registry.js';
import {
  booleanKind,
  bytesKind,
  enumKind,
  floatKind,
  integerKind,
  longKind,
  textKind,
  timeKind,
  type SettingKind,
} from './setting-kinds.js';

function only<T>(
  key: string,
  kind: SettingKind<T>,
  fallback: string | readonly string[] | undefined,
  scope: SettingScope = 'dynamic',
): SettingDefinition<unknown> {
  return setting(key, kind, fallback, scope, 'fixed');
}

const LAYOUT = [
  only('index.mode', enumKind(['standard', 'time_series', 'logsdb', 'lookup']), 'standard', 'final'),
  only('index.format', integerKind(0), '0', 'final'),
  only('index.data_path', textKind, '', 'final'),
  only('index.append_only.enabled', booleanKind, 'false', 'final'),
  only('index.knn', booleanKind, 'false', 'final'),
  only('index.replication.type', enumKind(['DOCUMENT', 'SEGMENT']), 'DOCUMENT', 'final'),
  only('index.mapping.source.mode', enumKind(['stored', 'synthetic', 'disabled']), 'stored', 'final'),
  only('index.mapping.dimension_fields.limit', longKind(0), '32768'),
  only('index.mapping.total_fields.ignore_dynamic_beyond_limit', booleanKind, 'false'),
  only('index.fielddata.cache', enumKind(['node', 'none']), 'node', 'static'),
  only('index.load_fixed_bitset_filters_eagerly', booleanKind, 'true', 'static'),
  only('index.allocation.existing_shards_allocator', textKind, 'gateway_allocator', 'static'),
  only('index.routing.allocation.total_primary_shards_per_node', integerKind(-1), '-1'),
];

/** They said how much of the translog to keep for copies that come back, before operations were kept by number. */
const TRANSLOG_RETENTION = [
  setting('index.translog.retention.age', timeKind('-1ms'), '-1', 'dynamic', 'ignored'),
  setting('index.translog.retention.size', bytesKind(), '-1', 'dynamic', 'ignored'),
];

const STORAGE = [
  only('index.codec.compression_level', integerKind(1, 6), '3', 'static'),
  only('index.compound_format', textKind, '1gb'),
  only('index.store.fs.fs_lock', enumKind(['native', 'simple']), 'native', 'static'),
  only('index.store.stats_refresh_interval', timeKind('0ms'), '10s', 'static'),
  only('index.soft_deletes.retention.operations', longKind(0), '0'),
  only('index.merge.policy.max_merge_at_once_explicit', integerKind(2), '30'),
  only('index.merge.policy.merge_factor', integerKind(2), '32'),
  only('index.merge.policy.reclaim_deletes_weight', floatKind(0), '2.0'),
  only('index.optimize_auto_generated_id', booleanKind, 'true'),
  only('index.warmer.enabled', booleanKind, 'true'),
];

const SEARCH = [
  only('index.search.throttled', booleanKind, 'false'),
  only('index.search.default_pipeline', textKind, '_none'),
  only('index.search.concurrent_segment_search.enabled', booleanKind, 'false'),
  only('index.search.concurrent_segment_search.mode', enumKind(['all', 'auto', 'none']), 'none'),
  only('index.search.concurrent.max_slice_count', integerKind(0), '0'),
  only('index.query.parse.allow_unmapped_fields', booleanKind, 'true', 'static'),
  only('index.query.max_nested_depth', integerKind(1), '20'),
  only('index.top_metrics_max_size', integerKind(1), '10'),
];

export const DEFAULT_INDEX_SETTINGS: readonly SettingDefinition<unknown>[] = [
  ...LAYOUT,
  ...TRANSLOG_RETENTION,
  ...STORAGE,
  ...SEARCH,
];
