/** Keys of a search body and parameters of its query string that the API knows and this server refuses by name. */

export const UNSUPPORTED_KEYS: ReadonlySet<string> = new Set([
  'derived',
  'ext',
  'min_compatible_shard_node',
  'rank',
  'search_pipeline',
]);
