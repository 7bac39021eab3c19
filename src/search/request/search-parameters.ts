/** The query string of a search; what it names overrides the body. */
import { illegalArgument } from '../../base/errors.js';
import { Place } from '../body/place.js';
import type { QueryPlan } from '../plan/query-plan.js';
import { parseQueryString } from '../query/query-string/parse.js';
import { queryStringOptions } from '../query/full-text/query-string-query.js';
import { readOperator } from '../query/full-text/text-options.js';
import { parseWeightedField } from '../query/full-text/weighted-fields.js';
import type { SearchSettings } from '../settings.js';
import { parseSuggest } from '../suggest/parse-suggest.js';
import type { Suggestion } from '../suggest/suggest-plan.js';
import { storedFields } from './fields.js';
import {
  checkFrom,
  checkSize,
  checkTerminateAfter,
  readTrackTotalHits,
  setTimeout,
  type SearchDraft,
} from './search-body.js';
import { readUriSort } from './sort.js';
import { sourceFilterOfUri } from './source-filter.js';

/** The simple query of a query string, shared by `_search` and `_count`. */
export interface UriQueryParameters {
  readonly q?: string | undefined;
  readonly df?: string | undefined;
  readonly default_operator?: string | undefined;
  readonly analyzer?: string | undefined;
  readonly analyze_wildcard?: boolean | undefined;
  readonly lenient?: boolean | undefined;
}

/** Parameters that change the plan; the endpoint parses their texts. */
export interface SearchParameters extends UriQueryParameters {
  readonly from?: number | undefined;
  readonly size?: number | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly _source?: readonly string[] | undefined;
  readonly _source_includes?: readonly string[] | undefined;
  readonly _source_excludes?: readonly string[] | undefined;
  readonly stored_fields?: readonly string[] | undefined;
  readonly docvalue_fields?: readonly string[] | undefined;
  readonly track_scores?: boolean | undefined;
  /** Text: a boolean or a number. */
  readonly track_total_hits?: string | undefined;
  readonly terminate_after?: number | undefined;
  /** Text of a time value. */
  readonly timeout?: string | undefined;
  readonly min_score?: number | undefined;
  readonly version?: boolean | undefined;
  readonly seq_no_primary_term?: boolean | undefined;
  readonly explain?: boolean | undefined;
  readonly typed_keys?: boolean | undefined;
  readonly rest_total_hits_as_int?: boolean | undefined;
  readonly include_named_queries_score?: boolean | undefined;
  readonly request_cache?: boolean | undefined;
  /** Groups of statistics. */
  readonly stats?: readonly string[] | undefined;
  readonly suggest_field?: string | undefined;
  readonly suggest_mode?: string | undefined;
  readonly suggest_size?: number | undefined;
  readonly suggest_text?: string | undefined;
}

export function applySearchParameters(
  draft: SearchDraft,
  parameters: SearchParameters,
  settings: SearchSettings,
): void {
  const query = uriQuery(parameters, settings);
  if (query !== undefined) draft.query = query;
  applyPaging(draft, parameters);
  applyFetch(draft, parameters);
  const total = parameters.track_total_hits;
  if (total !== undefined) draft.track_total_hits = readTrackTotalHits(Place.ofValue(total));
  if (parameters.rest_total_hits_as_int === true) requireExactTotal(draft);
  if (parameters.track_scores !== undefined) draft.track_scores = parameters.track_scores;
  if (parameters.min_score !== undefined) draft.min_score = parameters.min_score;
  if (parameters.stats !== undefined) draft.stats = parameters.stats;
  if (parameters.explain !== undefined) draft.explain = parameters.explain;
  const suggestions = uriSuggestions(parameters, settings);
  if (suggestions !== undefined) draft.suggest = suggestions;
}

/** Terms like the words of a text, under the name of their field; `undefined` without one. */
function uriSuggestions(parameters: SearchParameters, settings: SearchSettings): readonly Suggestion[] | undefined {
  const { suggest_field: field, suggest_text: text = parameters.q, suggest_mode, suggest_size } = parameters;
  if (field === undefined) {
    const lost = (['suggest_text', 'suggest_size', 'suggest_mode'] as const).find(
      (name) => parameters[name] !== undefined,
    );
    if (lost !== undefined) throw illegalArgument(`[${lost}] is used together with [suggest_field] only`);
    return undefined;
  }
  const term = {
    field,
    ...(suggest_mode === undefined ? {} : { suggest_mode }),
    ...(suggest_size === undefined ? {} : { size: suggest_size }),
  };
  return parseSuggest(Place.ofValue({ [field]: { ...(text === undefined ? {} : { text }), term } }), settings);
}

/** The query of `q`; `undefined` without it. */
export function uriQuery(parameters: UriQueryParameters, settings: SearchSettings): QueryPlan | undefined {
  const { q, df, default_operator, analyzer, analyze_wildcard, lenient } = parameters;
  if (q === undefined) return undefined;
  const options = queryStringOptions(
    {
      ...(df === undefined ? {} : { fields: [parseWeightedField(df)] }),
      ...(default_operator === undefined ? {} : { defaultOperator: readOperator(Place.ofValue(default_operator)) }),
      ...(analyzer === undefined ? {} : { analyzer }),
      ...(analyze_wildcard === undefined ? {} : { analyzeWildcard: analyze_wildcard }),
      ...(lenient === undefined ? {} : { lenient }),
    },
    settings,
  );
  return parseQueryString(q, options);
}

function applyPaging(draft: SearchDraft, parameters: SearchParameters): void {
  if (parameters.from !== undefined) draft.from = checkFrom(parameters.from);
  if (parameters.size !== undefined) draft.size = checkSize(parameters.size);
  if (parameters.sort !== undefined) draft.sort = readUriSort(parameters.sort);
  if (parameters.timeout !== undefined) setTimeout(draft, parameters.timeout);
  if (parameters.terminate_after !== undefined) draft.terminate_after = checkTerminateAfter(parameters.terminate_after);
}

function applyFetch(draft: SearchDraft, parameters: SearchParameters): void {
  const source = sourceFilterOfUri(parameters._source, parameters._source_includes, parameters._source_excludes);
  if (source !== undefined) draft.source = source;
  if (parameters.stored_fields !== undefined) draft.stored_fields = storedFields(parameters.stored_fields);
  const docvalues = parameters.docvalue_fields?.map((field) => ({ field }));
  if (docvalues !== undefined) draft.docvalue_fields = [...(draft.docvalue_fields ?? []), ...docvalues];
  if (parameters.version !== undefined) draft.version = parameters.version;
  if (parameters.seq_no_primary_term !== undefined) draft.seq_no_primary_term = parameters.seq_no_primary_term;
}

/** A total that is a plain number must be exact: "at least" has no place in it. */
function requireExactTotal(draft: SearchDraft): void {
  const tracked = draft.track_total_hits;
  if (tracked !== undefined && typeof tracked === 'object') {
    throw illegalArgument(
      `[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got ${tracked.up_to}`,
    );
  }
  draft.track_total_hits = tracked ?? 'exact';
}
