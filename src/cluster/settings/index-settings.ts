/** Every setting of an index: what it may be, its default, and when it may change. */
import { illegalArgument } from '../../base/errors.js';
import { checkAllocationFilter } from './allocation-filter.js';
import { DEFAULT_INDEX_SETTINGS } from './default-index-settings.js';
import { checkIndexSortTogether, IndexSortSettings } from './index-sort-settings.js';
import { registryOf, setting, valueOf, type SettingGroup } from './registry.js';
import type { FlatSettings } from './flat-settings.js';
import { SIMILARITY_PREFIX } from './similarity-reader.js';
import { similaritiesOf } from './similarity-settings.js';
import { SLOW_LOG_SETTINGS } from './slow-log-settings.js';
import {
  activeShardsKind,
  autoExpandKind,
  booleanKind,
  bytesKind,
  enumKind,
  floatKind,
  integerKind,
  listKind,
  longKind,
  textKind,
  timeKind,
} from './setting-kinds.js';

const MAX_SHARDS = 1024;

/** Shape, life and visibility of an index. */
const GENERAL = {
  numberOfShards: setting('index.number_of_shards', integerKind(1, MAX_SHARDS), '1', 'final'),
  numberOfReplicas: setting('index.number_of_replicas', integerKind(0), '1', 'dynamic'),
  numberOfRoutingShards: setting('index.number_of_routing_shards', integerKind(1), undefined, 'final'),
  routingPartitionSize: setting('index.routing_partition_size', integerKind(1), '1', 'final'),
  autoExpandReplicas: setting('index.auto_expand_replicas', autoExpandKind, 'false', 'dynamic'),
  waitForActiveShards: setting('index.write.wait_for_active_shards', activeShardsKind, '1', 'dynamic'),
  lifecycleName: setting('index.lifecycle.name', textKind, undefined, 'dynamic'),
  lifecycleRolloverAlias: setting('index.lifecycle.rollover_alias', textKind, undefined, 'dynamic'),
  lifecycleOriginationDate: setting('index.lifecycle.origination_date', longKind(-1), undefined, 'dynamic'),
  lifecycleIndexingComplete: setting('index.lifecycle.indexing_complete', booleanKind, 'false', 'dynamic'),
  hidden: setting('index.hidden', booleanKind, 'false', 'dynamic'),
  priority: setting('index.priority', integerKind(0), '1', 'dynamic'),
  readOnly: setting('index.blocks.read_only', booleanKind, 'false', 'dynamic'),
  readOnlyAllowDelete: setting('index.blocks.read_only_allow_delete', booleanKind, 'false', 'dynamic'),
  requestCache: setting('index.requests.cache.enable', booleanKind, 'true', 'dynamic'),
  blockRead: setting('index.blocks.read', booleanKind, 'false', 'dynamic'),
  blockWrite: setting('index.blocks.write', booleanKind, 'false', 'dynamic'),
  blockMetadata: setting('index.blocks.metadata', booleanKind, 'false', 'dynamic'),
  allocationMaxRetries: setting('index.allocation.max_retries', integerKind(0), '5', 'dynamic'),
  allocationEnable: setting(
    'index.routing.allocation.enable',
    enumKind(['all', 'primaries', 'new_primaries', 'none']),
    'all',
    'dynamic',
  ),
  rebalanceEnable: setting(
    'index.routing.rebalance.enable',
    enumKind(['all', 'primaries', 'replicas', 'none']),
    'all',
    'dynamic',
  ),
  totalShardsPerNode: setting('index.routing.allocation.total_shards_per_node', integerKind(-1), '-1', 'dynamic'),
  delayedNodeLeftTimeout: setting('index.unassigned.node_left.delayed_timeout', timeKind('-1ms'), '1m', 'dynamic'),
  defaultPipeline: setting('index.default_pipeline', textKind, '_none', 'dynamic'),
  finalPipeline: setting('index.final_pipeline', textKind, '_none', 'dynamic'),
  resizeSourceUuid: setting('index.resize.source.uuid', textKind, undefined, 'private'),
  resizeSourceName: setting('index.resize.source.name', textKind, undefined, 'private'),
  uuid: setting('index.uuid', textKind, undefined, 'private'),
  creationDate: setting('index.creation_date', longKind(-1), undefined, 'private'),
  providedName: setting('index.provided_name', textKind, undefined, 'private'),
  versionCreated: setting('index.version.created', integerKind(), undefined, 'private'),
} as const;

