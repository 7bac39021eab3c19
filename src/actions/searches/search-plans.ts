/** The settings and plans of a search over several indices. */
import type { JsonObject } from '../../base/json-value.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import { searchSettings } from '../../cluster/settings/index-values.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { fieldsOf } from '../../mapping/walk.js';
import { Place } from '../../search/body/place.js';
import { mapKnn } from '../../search/plan/knn-plans.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import {
  encodePlan,
  type CountPlan,
  type LateError,
  type QueryCheckPlan,
  type SearchPlan,
  type SourceFilterPlan,
} from '../../search/plan/search-plan.js';
import { parseQuery } from '../../search/query/parse-query.js';
import { DEFAULT_SEARCH_SETTINGS, type SearchSettings } from '../../search/settings.js';
import type { SearchTarget } from './shards/search-targets.js';

/** The strictest of what the indices allow; what cannot be compared is taken from the first. */
export function commonSearchSettings(state: ClusterState, indices: readonly IndexMetadata[]): SearchSettings {
  const cluster = effectiveClusterSettings(state);
  const [first, ...others] = indices.map((index) => searchSettings(index, cluster));
  if (first === undefined) return DEFAULT_SEARCH_SETTINGS;
  return others.reduce(stricter, first);
}

/** `search.default_search_timeout`; undefined: none. */
export function defaultSearchTimeoutMs(state: ClusterState): number | undefined {
  const timeoutMs = valueOf(ClusterSettingDefinitions.defaultSearchTimeout, effectiveClusterSettings(state)) ?? -1;
  return timeoutMs < 0 ? undefined : Math.ceil(timeoutMs);
}

/** `search.default_allow_partial_results`, for searches that do not say it. */
export function defaultAllowPartial(state: ClusterState): boolean {
  return valueOf(ClusterSettingDefinitions.defaultAllowPartialResults, effectiveClusterSettings(state)) ?? true;
}

/** What a search fails with that takes longer than it may; undefined: it answers with what it found in time. */
export function lateError({ values }: NodeSettings, allowPartial: boolean): LateError | undefined {
  if (allowPartial) return undefined;
  const isElasticsearch = values['compatibility.distribution'] === 'elasticsearch';
  return isElasticsearch ? 'search_timeout_exception' : 'query_phase_execution_exception';
}

function stricter(left: SearchSettings, right: SearchSettings): SearchSettings {
  return {
    ...left,
    maxResultWindow: Math.min(left.maxResultWindow, right.maxResultWindow),
    maxTermsCount: Math.min(left.maxTermsCount, right.maxTermsCount),
    maxDocvalueFields: Math.min(left.maxDocvalueFields, right.maxDocvalueFields),
    maxInnerResultWindow: Math.min(left.maxInnerResultWindow, right.maxInnerResultWindow),
    maxScriptFields: Math.min(left.maxScriptFields, right.maxScriptFields),
    maxRegexLength: Math.min(left.maxRegexLength, right.maxRegexLength),
    maxRescoreWindow: Math.min(left.maxRescoreWindow, right.maxRescoreWindow),
    maxAnalyzedOffset: Math.min(left.maxAnalyzedOffset, right.maxAnalyzedOffset),
    maxSlicesPerScroll: Math.min(left.maxSlicesPerScroll, right.maxSlicesPerScroll),
    maxSlicesPerPit: Math.min(left.maxSlicesPerPit, right.maxSlicesPerPit),
  };
}

/** The search as the shards of one index get it: with the filters of the aliases that led there. */
export function planWithFilters(
  plan: SearchPlan,
  target: SearchTarget,
  settings: SearchSettings,
  boost: number = 1,
): SearchPlan {
  const filter = aliasFilter(target.filters, settings);
  const query = boost === 1 ? plan.query : { bool: { must: [plan.query], boost } };
  const fetch = { ...plan.fetch, source: withoutVectors(plan.fetch.source, target.index) };
  const whole = { ...plan, query, fetch };
  if (filter === undefined) return whole;
  return { ...whole, query: filteredQuery(query, filter), alias_filter: filter };
}

/** `exclude_vectors`, in the words of the kernels: the names of the index's fields. */
function withoutVectors(source: SourceFilterPlan, { mapping }: IndexMetadata): SourceFilterPlan {
  const { exclude_vectors: isWanted, ...filter } = source;
  if (isWanted !== true) return source;
  const vectors = [...fieldsOf(mapping)].filter(({ field }) => field.type === 'dense_vector').map(({ path }) => path);
  return { ...filter, excludes: [...(filter.excludes ?? []), ...vectors] };
}

/** As {@link planWithFilters}, of a count, encoded. */
export function countPlanForTarget(plan: CountPlan, target: SearchTarget, settings: SearchSettings): Uint8Array {
  const filter = aliasFilter(target.filters, settings);
  return encodePlan(filter === undefined ? plan : { ...plan, query: filteredQuery(plan.query, filter) });
}

/** As {@link planWithFilters}, of a query alone. */
export function checkPlanForTarget(plan: QueryCheckPlan, target: SearchTarget, settings: SearchSettings): Uint8Array {
  const filter = aliasFilter(target.filters, settings);
  return encodePlan(filter === undefined ? plan : { ...plan, query: filteredQuery(plan.query, filter) });
}

/** Nearest vectors are looked for among what the filter lets through: of others there may be any number nearer. */
function filteredQuery(query: QueryPlan, filter: QueryPlan): QueryPlan {
  const narrowed = mapKnn(query, (knn) => ({ ...knn, alias_filter: [...(knn.alias_filter ?? []), filter] }));
  return { bool: { must: [narrowed], filter: [filter] } };
}

/** Any of the filters; `undefined` when an alias or a name without one leads there. */
function aliasFilter(filters: readonly JsonObject[], settings: SearchSettings): QueryPlan | undefined {
  const parsed = filters.map((filter) =>
    parseQuery(Place.ofValue(filter as Parameters<typeof Place.ofValue>[0]), settings),
  );
  const [only] = parsed;
  return parsed.length > 1 ? { bool: { should: parsed, minimum_should_match: '1' } } : only;
}
