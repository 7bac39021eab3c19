/** A `_search` request to the plan that every shard gets. */
import { illegalArgument } from '../../base/errors.js';
import { bytesOrShare } from '../../base/memory.js';
import { Place, type RequestBody } from '../body/place.js';
import { knnSizes, mapKnn } from '../plan/knn-plans.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { LateError, LimitsPlan, SearchPlan, TrackTotalHitsPlan } from '../plan/search-plan.js';
import { checkKnnSizes } from '../query/specialized/knn-query.js';
import { queryParser } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';
import { checkCombinations } from './combinations.js';
import { fetchPlan } from './fetch-plan.js';
import { knnSections } from './knn.js';
import { orderOf, type PageOf } from './order.js';
import { checkRescore } from './rescore.js';
import { replaceRetriever } from './retriever.js';
import { NO_TIMEOUT_MS, readSearchBody, type SearchDraft } from './search-body.js';
import { applySearchParameters, type SearchParameters } from './search-parameters.js';

/** What planning depends on besides the request. */
export interface SearchContext extends PageOf {
  readonly settings: SearchSettings;
  /** The moment `now` stands for in date expressions. */
  readonly nowMs: number;
  /** Of a search that names no timeout; undefined: none. */
  readonly defaultTimeoutMs?: number | undefined;
  /** What a search fails with that is not done in time; undefined: it answers with what it found. */
  readonly lateError?: LateError | undefined;
  /** Missing values of whole numbers sort by the bounds of their own type; else by those of 64 bits. */
  readonly intMissing?: boolean;
}

const DEFAULT_SIZE = 10;
const DEFAULT_TRACK_TOTAL_HITS = 10_000;

/**
 * Reads body and query string (which overrides the body), as far as they are understood without the indices.
 *
 * Throws errors of the API's types with status 400; those about the body carry `line` and `col`.
 */
export function readSearchRequest(
  body: RequestBody | undefined,
  parameters: SearchParameters,
  settings: SearchSettings,
): SearchDraft {
  const draft: SearchDraft = {};
  readSearchBody(Place.ofBody(body), settings, draft);
  applySearchParameters(draft, parameters, settings);
  return replaceRetriever(draft, settings);
}

/** Checks what was read against the limits of the indices and makes the plan. */
export function planSearch(draft: SearchDraft, parameters: SearchParameters, context: SearchContext): SearchPlan {
  const { settings } = context;
  const from = draft.from ?? 0;
  const size = draft.size ?? DEFAULT_SIZE;
  checkCombinations(draft, context, parameters.request_cache, settings);
  checkWindow(from, size, context.scroll === true, settings);
  const order = orderOf(draft, context);
  checkSearchAfter(draft, order, from);
  checkRescore(draft.rescore ?? [], settings);
  return {
    ...passedOn(draft),
    ...order,
    ...(context.intMissing === true && order.sort !== undefined ? { int_missing: true } : {}),
    query: queryOf(draft, size),
    ...(draft.knn === undefined ? {} : { knn: knnSections(draft.knn, size) }),
    from,
    size,
    track_total_hits: draft.track_total_hits ?? defaultTotal(context),
    ...timingPlan(draft.timeout_ms ?? context.defaultTimeoutMs, context.lateError),
    now_ms: context.nowMs,
    typed_keys: parameters.typed_keys ?? false,
    limits: limitsPlan(settings),
    fetch: {
      ...fetchPlan(draft, settings, queryParser(settings)),
      named_queries_score: parameters.include_named_queries_score ?? false,
      total_hits_as_int: parameters.rest_total_hits_as_int ?? false,
    },
  };
}

/** How long a search may take, and what it fails with that takes longer. Without a time there is nothing to fail with. */
export function timingPlan(
  timeoutMs: number | undefined,
  lateError: LateError | undefined,
): Pick<SearchPlan, 'timeout_ms' | 'late_error'> {
  if (timeoutMs === undefined || timeoutMs === NO_TIMEOUT_MS) return {};
  return { timeout_ms: timeoutMs, ...(lateError === undefined ? {} : { late_error: lateError }) };
}

/** Vectors alone are looked for where nothing else is said. */
function queryOf({ query, knn }: SearchDraft, size: number): QueryPlan {
  if (query === undefined) return knn === undefined ? { match_all: {} } : { match_none: {} };
  return mapKnn(query, (inner) => {
    const sized = { ...inner, ...knnSizes(inner, size) };
    checkKnnSizes(sized);
    return sized;
  });
}

/** Scrolls count once, for all of their pages. */
function defaultTotal({ scroll }: SearchContext): TrackTotalHitsPlan {
  return scroll === true ? 'exact' : { up_to: DEFAULT_TRACK_TOTAL_HITS };
}

/** Members that the plan has as the draft does. */
function passedOn(draft: SearchDraft): Partial<SearchPlan> {
  const passed: Record<string, unknown> = {};
  for (const name of PASSED_ON) if (draft[name] !== undefined) passed[name] = draft[name];
  return passed;
}

const PASSED_ON = [
  'post_filter',
  'search_after',
  'track_scores',
  'min_score',
  'terminate_after',
  'aggregations',
  'stats',
  'indices_boost',
  'profile',
  'rescore',
  'runtime',
] as const satisfies readonly (keyof SearchDraft & keyof SearchPlan)[];

export function limitsPlan(settings: SearchSettings): LimitsPlan {
  return {
    max_clauses: settings.maxClauseCount,
    max_buckets: settings.maxBuckets,
    request_breaker_bytes: bytesOrShare(settings.requestBreakerLimit, 'indices.breaker.request.limit'),
    allow_expensive_queries: settings.allowExpensiveQueries,
  };
}

function checkWindow(from: number, size: number, isScroll: boolean, settings: SearchSettings): void {
  const end = from + size;
  if (end <= settings.maxResultWindow) return;
  if (isScroll) {
    throw illegalArgument(
      `Batch size is too large, size must be less than or equal to: [${settings.maxResultWindow}] but was [${end}]. ` +
        'Scroll batch sizes cost as much memory as result windows so they are controlled by the ' +
        '[index.max_result_window] index level setting.',
    );
  }
  throw illegalArgument(
    `Result window is too large, from + size must be less than or equal to: [${settings.maxResultWindow}] but was ` +
      `[${end}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by ` +
      'changing the [index.max_result_window] index level setting.',
  );
}

function checkSearchAfter(draft: SearchDraft, order: Pick<SearchPlan, 'sort'>, from: number): void {
  if (draft.search_after === undefined) return;
  if (from > 0) throw illegalArgument('`from` parameter must be set to 0 when `search_after` is used.');
  const keys = order.sort?.length ?? 0;
  if ((draft.sort?.length ?? 0) === 0) throw illegalArgument('Sort must contain at least one field.');
  if (draft.search_after.length === keys) return;
  throw illegalArgument(`search_after has ${draft.search_after.length} value(s) but sort has ${keys}.`);
}
