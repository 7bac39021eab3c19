/** Requests whose answers typed clients decode, in an order in which each finds what it needs. */

export interface Call {
  /** As the published description groups operations. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const lines = (...parts: readonly object[]): string => parts.map((part) => `${JSON.stringify(part)}\n`).join('');

function call(operation: string, method: string, path: string, body?: unknown): Call {
  return { operation, method, path, body };
}

const FILMS = {
  settings: {
    number_of_shards: 2,
    number_of_replicas: 0,
    analysis: { analyzer: { own: { type: 'custom', tokenizer: 'standard', filter: ['lowercase'] } } },
  },
  mappings: {
    properties: {
      t: { type: 'text', analyzer: 'own' },
      k: { type: 'keyword' },
      n: { type: 'integer' },
      d: { type: 'date' },
      g: { type: 'geo_point' },
      s: { type: 'completion' },
      o: { type: 'nested', properties: { x: { type: 'keyword' } } },
    },
  },
  aliases: { 'films-of-a': { filter: { term: { k: 'a' } } } },
};

const AGGREGATIONS = {
  k: { terms: { field: 'k' }, aggs: { s: { stats: { field: 'n' } } } },
  days: { date_histogram: { field: 'd', calendar_interval: 'month' } },
  most: { max_bucket: { buckets_path: 'days>_count' } },
  extended: { extended_stats: { field: 'n' } },
  percentiles: { percentiles: { field: 'n' } },
  ranks: { percentile_ranks: { field: 'n', values: [3] } },
  ranges: { range: { field: 'n', ranges: [{ to: 3 }, { from: 3 }] } },
  pages: { composite: { sources: [{ a: { terms: { field: 'k' } } }] } },
  best: { top_hits: {} },
  filters: { filters: { filters: { a: { match_all: {} } } } },
  inside: { nested: { path: 'o' }, aggs: { x: { terms: { field: 'o.x' } } } },
  bounds: { geo_bounds: { field: 'g' } },
  middle: { geo_centroid: { field: 'g' } },
  cells: { geohash_grid: { field: 'g' } },
  different: { cardinality: { field: 'k' } },
  striking: { significant_terms: { field: 'k' } },
  steps: { histogram: { field: 'n', interval: 2 } },
  without: { missing: { field: 'k' } },
  rare: { rare_terms: { field: 'k' } },
  pairs: { multi_terms: { terms: [{ field: 'k' }, { field: 'n' }] } },
  automatic: { auto_date_histogram: { field: 'd' } },
  weighted: { weighted_avg: { value: { field: 'n' }, weight: { field: 'n' } } },
  overlaps: { adjacency_matrix: { filters: { a: { match_all: {} } } } },
  matrix: { matrix_stats: { fields: ['n'] } },
};

const DOCUMENTS: readonly Call[] = [
  call('info', 'GET', '/'),
  call('indices.create', 'PUT', '/films', FILMS),
  call(
    'bulk',
    'POST',
    '/_bulk?refresh=true',
    lines(
      { index: { _index: 'films', _id: '1' } },
      { t: 'the quick fox', k: 'a', n: 1, d: '2024-01-01', g: { lat: 1, lon: 2 }, s: 'quick', o: [{ x: 'y' }] },
      { index: { _index: 'films', _id: '2' } },
      { t: 'slow fox', k: 'b', n: 5, d: '2024-02-01', g: { lat: 11, lon: 2 }, s: 'slow' },
      { update: { _index: 'films', _id: '2' } },
      { doc: { n: 6 } },
      { delete: { _index: 'films', _id: '9' } },
      { create: { _index: 'films', _id: '1' } },
      { t: 'a conflict' },
    ),
  ),
  call('index', 'PUT', '/films/_doc/3?refresh=true', { t: 'brown fox', k: 'a', n: 3 }),
  call('get', 'GET', '/films/_doc/3'),
  call('mget', 'POST', '/_mget', {
    docs: [
      { _index: 'films', _id: '1' },
      { _index: 'none', _id: '1' },
    ],
  }),
  call('update', 'POST', '/films/_update/3?_source=true', { doc: { n: 4 } }),
  call('delete', 'DELETE', '/films/_doc/3?refresh=true'),
  call('count', 'GET', '/films/_count'),
  call('explain', 'POST', '/films/_explain/1', { query: { match: { t: 'fox' } } }),
  call('termvectors', 'GET', '/films/_termvectors/1?fields=t&term_statistics=true'),
  call('mtermvectors', 'POST', '/films/_mtermvectors', { ids: ['1'] }),
  call('delete_by_query', 'POST', '/films/_delete_by_query', { query: { term: { k: 'none' } } }),
  call('update_by_query', 'POST', '/films/_update_by_query', {}),
  call('reindex', 'POST', '/_reindex', { source: { index: 'films' }, dest: { index: 'films-2' } }),
];

const SEARCHES: readonly Call[] = [
  call('search', 'POST', '/films/_search', {
    query: { match: { t: 'fox' } },
    profile: true,
    explain: true,
    version: true,
    seq_no_primary_term: true,
    sort: ['_score', 'n'],
    highlight: { fields: { t: {} } },
    fields: ['k'],
    suggest: {
      words: { text: 'quik', term: { field: 't' } },
      phrases: { text: 'quik fox', phrase: { field: 't' } },
      completions: { prefix: 'qu', completion: { field: 's' } },
    },
    aggs: AGGREGATIONS,
  }),
  call('search', 'POST', '/films/_search', {
    query: { nested: { path: 'o', query: { match_all: {} }, inner_hits: {} } },
    collapse: { field: 'k', inner_hits: { name: 'more' } },
  }),
  call('search', 'POST', '/films/_search?scroll=1m&size=1', {}),
  call('clear_scroll', 'DELETE', '/_search/scroll/_all'),
  call('msearch', 'POST', '/films/_msearch', lines({}, { size: 1 }, { index: 'none' }, {})),
  call('create_pit', 'POST', '/films/_search/point_in_time?keep_alive=1m'),
  call('get_all_pits', 'GET', '/_search/point_in_time/_all'),
  call('delete_all_pits', 'DELETE', '/_search/point_in_time/_all'),
  call('field_caps', 'GET', '/films/_field_caps?fields=*'),
  call('search_shards', 'GET', '/films/_search_shards'),
  call('rank_eval', 'POST', '/films/_rank_eval', {
    requests: [
      { id: 'q', request: { query: { match: { t: 'fox' } } }, ratings: [{ _index: 'films', _id: '1', rating: 1 }] },
    ],
    metric: { precision: {} },
  }),
  call('put_script', 'PUT', '/_scripts/one', { script: { lang: 'painless', source: '1' } }),
  call('get_script', 'GET', '/_scripts/one'),
  call('get_script_context', 'GET', '/_script_context'),
  call('get_script_languages', 'GET', '/_script_language'),
  call('scripts_painless_execute', 'POST', '/_scripts/painless/_execute', { script: { source: '1 + 1' } }),
  call('search_template', 'POST', '/films/_search/template', { source: { query: { match_all: {} } } }),
  call('render_search_template', 'POST', '/_render/template', { source: { query: { match_all: {} } }, params: {} }),
];

const CLUSTER: readonly Call[] = [
  call('cluster.put_settings', 'PUT', '/_cluster/settings', {
    transient: { 'action.destructive_requires_name': 'false' },
  }),
  call('cluster.get_settings', 'GET', '/_cluster/settings?include_defaults=true'),
  call('cluster.health', 'GET', '/_cluster/health'),
  call('cluster.health', 'GET', '/_cluster/health?level=shards'),
  call('cluster.stats', 'GET', '/_cluster/stats'),
  call('cluster.stats', 'GET', '/_cluster/stats?human=true'),
  call('cluster.pending_tasks', 'GET', '/_cluster/pending_tasks'),
  call('cluster.state', 'GET', '/_cluster/state'),
  call('cluster.remote_info', 'GET', '/_remote/info'),
  call('cluster.reroute', 'POST', '/_cluster/reroute?explain=true', {}),
  call('cluster.allocation_explain', 'POST', '/_cluster/allocation/explain', {
    index: 'films',
    shard: 0,
    primary: true,
  }),
  call('cluster.put_component_template', 'PUT', '/_component_template/part', {
    template: { settings: { number_of_shards: 1 } },
  }),
  call('cluster.get_component_template', 'GET', '/_component_template/part'),
  call('nodes.info', 'GET', '/_nodes'),
  call('nodes.info', 'GET', '/_nodes?human=true'),
  call('nodes.info', 'GET', '/_nodes/http'),
  call('nodes.stats', 'GET', '/_nodes/stats'),
  call('nodes.stats', 'GET', '/_nodes/stats?level=shards&human=true'),
  call('nodes.usage', 'GET', '/_nodes/usage'),
  call('nodes.reload_secure_settings', 'POST', '/_nodes/reload_secure_settings'),
  call('tasks.list', 'GET', '/_tasks?detailed=true'),
  call('tasks.list', 'GET', '/_tasks?group_by=parents'),
  call('dangling_indices.list_dangling_indices', 'GET', '/_dangling'),
];

const INDICES: readonly Call[] = [
  call('indices.analyze', 'POST', '/_analyze', { analyzer: 'standard', text: 'a b' }),
  call('indices.analyze', 'POST', '/_analyze', {
    tokenizer: 'standard',
    filter: ['lowercase'],
    text: 'a b',
    explain: true,
  }),
  call('indices.stats', 'GET', '/films/_stats?level=shards'),
  call('indices.stats', 'GET', '/_stats'),
  call('indices.segments', 'GET', '/films/_segments'),
  call('indices.recovery', 'GET', '/films/_recovery?detailed=true'),
  call('indices.shard_stores', 'GET', '/films/_shard_stores?status=all'),
  call('indices.get', 'GET', '/films'),
  call('indices.get_mapping', 'GET', '/films/_mapping'),
  call('indices.get_field_mapping', 'GET', '/films/_mapping/field/t'),
  call('indices.get_settings', 'GET', '/films/_settings?include_defaults=true'),
  call('indices.get_alias', 'GET', '/_alias'),
  call('indices.update_aliases', 'POST', '/_aliases', { actions: [{ add: { index: 'films', alias: 'films-b' } }] }),
  call('indices.put_index_template', 'PUT', '/_index_template/streams', {
    index_patterns: ['stream-*'],
    data_stream: {},
    composed_of: ['part'],
    priority: 500,
  }),
  call('indices.get_index_template', 'GET', '/_index_template'),
  call('indices.simulate_template', 'POST', '/_index_template/_simulate/streams'),
  call('indices.simulate_index_template', 'POST', '/_index_template/_simulate_index/stream-x'),
  call('indices.put_template', 'PUT', '/_template/legacy', {
    index_patterns: ['zz*'],
    settings: { number_of_shards: 1 },
    mappings: { properties: { a: { type: 'keyword' } } },
  }),
  call('indices.get_template', 'GET', '/_template'),
  call('indices.create_data_stream', 'PUT', '/_data_stream/stream-a'),
  call('indices.get_data_stream', 'GET', '/_data_stream'),
  call('indices.data_streams_stats', 'GET', '/_data_stream/_stats'),
  call('indices.rollover', 'POST', '/stream-a/_rollover'),
  call('indices.refresh', 'POST', '/films/_refresh'),
  call('indices.flush', 'POST', '/films/_flush'),
  call('indices.forcemerge', 'POST', '/films/_forcemerge'),
  call('indices.clear_cache', 'POST', '/films/_cache/clear'),
  call('indices.add_block', 'PUT', '/films-2/_block/write'),
  call('indices.clone', 'PUT', '/films-2/_clone/films-3'),
  call('indices.close', 'POST', '/films-3/_close'),
  call('indices.open', 'POST', '/films-3/_open'),
  call('indices.put_settings', 'PUT', '/films/_settings', { index: { refresh_interval: '5s' } }),
  call('indices.put_mapping', 'PUT', '/films/_mapping', { properties: { more: { type: 'keyword' } } }),
  call('indices.resolve_index', 'GET', '/_resolve/index/*'),
  call('indices.validate_query', 'POST', '/films/_validate/query?explain=true', { query: { match: { t: 'x' } } }),
  call('ingest.put_pipeline', 'PUT', '/_ingest/pipeline/one', { processors: [{ set: { field: 'a', value: 1 } }] }),
  call('ingest.get_pipeline', 'GET', '/_ingest/pipeline'),
  call('ingest.simulate', 'POST', '/_ingest/pipeline/one/_simulate', { docs: [{ _source: { x: 1 } }] }),
  call('ingest.simulate', 'POST', '/_ingest/pipeline/one/_simulate?verbose=true', { docs: [{ _source: { x: 1 } }] }),
  call('ingest.processor_grok', 'GET', '/_ingest/processor/grok'),
];

const TABLES: readonly Call[] = [
  ...['aliases', 'allocation', 'cluster_manager', 'count', 'fielddata', 'health', 'indices', 'nodeattrs', 'nodes'],
  ...['pending_tasks', 'plugins', 'recovery', 'segments', 'shards', 'tasks', 'templates', 'thread_pool'],
].map((name) => call(`cat.${name}`, 'GET', `/_cat/${name}?format=json`));

export const CALLS: readonly Call[] = [...DOCUMENTS, ...SEARCHES, ...CLUSTER, ...INDICES, ...TABLES];
