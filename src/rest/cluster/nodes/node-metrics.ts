/** What can be asked of a node's statistics. */
export const NODE_METRICS = [
  ...([
    'indices',
    'os',
    'process',
    'jvm',
    'thread_pool',
    'fs',
    'transport',
    'http',
    'breaker',
    'ingest',
    'script',
    'script_cache',
    'discovery',
    'adaptive_selection',
    'indexing_pressure',
    'repositories',
    'security',
  ] as const),
];
export type NodeMetric = (typeof NODE_METRICS)[number];

/** Known to the API, without a counterpart here: asked for by name, nothing is told. */
export const ABSENT_METRICS = [
  ...['allocations'],
  ...['remote_store', 'search_backpressure', 'search_pipeline', 'weighted_routing', 'file_cache'],
  ...['segment_replication_backpressure', 'shard_indexing_pressure', 'task_cancellation', 'resource_usage_stats'],
  ...['cluster_manager_throttling', 'admission_control', 'caches', 'repositories_stats'],
];
