/** Keys of a search body and parameters of its query string that the API knows and this server refuses by name. */

export const UNSUPPORTED_KEYS: ReadonlySet<string> = new Set([
  'collapse',
  'derived',
  'ext',
  'highlight',
  'knn',
  'min_compatible_shard_node',
  'pit',
  'rank',
  'rescore',
  'retriever',
  'runtime_mappings',
  'script_fields',
  'search_pipeline',
  'slice',
  'suggest',
]);
