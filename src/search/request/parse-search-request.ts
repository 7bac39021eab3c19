/** A `_search` request to the plan that every shard gets. */
import { illegalArgument } from '../../base/errors.js';
import { Place, type RequestBody } from '../body/place.js';
import type { LimitsPlan, SearchPlan } from '../plan/search-plan.js';
import type { SearchSettings } from '../settings.js';
import { fetchPlan } from './fetch-plan.js';
import { NO_TIMEOUT_MS, readSearchBody, type SearchDraft } from './search-body.js';
import { applySearchParameters, type SearchParameters } from './search-parameters.js';

/** What planning depends on besides the request. */
export interface SearchContext {
  readonly settings: SearchSettings;
  /** The moment `now` stands for in date expressions. */
  readonly nowMs: number;
  /** Of a search that names no timeout; undefined: none. */
  readonly defaultTimeoutMs?: number | undefined;
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
  return draft;
}

/** Checks what was read against the limits of the indices and makes the plan. */
export function planSearch(draft: SearchDraft, parameters: SearchParameters, context: SearchContext): SearchPlan {
  const { settings } = context;
  const from = draft.from ?? 0;
  const size = draft.size ?? DEFAULT_SIZE;
  checkWindow(from, size, settings);
  checkSearchAfter(draft, from);
  const {
    query,
    source,
    docvalue_fields,
    fields,
    stored_fields,
    explain,
    version,
    seq_no_primary_term,
    timeout_ms,
    ...passed
  } = draft;
  const timeoutMs = timeout_ms ?? context.defaultTimeoutMs ?? NO_TIMEOUT_MS;
  return {
    ...passed,
    query: query ?? { match_all: {} },
    from,
    size,
    track_total_hits: draft.track_total_hits ?? { up_to: DEFAULT_TRACK_TOTAL_HITS },
    ...(timeoutMs === NO_TIMEOUT_MS ? {} : { timeout_ms: timeoutMs }),
    now_ms: context.nowMs,
    typed_keys: parameters.typed_keys ?? false,
    limits: limitsPlan(settings),
    fetch: {
      ...fetchPlan(draft, settings),
      named_queries_score: parameters.include_named_queries_score ?? false,
      total_hits_as_int: parameters.rest_total_hits_as_int ?? false,
    },
  };
}

export function limitsPlan(settings: SearchSettings): LimitsPlan {
  return {
    max_clauses: settings.maxClauseCount,
    max_buckets: settings.maxBuckets,
    allow_expensive_queries: settings.allowExpensiveQueries,
  };
}

function checkWindow(from: number, size: number, settings: SearchSettings): void {
  const end = from + size;
  if (end <= settings.maxResultWindow) return;
  throw illegalArgument(
    `Result window is too large, from + size must be less than or equal to: [${settings.maxResultWindow}] but was ` +
      `[${end}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by ` +
      'changing the [index.max_result_window] index level setting.',
  );
}

function checkSearchAfter(draft: SearchDraft, from: number): void {
  if (draft.search_after === undefined) return;
  if (from > 0) throw illegalArgument('`from` parameter must be set to 0 when `search_after` is used.');
  const keys = draft.sort?.length ?? 0;
  if (keys === 0) throw illegalArgument('Sort must contain at least one field.');
  if (draft.search_after.length === keys) return;
  throw illegalArgument(`search_after has ${draft.search_after.length} value(s) but sort has ${keys}.`);
}