/** How a shard stores, syncs, refreshes and merges. */
const ENGINE = {
  refreshInterval: setting('index.refresh_interval', timeKind('-1ms'), '1s', 'dynamic'),
  searchIdleAfter: setting('index.search.idle.after', timeKind('0ms'), '30s', 'dynamic'),
  codec: setting('index.codec', enumKind(['default', 'best_compression']), 'default', 'static'),
  gcDeletes: setting('index.gc_deletes', timeKind('-1ms'), '60s', 'dynamic'),
  retentionLeasePeriod: setting('index.soft_deletes.retention_lease.period', timeKind('0ms'), '12h', 'dynamic'),
  translogDurability: setting('index.translog.durability', enumKind(['REQUEST', 'ASYNC']), 'REQUEST', 'dynamic'),
  translogSyncInterval: setting('index.translog.sync_interval', timeKind('100ms'), '5s', 'dynamic'),
  translogFlushThreshold: setting('index.translog.flush_threshold_size', bytesKind(56), '512mb', 'dynamic'),
  translogGenerationThreshold: setting('index.translog.generation_threshold_size', bytesKind(56), '64mb', 'dynamic'),
  // Bounds that always hold: a shard merges one set of segments at a time.
  mergeMaxThreadCount: setting('index.merge.scheduler.max_thread_count', integerKind(1), '1', 'dynamic'),
  mergeMaxMergeCount: setting('index.merge.scheduler.max_merge_count', integerKind(1), '6', 'dynamic'),
  mergeFloorSegment: setting('index.merge.policy.floor_segment', bytesKind(1), '2mb', 'dynamic'),
  mergeMaxMergedSegment: setting('index.merge.policy.max_merged_segment', bytesKind(1), '5gb', 'dynamic'),
  mergeSegmentsPerTier: setting('index.merge.policy.segments_per_tier', floatKind(2), '10.0', 'dynamic'),
  mergeMaxMergeAtOnce: setting('index.merge.policy.max_merge_at_once', integerKind(2), '10', 'dynamic'),
  mergeDeletesPctAllowed: setting('index.merge.policy.deletes_pct_allowed', floatKind(5, 50), '20.0', 'dynamic'),
  mergeExpungeDeletesAllowed: setting(
    'index.merge.policy.expunge_deletes_allowed',
    floatKind(0, 100),
    '10.0',
    'dynamic',
  ),
} as const;

/** Limits of searches, mappings and analysis. */
const LIMITS = {
  maxResultWindow: setting('index.max_result_window', integerKind(1), '10000', 'dynamic'),
  maxInnerResultWindow: setting('index.max_inner_result_window', integerKind(1), '100', 'dynamic'),
  maxSlicesPerScroll: setting('index.max_slices_per_scroll', integerKind(1), '1024', 'dynamic'),
  maxSlicesPerPit: setting('index.max_slices_per_pit', integerKind(1), '1024', 'dynamic'),
  maxAnalyzedOffset: setting('index.highlight.max_analyzed_offset', integerKind(1), '1000000', 'dynamic'),
  maxRescoreWindow: setting('index.max_rescore_window', integerKind(1), '10000', 'dynamic'),
  maxDocvalueFields: setting('index.max_docvalue_fields_search', integerKind(0), '100', 'dynamic'),
  maxScriptFields: setting('index.max_script_fields', integerKind(0), '32', 'dynamic'),
  maxTermsCount: setting('index.max_terms_count', integerKind(1), '65536', 'dynamic'),
  maxRegexLength: setting('index.max_regex_length', integerKind(1), '1000', 'dynamic'),
  maxNgramDiff: setting('index.max_ngram_diff', integerKind(0), '1', 'dynamic'),
  maxShingleDiff: setting('index.max_shingle_diff', integerKind(0), '3', 'dynamic'),
  maxTokenCount: setting('index.analyze.max_token_count', integerKind(1), '10000', 'dynamic'),
  maxRefreshListeners: setting('index.max_refresh_listeners', integerKind(0), '1000', 'dynamic'),
  defaultField: setting('index.query.default_field', listKind, ['*'], 'dynamic'),
  queryStringLenient: setting('index.query_string.lenient', booleanKind, 'false', 'static'),
  totalFieldsLimit: setting('index.mapping.total_fields.limit', longKind(0), '1000', 'dynamic'),
  nestedFieldsLimit: setting('index.mapping.nested_fields.limit', longKind(0), '50', 'dynamic'),
  nestedObjectsLimit: setting('index.mapping.nested_objects.limit', longKind(0), '10000', 'dynamic'),
  depthLimit: setting('index.mapping.depth.limit', longKind(1), '20', 'dynamic'),
  fieldNameLengthLimit: setting(
    'index.mapping.field_name_length.limit',
    longKind(1),
    String(Number.MAX_SAFE_INTEGER),
    'dynamic',
  ),
  coerce: setting('index.mapping.coerce', booleanKind, 'true', 'static'),
  ignoreMalformed: setting('index.mapping.ignore_malformed', booleanKind, 'false', 'static'),
  unmappedQueriesAsText: setting('index.percolator.map_unmapped_fields_as_text', booleanKind, 'false', 'static'),
} as const;

