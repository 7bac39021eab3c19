/** Columns that print one counter of the statistics of a shard or an index. */
import type { Statistics } from '../../actions/indices/statistics.js';
import { column, type CellValue, type Column } from './table.js';

type Unit = 'count' | 'bytes' | 'millis';

interface StatisticColumn {
  readonly name: string;
  readonly aliases: string;
  readonly unit: Unit;
  /** `section.counter` of the statistics; empty for what this engine has nothing of, printed as zero. */
  readonly path: string;
  readonly description: string;
}

/** One row per column: name, aliases, unit, path, description. */
const TABLE: readonly (readonly [string, string, Unit, string, string])[] = [
  ['completion.size', 'cs,completionSize', 'bytes', 'completion.size_in_bytes', 'memory of completion fields'],
  ['fielddata.memory_size', 'fm,fielddataMemory', 'bytes', 'fielddata.memory_size_in_bytes', 'memory of field data'],
  ['fielddata.evictions', 'fe,fielddataEvictions', 'count', 'fielddata.evictions', 'field data dropped for space'],
  [
    'query_cache.memory_size',
    'qcm,queryCacheMemory',
    'bytes',
    'query_cache.memory_size_in_bytes',
    'memory of cached filters',
  ],
  [
    'query_cache.evictions',
    'qce,queryCacheEvictions',
    'count',
    'query_cache.evictions',
    'cached filters dropped for space',
  ],
  ['query_cache.hit_count', 'qchc,queryCacheHitCount', 'count', 'query_cache.hit_count', 'filters found in the cache'],
  [
    'query_cache.miss_count',
    'qcmc,queryCacheMissCount',
    'count',
    'query_cache.miss_count',
    'filters not found in the cache',
  ],
  [
    'request_cache.memory_size',
    'rcm,requestCacheMemory',
    'bytes',
    'request_cache.memory_size_in_bytes',
    'memory of cached answers',
  ],
  [
    'request_cache.evictions',
    'rce,requestCacheEvictions',
    'count',
    'request_cache.evictions',
    'cached answers dropped for space',
  ],
  [
    'request_cache.hit_count',
    'rchc,requestCacheHitCount',
    'count',
    'request_cache.hit_count',
    'answers taken from the cache',
  ],
  [
    'request_cache.miss_count',
    'rcmc,requestCacheMissCount',
    'count',
    'request_cache.miss_count',
    'answers not found in the cache',
  ],
  ['flush.total', 'ft,flushTotal', 'count', 'flush.total', 'flushes so far'],
  ['flush.total_time', 'ftt,flushTotalTime', 'millis', 'flush.total_time_in_millis', 'time of all flushes'],
  ['get.current', 'gc,getCurrent', 'count', 'get.current', 'gets that run now'],
  ['get.time', 'gti,getTime', 'millis', 'get.time_in_millis', 'time of all gets'],
  ['get.total', 'gto,getTotal', 'count', 'get.total', 'gets so far'],
  [
    'get.exists_time',
    'geti,getExistsTime',
    'millis',
    'get.exists_time_in_millis',
    'time of gets that found a document',
  ],
  ['get.exists_total', 'geto,getExistsTotal', 'count', 'get.exists_total', 'gets that found a document'],
  ['get.missing_time', 'gmti,getMissingTime', 'millis', 'get.missing_time_in_millis', 'time of gets that found none'],
  ['get.missing_total', 'gmto,getMissingTotal', 'count', 'get.missing_total', 'gets that found none'],
  [
    'indexing.delete_current',
    'idc,indexingDeleteCurrent',
    'count',
    'indexing.delete_current',
    'deletions that run now',
  ],
  [
    'indexing.delete_time',
    'idti,indexingDeleteTime',
    'millis',
    'indexing.delete_time_in_millis',
    'time of all deletions',
  ],
  ['indexing.delete_total', 'idto,indexingDeleteTotal', 'count', 'indexing.delete_total', 'deletions so far'],
  [
    'indexing.index_current',
    'iic,indexingIndexCurrent',
    'count',
    'indexing.index_current',
    'documents being indexed now',
  ],
  ['indexing.index_time', 'iiti,indexingIndexTime', 'millis', 'indexing.index_time_in_millis', 'time of all indexing'],
  ['indexing.index_total', 'iito,indexingIndexTotal', 'count', 'indexing.index_total', 'documents indexed so far'],
  [
    'indexing.index_failed',
    'iif,indexingIndexFailed',
    'count',
    'indexing.index_failed',
    'documents that could not be indexed',
  ],
  ['merges.current', 'mc,mergesCurrent', 'count', 'merges.current', 'merges that run now'],
  ['merges.current_docs', 'mcd,mergesCurrentDocs', 'count', 'merges.current_docs', 'documents being merged now'],
  [
    'merges.current_size',
    'mcs,mergesCurrentSize',
    'bytes',
    'merges.current_size_in_bytes',
    'size of what is being merged now',
  ],
  ['merges.total', 'mt,mergesTotal', 'count', 'merges.total', 'merges so far'],
  ['merges.total_docs', 'mtd,mergesTotalDocs', 'count', 'merges.total_docs', 'documents merged so far'],
  ['merges.total_size', 'mts,mergesTotalSize', 'bytes', 'merges.total_size_in_bytes', 'size of what was merged so far'],
  ['merges.total_time', 'mtt,mergesTotalTime', 'millis', 'merges.total_time_in_millis', 'time of all merges'],
  ['refresh.total', 'rto,refreshTotal', 'count', 'refresh.total', 'refreshes so far'],
  ['refresh.time', 'rti,refreshTime', 'millis', 'refresh.total_time_in_millis', 'time of all refreshes'],
  ['refresh.external_total', 'rto,refreshTotal', 'count', 'refresh.external_total', 'refreshes that searches see'],
  [
    'refresh.external_time',
    'rti,refreshTime',
    'millis',
    'refresh.external_total_time_in_millis',
    'time of refreshes that searches see',
  ],
  ['refresh.listeners', 'rli,refreshListeners', 'count', 'refresh.listeners', 'requests that wait for a refresh'],
  ['script.compilations', 'scrcc,scriptCompilations', 'count', '', 'scripts compiled so far'],
  ['script.cache_evictions', 'scrce,scriptCacheEvictions', 'count', '', 'compiled scripts dropped for space'],
  [
    'script.compilation_limit_triggered',
    'scrclt,scriptCacheCompilationLimitTriggered',
    'count',
    '',
    'scripts refused for too many compilations',
  ],
  ['search.fetch_current', 'sfc,searchFetchCurrent', 'count', 'search.fetch_current', 'fetch phases that run now'],
  ['search.fetch_time', 'sfti,searchFetchTime', 'millis', 'search.fetch_time_in_millis', 'time of all fetch phases'],
  ['search.fetch_total', 'sfto,searchFetchTotal', 'count', 'search.fetch_total', 'fetch phases so far'],
  [
    'search.open_contexts',
    'so,searchOpenContexts',
    'count',
    'search.open_contexts',
    'searches that keep a context open',
  ],
  ['search.query_current', 'sqc,searchQueryCurrent', 'count', 'search.query_current', 'query phases that run now'],
  ['search.query_time', 'sqti,searchQueryTime', 'millis', 'search.query_time_in_millis', 'time of all query phases'],
  ['search.query_total', 'sqto,searchQueryTotal', 'count', 'search.query_total', 'query phases so far'],
  [
    'search.concurrent_query_current',
    'scqc,searchConcurrentQueryCurrent',
    'count',
    '',
    'query phases over segments in parallel that run now',
  ],
  [
    'search.concurrent_query_time',
    'scqti,searchConcurrentQueryTime',
    'millis',
    '',
    'time of query phases over segments in parallel',
  ],
  [
    'search.concurrent_query_total',
    'scqto,searchConcurrentQueryTotal',
    'count',
    '',
    'query phases over segments in parallel',
  ],
  [
    'search.concurrent_avg_slice_count',
    'casc,searchConcurrentAvgSliceCount',
    'count',
    '',
    'mean number of parts of such a query phase',
  ],
  ['search.scroll_current', 'scc,searchScrollCurrent', 'count', 'search.scroll_current', 'scrolls that are open'],
  [
    'search.scroll_time',
    'scti,searchScrollTime',
    'millis',
    'search.scroll_time_in_millis',
    'time that scrolls were open',
  ],
  ['search.scroll_total', 'scto,searchScrollTotal', 'count', 'search.scroll_total', 'scrolls that were closed'],
  [
    'search.point_in_time_current',
    'spc,searchPointInTimeCurrent',
    'count',
    'search.point_in_time_current',
    'points in time that are open',
  ],
  [
    'search.point_in_time_time',
    'spti,searchPointInTimeTime',
    'millis',
    'search.point_in_time_time_in_millis',
    'time that points in time were open',
  ],
  [
    'search.point_in_time_total',
    'spto,searchPointInTimeTotal',
    'count',
    'search.point_in_time_total',
    'points in time that were closed',
  ],
  [
    'search.search_idle_reactivate_count_total',
    'ssirct,searchSearchIdleReactivateCountTotal',
    'count',
    '',
    'times that a search woke an idle shard',
  ],
  ['segments.count', 'sc,segmentsCount', 'count', 'segments.count', 'segments'],
  ['segments.memory', 'sm,segmentsMemory', 'bytes', 'segments.memory_in_bytes', 'memory of segments'],
  [
    'segments.index_writer_memory',
    'siwm,segmentsIndexWriterMemory',
    'bytes',
    'segments.index_writer_memory_in_bytes',
    'memory of the indexing buffer',
  ],
  [
    'segments.version_map_memory',
    'svmm,segmentsVersionMapMemory',
    'bytes',
    'segments.version_map_memory_in_bytes',
    'memory of the version map',
  ],
  [
    'segments.fixed_bitset_memory',
    'sfbm,fixedBitsetMemory',
    'bytes',
    'segments.fixed_bit_set_memory_in_bytes',
    'memory of bit sets',
  ],
  ['warmer.current', 'wc,warmerCurrent', 'count', 'warmer.current', 'warmers that run now'],
  ['warmer.total', 'wto,warmerTotal', 'count', 'warmer.total', 'warmers so far'],
  ['warmer.total_time', 'wtt,warmerTotalTime', 'millis', 'warmer.total_time_in_millis', 'time of all warmers'],
  ['suggest.current', 'suc,suggestCurrent', 'count', 'search.suggest_current', 'suggestions that run now'],
  ['suggest.time', 'suti,suggestTime', 'millis', 'search.suggest_time_in_millis', 'time of all suggestions'],
  ['suggest.total', 'suto,suggestTotal', 'count', 'search.suggest_total', 'suggestions so far'],
  ['memory.total', 'tm,memoryTotal', 'bytes', '', 'memory of all of these'],
  ['bulk.total_operations', 'bto,bulkTotalOperations', 'count', 'bulk.total_operations', 'requests that wrote'],
  ['bulk.total_time', 'btti,bulkTotalTime', 'millis', 'bulk.total_time_in_millis', 'time of requests that wrote'],
  [
    'bulk.total_size_in_bytes',
    'btsi,bulkTotalSizeInBytes',
    'bytes',
    'bulk.total_size_in_bytes',
    'documents of requests that wrote, in bytes',
  ],
  ['bulk.avg_time', 'bati,bulkAvgTime', 'millis', 'bulk.avg_time_in_millis', 'mean time of requests that wrote'],
  [
    'bulk.avg_size_in_bytes',
    'basi,bulkAvgSizeInBytes',
    'bytes',
    'bulk.avg_size_in_bytes',
    'mean size of requests that wrote',
  ],
];

const COLUMNS: readonly StatisticColumn[] = TABLE.map(([name, aliases, unit, path, description]) => ({
  name,
  aliases,
  unit,
  path,
  description,
}));

/** Columns of the named families (`flush` for `flush.total`, ...), or single ones by their names, in this order. */
export function statisticColumns<Row>(
  families: readonly string[],
  statistics: (row: Row) => Statistics | undefined,
): readonly Column<Row>[] {
  return families
    .flatMap((family) => COLUMNS.filter(({ name }) => name === family || name.startsWith(`${family}.`)))
    .map((each) =>
      column<Row>(each.name, each.description, (row) => cell(statistics(row), each), {
        aliases: each.aliases,
        align: 'right',
        isDefault: false,
      }),
    );
}

function cell(statistics: Statistics | undefined, { path, unit }: StatisticColumn): CellValue {
  if (statistics === undefined) return undefined;
  const value = path === '' ? 0 : counter(statistics, path);
  if (unit === 'bytes') return { bytes: value };
  return unit === 'millis' ? { millis: value } : value;
}

function counter(statistics: Statistics, path: string): number {
  const dot = path.indexOf('.');
  return statistics[path.slice(0, dot)]?.[path.slice(dot + 1)] ?? 0;
}
