/** Statistics of shards in the API's shape: sections of counters that add up over shards. */
import type { JsonObject } from '../../base/json-value.js';
import type { SearchFigures, ShardStats } from '../../native/shard-statistics.js';
import { NO_CONTEXTS, type ContextFigures } from '../searches/contexts/open-searchers.js';
import type { ShardStatistics } from '../operations/shard-maintenance.js';

/** Sections by metric name, each a flat map of counters (times in milliseconds, sizes in bytes). */
export type Statistics = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const METRICS = [
  'docs',
  'store',
  'indexing',
  'get',
  'search',
  'merge',
  'refresh',
  'flush',
  'warmer',
  'query_cache',
  'fielddata',
  'completion',
  'segments',
  'translog',
  'request_cache',
  'recovery',
  'bulk',
  'shard_stats',
] as const;
export type Metric = (typeof METRICS)[number];

/** No metric of its own: printed with those of indexing. */
const DOC_STATUS = 'doc_status';
/** Of what a mean is printed with those of indexing. */
const WRITE_TIMES = 'write_times';
const STATUS_KINDS = ['1', '2', '3', '4', '5'] as const;

/** What a shard that holds nothing reports: every counter that exists, at zero. */
export const NO_SHARD_STATISTICS: ShardStatistics = {
  stats: {
    documents: 0,
    deleted: 0,
    heldDocuments: 0,
    storeBytes: 0,
    remoteBytes: 0,
    segmentCount: 0,
    readerBytes: 0,
    maxSeqNo: -1,
    localCheckpoint: -1,
    globalCheckpoint: -1,
    historyUuid: '',
    primaryTerm: 0,
    commit: { id: '', generation: 0, documents: 0 },
    buffer: { documents: 0, bytes: 0, versionMapBytes: 0 },
    translog: {
      operations: 0,
      bytes: 0,
      uncommittedOperations: 0,
      uncommittedBytes: 0,
      earliestLastModifiedAgeMs: 0,
      historyStart: 0,
      historyBytes: 0,
      tailBytes: 0,
    },
    indexing: { indexTotal: 0, indexTimeMs: 0, indexFailed: 0, deleteTotal: 0, deleteTimeMs: 0, noopUpdateTotal: 0 },
    get: { total: 0, timeMs: 0, existsTotal: 0, existsTimeMs: 0, missingTotal: 0, missingTimeMs: 0 },
    search: {
      queryTotal: 0,
      queryTimeMs: 0,
      fetchTotal: 0,
      fetchTimeMs: 0,
      queryFailed: 0,
      fetchFailed: 0,
      suggestTotal: 0,
      suggestTimeMs: 0,
    },
    searchGroups: {},
    requestCache: { memoryBytes: 0, evictions: 0, hits: 0, misses: 0 },
    completionBytes: {},
    fielddataBytes: {},
    refresh: { total: 0, timeMs: 0 },
    merges: { total: 0, current: 0, timeMs: 0, documents: 0, bytes: 0 },
  },
  segments: [],
  flushes: { total: 0, periodic: 0, timeMs: 0 },
  writes: { requests: 0, timeMs: 0, bytes: 0, meanTimeMs: 0, meanBytes: 0, documentsByStatus: {}, conflicts: 0 },
  contexts: NO_CONTEXTS,
};

const NO_STATISTICS: Statistics = { ...sections(NO_SHARD_STATISTICS), shard_stats: { total_count: 0 } };

