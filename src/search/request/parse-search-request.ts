/** A `_search` request to the plan that every shard gets. */
import { illegalArgument } from '../../base/errors.js';
import { Place, type RequestBody } from '../body/place.js';
import type { FetchPlan, LimitsPlan, SearchPlan, SourceFilterPlan } from '../plan/search-plan.js';
import type { SearchSettings } from '../settings.js';
import { checkDocvalueFields } from './fields.js';
import { readSearchBody, type SearchDraft } from './search-body.js';
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
 * Checks body and query string (which overrides the body) and makes the plan.
 *
 * Throws errors of the API's types with status 400; those about the body carry `line` and `col`.
 */
export function parseSearchRequest(
  body: RequestBody | undefined,
  parameters: SearchParameters,
  context: SearchContext,
): SearchPlan {
  const { settings } = context;
  const draft: SearchDraft = {};
  if (context.defaultTimeoutMs !== undefined) draft.timeout_ms = context.defaultTimeoutMs;
  readSearchBody(Place.ofBody(body), settings, draft);
  applySearchParameters(draft, parameters, settings);
  const from = draft.from ?? 0;
  const size = draft.size ?? DEFAULT_SIZE;
  checkWindow(from, size, settings);
  checkSearchAfter(draft, from);
  const { query, source, docvalue_fields, fields, stored_fields, version, seq_no_primary_term, ...passed } = draft;
  return {
    ...passed,
    query: query ?? { match_all: {} },
    from,
    size,
    track_total_hits: draft.track_total_hits ?? { up_to: DEFAULT_TRACK_TOTAL_HITS },
    now_ms: context.nowMs,
    typed_keys: parameters.typed_keys ?? false,
    limits: limitsPlan(settings),
    fetch: fetchPlan(draft, parameters, settings),
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

/** With `stored_fields` the source is shown only when it is named. */
function sourcePlan(draft: SearchDraft): SourceFilterPlan {
  const stored = draft.stored_fields;
  if (stored === undefined) return draft.source ?? { enabled: true };
  if (stored.none && draft.source?.enabled === true) {
    throw illegalArgument('[stored_fields] cannot be disabled if [_source] is requested');
  }
  return draft.source ?? { enabled: stored.source };
}

function fetchPlan(draft: SearchDraft, parameters: SearchParameters, settings: SearchSettings): FetchPlan {
  const { docvalue_fields, fields, stored_fields, version, seq_no_primary_term } = draft;
  if (docvalue_fields !== undefined) checkDocvalueFields(docvalue_fields, settings);
  return {
    source: sourcePlan(draft),
    ...(docvalue_fields === undefined ? {} : { docvalue_fields }),
    ...(fields === undefined ? {} : { fields }),
    ...(stored_fields === undefined
      ? {}
      : { stored_fields: stored_fields.names, no_stored_fields: stored_fields.none }),
    ...(version === undefined ? {} : { version }),
    ...(seq_no_primary_term === undefined ? {} : { seq_no_primary_term }),
    named_queries_score: parameters.include_named_queries_score ?? false,
    total_hits_as_int: parameters.rest_total_hits_as_int ?? false,
  };
}
