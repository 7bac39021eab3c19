/** Query parameters that search and count share. */
import { illegalArgument } from '../../base/errors.js';
import { IndicesDefaults, indicesOptions, type IndicesOptions } from '../../cluster/names/indices-options.js';
import type { SearchScope } from '../../actions/searches/shards/search-targets.js';
import { booleanParameter, indicesOptionsParameters, splitList, stringParameter } from '../parameters.js';

export const scopeParameters = {
  ...indicesOptionsParameters,
  /** There are no frozen indices that could be throttled. */
  ignore_throttled: booleanParameter(),
  preference: stringParameter(),
  routing: stringParameter(),
} as const;

export const uriQueryParameters = {
  analyzer: stringParameter(),
  analyze_wildcard: booleanParameter(),
  default_operator: stringParameter(),
  df: stringParameter(),
  lenient: booleanParameter(),
  q: stringParameter(),
} as const;

export interface ScopeParameters {
  readonly ignore_unavailable: boolean | undefined;
  readonly allow_no_indices: boolean | undefined;
  readonly expand_wildcards: readonly string[] | undefined;
  readonly preference: string | undefined;
  readonly routing: string | undefined;
}

export function searchScope(index: string | undefined, given: ScopeParameters): SearchScope {
  const options: IndicesOptions = indicesOptions(IndicesDefaults.expandOpenForbidClosed, given);
  const expressions = index === undefined ? [] : splitList(index);
  return { expressions, options, routing: given.routing, preference: given.preference };
}

/** Whether scores are computed from what all shards count together. */
export function isScoredAlike(type: string | undefined): boolean {
  if (type === undefined || type === 'query_then_fetch') return false;
  if (type === 'dfs_query_then_fetch') return true;
  throw illegalArgument(`No search type for [${type}]`);
}