/** Sections that are always zero are things that this engine has none of: it keeps no such caches. */
export function sections(of: ShardStatistics): Statistics {
  const { stats, flushes, writes, contexts, openMs = 0 } = of;
  const { requestCache } = stats;
  const dataBytes = stats.storeBytes + stats.remoteBytes;
  return {
    docs: { count: stats.documents, deleted: stats.deleted, total_size_in_bytes: dataBytes },
    store: {
      size_in_bytes: stats.storeBytes,
      total_data_set_size_in_bytes: dataBytes,
      reserved_in_bytes: 0,
    },
    indexing: {
      index_total: stats.indexing.indexTotal,
      index_time_in_millis: stats.indexing.indexTimeMs,
      index_current: 0,
      index_failed: stats.indexing.indexFailed,
      index_failed_due_to_version_conflict: writes.conflicts ?? 0,
      delete_total: stats.indexing.deleteTotal,
      delete_time_in_millis: stats.indexing.deleteTimeMs,
      delete_current: 0,
      noop_update_total: stats.indexing.noopUpdateTotal,
      throttle_time_in_millis: 0,
    },
    get: {
      total: stats.get.total,
      time_in_millis: stats.get.timeMs,
      exists_total: stats.get.existsTotal,
      exists_time_in_millis: stats.get.existsTimeMs,
      missing_total: stats.get.missingTotal,
      missing_time_in_millis: stats.get.missingTimeMs,
      current: 0,
    },
    // The kernels do not see a search that the cache answers.
    search: {
      ...searchSection({ ...stats.search, queryTotal: stats.search.queryTotal + requestCache.hits }, contexts),
      suggest_total: stats.search.suggestTotal,
      suggest_time_in_millis: stats.search.suggestTimeMs,
    },
    merges: {
      current: stats.merges.current,
      current_docs: 0,
      current_size_in_bytes: 0,
      total: stats.merges.total,
      total_time_in_millis: stats.merges.timeMs,
      total_docs: stats.merges.documents,
      total_size_in_bytes: stats.merges.bytes,
      total_stopped_time_in_millis: 0,
      total_throttled_time_in_millis: 0,
      total_auto_throttle_in_bytes: 0,
    },
    refresh: {
      total: stats.refresh.total,
      total_time_in_millis: stats.refresh.timeMs,
      external_total: stats.refresh.total,
      external_total_time_in_millis: stats.refresh.timeMs,
      listeners: 0,
    },
    flush: flushSection(flushes),
    warmer: { current: 0, total: 0, total_time_in_millis: 0 },
    query_cache: {
      memory_size_in_bytes: 0,
      total_count: 0,
      hit_count: 0,
      miss_count: 0,
      cache_size: 0,
      cache_count: 0,
      evictions: 0,
    },
    fielddata: { memory_size_in_bytes: sumOf(stats.fielddataBytes), evictions: 0 },
    completion: { size_in_bytes: sumOf(stats.completionBytes) },
    segments: segmentsSection(stats),
    translog: {
      operations: stats.translog.operations,
      size_in_bytes: stats.translog.bytes,
      uncommitted_operations: stats.translog.uncommittedOperations,
      uncommitted_size_in_bytes: stats.translog.uncommittedBytes,
      earliest_last_modified_age: stats.translog.earliestLastModifiedAgeMs,
    },
    request_cache: {
      memory_size_in_bytes: requestCache.memoryBytes,
      evictions: requestCache.evictions,
      hit_count: requestCache.hits,
      miss_count: requestCache.misses,
    },
    recovery: { current_as_source: 0, current_as_target: 0, throttle_time_in_millis: 0 },
    bulk: {
      total_operations: writes.requests,
      total_time_in_millis: writes.timeMs,
      total_size_in_bytes: writes.bytes,
      avg_time_in_millis: writes.meanTimeMs,
      avg_size_in_bytes: writes.meanBytes,
    },
    shard_stats: { total_count: 1 },
    [DOC_STATUS]: documentsByStatus(writes),
    [WRITE_TIMES]: { busyMs: stats.indexing.indexTimeMs + stats.indexing.deleteTimeMs, openMs },
  };
}

function flushSection({ total, periodic, timeMs }: ShardStatistics['flushes']): Counters {
  return {
    total,
    periodic,
    total_time_in_millis: timeMs,
    // A flush waits for no other one.
    total_time_excluding_waiting_on_lock_in_millis: timeMs,
  };
}

function sumOf(figures: Readonly<Record<string, number>>): number {
  return Object.values(figures).reduce((sum, figure) => sum + figure, 0);
}

function documentsByStatus({ documentsByStatus: counts }: ShardStatistics['writes']): Readonly<Record<string, number>> {
  return Object.fromEntries(STATUS_KINDS.map((kind) => [`${kind}xx`, counts[kind] ?? 0]));
}

