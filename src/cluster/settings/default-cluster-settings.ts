/**
 * Settings of the cluster that the API documents and that are offered at their default only: what the default says is what this
 * engine does. Another value is refused by name.
 */
import { setting, type SettingDefinition } from './registry.js';
import { booleanKind, enumKind, integerKind, listKind, longKind, timeKind, type SettingKind } from './setting-kinds.js';

function only<T>(
  key: string,
  kind: SettingKind<T>,
  fallback: string | readonly string[] | undefined,
): SettingDefinition<unknown> {
  return setting(key, kind, fallback, 'dynamic', 'fixed');
}

const CLUSTER = [
  only('cluster.auto_shrink_voting_configuration', booleanKind, 'true'),
  only('cluster.max_shards_per_node.frozen', integerKind(1), '3000'),
  only('cluster.persistent_tasks.allocation.enable', enumKind(['all', 'none']), 'all'),
  only('cluster.persistent_tasks.allocation.recheck_interval', timeKind('10s'), '30s'),
  only('cluster.routing.allocation.move.primary_first', booleanKind, 'false'),
  only('cluster.routing.allocation.balance.prefer_primary', booleanKind, 'false'),
  only('cluster.blocks.read_only_allow_delete', booleanKind, 'false'),
  only('cluster.default.index.refresh_interval', timeKind('-1ms'), '1s'),
];

const MAPPING = [only('indices.mapping.dynamic_timeout', timeKind('0ms'), '30s')];

const SEARCH = [
  only('action.search.shard_count.limit', longKind(1), '9223372036854775807'),
  only('search.low_level_cancellation', booleanKind, 'true'),
  only('search.cancel_after_time_interval', timeKind('-1ms'), '-1'),
  only('search.highlight.term_vector_multi_value', booleanKind, 'true'),
  only('search.concurrent_segment_search.enabled', booleanKind, 'false'),
  only('search.concurrent_segment_search.mode', enumKind(['all', 'auto', 'none']), 'none'),
];

const TRACES = ['transport.tracer', 'http.tracer'].flatMap((prefix) => [
  only(`${prefix}.include`, listKind, []),
  only(`${prefix}.exclude`, listKind, []),
]);

const OTHERS = [
  only('http.detailed_errors.enabled', booleanKind, 'true'),
  only('http.client_stats.enabled', booleanKind, 'false'),
  only('ingest.geoip.downloader.enabled', booleanKind, 'false'),
];

export const DEFAULT_CLUSTER_SETTINGS: readonly SettingDefinition<unknown>[] = [
  ...CLUSTER,
  ...MAPPING,
  ...SEARCH,
  ...TRACES,
  ...OTHERS,
];
