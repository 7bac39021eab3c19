/** What may be asked for of `_cluster/stats`. */
export const INDICES_METRICS = [
  ...([
    'shards',
    'docs',
    'store',
    'fielddata',
    'query_cache',
    'completion',
    'segments',
    'mappings',
    'analysis',
  ] as const),
];
export type IndicesMetric = (typeof INDICES_METRICS)[number];

export const NODES_METRICS = [
  ...(['os', 'process', 'jvm', 'fs', 'plugins', 'network_types', 'discovery_types', 'packaging_types'] as const),
  ...(['indexing_pressure', 'ingest'] as const),
];
export type NodesMetric = (typeof NODES_METRICS)[number];