/** Of all searches of a shard, or of those of one group. */
export function searchSection(
  search: SearchFigures & Partial<Pick<ShardStats['search'], 'queryFailed' | 'fetchFailed'>>,
  contexts: ContextFigures = NO_CONTEXTS,
): Readonly<Record<string, number>> {
  return {
    open_contexts: contexts.open,
    query_total: search.queryTotal,
    query_time_in_millis: search.queryTimeMs,
    query_current: 0,
    ...(search.queryFailed === undefined ? {} : { query_failure: search.queryFailed }),
    fetch_total: search.fetchTotal,
    fetch_time_in_millis: search.fetchTimeMs,
    fetch_current: 0,
    ...(search.fetchFailed === undefined ? {} : { fetch_failure: search.fetchFailed }),
    scroll_total: contexts.scrollTotal,
    scroll_time_in_millis: contexts.scrollTimeMs,
    scroll_current: contexts.scrollCurrent,
    point_in_time_total: contexts.pitTotal,
    point_in_time_time_in_millis: contexts.pitTimeMs,
    point_in_time_current: contexts.pitCurrent,
    suggest_total: 0,
    suggest_time_in_millis: 0,
    suggest_current: 0,
  };
}

function segmentsSection(stats: ShardStatistics['stats']): Readonly<Record<string, number>> {
  return {
    count: stats.segmentCount,
    memory_in_bytes: 0,
    terms_memory_in_bytes: 0,
    stored_fields_memory_in_bytes: 0,
    term_vectors_memory_in_bytes: 0,
    norms_memory_in_bytes: 0,
    points_memory_in_bytes: 0,
    doc_values_memory_in_bytes: 0,
    index_writer_memory_in_bytes: stats.buffer.bytes,
    version_map_memory_in_bytes: stats.buffer.versionMapBytes,
    fixed_bit_set_memory_in_bytes: 0,
    max_unsafe_auto_id_timestamp: -1,
  };
}

/** Counters that tell the same thing of every shard: the largest holds for all. */
const LARGEST: ReadonlySet<string> = new Set(['max_unsafe_auto_id_timestamp', 'earliest_last_modified_age']);

/** Means of so many operations. */
const MEAN_PREFIX = 'avg_';
const MEAN_WEIGHT = 'total_operations';

type Counters = Readonly<Record<string, number>>;

function weightedMean(left: Counters, right: Counters, name: string): number {
  const weights = [left[MEAN_WEIGHT] ?? 0, right[MEAN_WEIGHT] ?? 0] as const;
  const sum = weights[0] + weights[1];
  return sum === 0 ? 0 : Math.round(((left[name] ?? 0) * weights[0] + (right[name] ?? 0) * weights[1]) / sum);
}

export function addStatistics(parts: readonly Statistics[]): Statistics {
  return parts.length === 0 ? NO_STATISTICS : parts.reduce(addTwo);
}

function addTwo(left: Statistics, right: Statistics): Statistics {
  const entries = Object.entries(left).map(([section, counters]) => {
    const sums = Object.entries(counters).map(([name, value]) => {
      const other = right[section]?.[name] ?? 0;
      if (name.startsWith(MEAN_PREFIX)) return [name, weightedMean(counters, right[section] ?? {}, name)] as const;
      return [name, LARGEST.has(name) ? Math.max(value, other) : value + other] as const;
    });
    return [section, Object.fromEntries(sums)] as const;
  });
  return Object.fromEntries(entries);
}

/** The name of a metric in requests differs from its section in one case. */
export function sectionOf(metric: Metric): string {
  return metric === 'merge' ? 'merges' : metric;
}

/** What is no counter of the section: added when it is printed. */
export function printedExtras(section: string, statistics: Statistics): JsonObject {
  if (section === 'indexing') {
    const answered = Object.entries(statistics[DOC_STATUS] ?? {}).filter(([, count]) => count > 0);
    const { busyMs = 0, openMs = 0 } = statistics[WRITE_TIMES] ?? {};
    // How many processors writes keep busy in one shard, in the mean since it was opened.
    const writeLoad = openMs === 0 ? 0 : busyMs / openMs;
    return { is_throttled: false, write_load: writeLoad, [DOC_STATUS]: Object.fromEntries(answered) };
  }
  // Ordinals of all segments together are made with the field data.
  if (section === 'fielddata') return { global_ordinals: { build_time_in_millis: 0 } };
  if (section === 'segments') return { file_sizes: {} };
  return {};
}