/** Known by name, offered at their default only: another value would promise what is not done. */
const FIXED = [
  setting('index.lifecycle.prefer_ilm', booleanKind, 'true', 'dynamic', 'fixed'),
  setting('index.lifecycle.parse_origination_date', booleanKind, 'false', 'dynamic', 'fixed'),
  setting('index.flush_after_merge', bytesKind(0), '512mb', 'dynamic', 'fixed'),
  setting('index.merge.scheduler.auto_throttle', booleanKind, 'true', 'dynamic', 'fixed'),
  setting('index.max_adjacency_matrix_filters', integerKind(2), '100', 'dynamic', 'fixed'),
  setting('index.soft_deletes.enabled', booleanKind, 'true', 'final', 'fixed'),
  setting('index.shard.check_on_startup', enumKind(['false', 'true', 'checksum']), 'false', 'static', 'fixed'),
  // Given by mounting alone.
  setting('index.store.type', enumKind(['', 'snapshot']), '', 'private'),
  ...['repository_name', 'repository_uuid', 'snapshot_name', 'snapshot_uuid', 'index_name', 'index_uuid'].map((name) =>
    setting(`index.store.snapshot.${name}`, textKind, undefined, 'private'),
  ),
  setting('index.store.snapshot.partial', booleanKind, 'false', 'private'),
  setting('index.store.preload', listKind, [], 'static', 'fixed'),
  // Nodes that a shrunk index could begin on; said when it was made.
  setting('index.routing.allocation.initial_recovery._id', textKind, undefined, 'private'),
  // Older names of `index.resize.source.*`.
  setting('index.shrink.source.uuid', textKind, undefined, 'private'),
  setting('index.shrink.source.name', textKind, undefined, 'private'),
  setting('index.queries.cache.enabled', booleanKind, 'true', 'static', 'fixed'),
  ...DEFAULT_INDEX_SETTINGS,
] as const;

/** The definitions that other rooms read values by. */
export const IndexSettings = { ...GENERAL, ...ENGINE, ...LIMITS, ...IndexSortSettings } as const;

const GROUPS: readonly SettingGroup[] = [
  // The components are checked where they are built, by the analysis of the native side.
  { prefix: 'index.analysis.', scope: 'static', check: () => undefined },
  // Each is checked as a whole.
  { prefix: SIMILARITY_PREFIX, scope: 'static', check: () => undefined },
  ...['include', 'exclude', 'require'].map((kind): SettingGroup => ({
    prefix: `index.routing.allocation.${kind}.`,
    scope: 'dynamic',
    check: checkAllocationFilter,
  })),
];

export const INDEX_SETTINGS = registryOf([...Object.values(IndexSettings), ...SLOW_LOG_SETTINGS, ...FIXED], GROUPS);

/** Rules that need more than one setting. */
export function checkIndexSettingsTogether(settings: FlatSettings): void {
  checkIndexSortTogether(settings);
  similaritiesOf(settings);
  const shards = valueOf(IndexSettings.numberOfShards, settings) ?? 1;
  const routingShards = valueOf(IndexSettings.numberOfRoutingShards, settings);
  if (routingShards !== undefined) {
    if (routingShards < shards) {
      throw illegalArgument(
        `index.number_of_routing_shards [${routingShards}] must be >= index.number_of_shards [${shards}]`,
      );
    }
    if (routingShards % shards !== 0) {
      throw illegalArgument(`the number of source shards [${shards}] must be a factor of [${routingShards}]`);
    }
  }
  const partitionSize = valueOf(IndexSettings.routingPartitionSize, settings) ?? 1;
  if (partitionSize > 1 && partitionSize >= shards) {
    throw illegalArgument(
      `routing partition size [${partitionSize}] should be a positive number less than the number of routing shards ` +
        `[${routingShards ?? shards}] for [index]`,
    );
  }
}
