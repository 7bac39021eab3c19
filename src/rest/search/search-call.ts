/** One search as an endpoint has it, from its query string and body to the JSON of its answer. */
import type { ActionContext } from '../../actions/context.js';
import { parsePreference } from '../../actions/copy-preference.js';
import { decodeContextId, type ContextId } from '../../actions/searches/contexts/context-id.js';
import { ownerOf } from '../../actions/searches/contexts/seal.js';
import { collapsedExpansion } from '../../actions/searches/hits/expand-collapsed.js';
import { keepAliveMs } from '../../actions/searches/contexts/keep-alive.js';
import type { Keep } from '../../actions/searches/contexts/open-searchers.js';
import { searchAndSuggest } from '../../actions/searches/search-and-suggest.js';
import { searchedPit } from '../../actions/searches/contexts/point-in-time.js';
import type { PreparedSearch, SearchWords } from '../../actions/searches/prepared-searches.js';
import {
  commonSearchSettings,
  defaultAllowPartial,
  defaultSearchTimeoutMs,
  lateError,
} from '../../actions/searches/search-plans.js';
import {
  planOfSearch,
  runPlanned,
  type SearchAnswer,
  type SearchProgress,
  type SearchRequest,
} from '../../actions/searches/search.js';
import { countUses, usesOf } from '../../actions/searches/search-usage.js';
import { loggedSource } from '../../actions/searches/slow-log.js';
import { searchTargets, type SearchTarget } from '../../actions/searches/shards/search-targets.js';
import { renderShards } from '../../actions/searches/shards/shard-failures.js';
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { ALL_INDICES } from '../../cluster/names/index-expression.js';
import type { RequestBody } from '../../search/body/place.js';
import { validationFailure } from '../../search/request/combinations.js';
import { planSearch, readSearchRequest } from '../../search/request/parse-search-request.js';
import type { SearchDraft } from '../../search/request/search-body.js';
import { DEFAULT_SEARCH_SETTINGS, type SearchSettings } from '../../search/settings.js';
import { renderSuggestions } from '../../search/suggest/render.js';
import { sourceParameters } from '../document/write-parameters.js';
import { indexNames } from '../indices/index-names.js';
import {
  booleanParameter,
  floatParameter,
  integerParameter,
  listParameter,
  stringParameter,
  type ParameterValues,
} from '../parameters.js';
import { isScoredAlike, scopeParameters, searchScope, uriQueryParameters } from './search-parameters.js';

export const SEARCH_ACTION = 'indices:data/read/search';

/** What the query string of a search may say. */
export const searchDeclarations = {
  ...scopeParameters,
  ...uriQueryParameters,
  ...sourceParameters,
  allow_partial_search_results: booleanParameter(),
  batched_reduce_size: integerParameter(),
  ccs_minimize_roundtrips: booleanParameter(),
  docvalue_fields: listParameter(),
  explain: booleanParameter(),
  from: integerParameter(),
  include_named_queries_score: booleanParameter(),
  max_concurrent_shard_requests: integerParameter(),
  min_score: floatParameter(),
  pre_filter_shard_size: integerParameter(),
  request_cache: booleanParameter(),
  rest_total_hits_as_int: booleanParameter(false),
  search_type: stringParameter(),
  seq_no_primary_term: booleanParameter(),
  size: integerParameter(),
  sort: listParameter(),
  stats: listParameter(),
  stored_fields: listParameter(),
  suggest_field: stringParameter(),
  suggest_mode: stringParameter(),
  suggest_size: integerParameter(),
  suggest_text: stringParameter(),
  terminate_after: integerParameter(),
  timeout: stringParameter(),
  track_scores: booleanParameter(),
  track_total_hits: stringParameter(),
  typed_keys: booleanParameter(),
  version: booleanParameter(),
} as const;

export type SearchValues = ParameterValues<typeof searchDeclarations>;

export interface SearchCall {
  /** The index expression of the path. */
  readonly index: string | undefined;
  readonly parameters: SearchValues;
  readonly body: RequestBody | undefined;
}

/** The values of a query string that says nothing. */
export function noSearchValues(): SearchValues {
  const entries = Object.entries(searchDeclarations).map(([name, kind]) => [name, kind.missing]);
  return Object.fromEntries(entries) as SearchValues;
}

/** A search whose words are understood; what its indices have to say comes when it is carried out. */
export interface ReadSearch {
  readonly call: SearchCall;
  readonly draft: SearchDraft;
  readonly scope: SearchedIndices | QuarryError;
}

interface SearchedIndices {
  readonly targets: readonly SearchTarget[];
  readonly settings: SearchSettings;
  readonly pit: ContextId | undefined;
}

/** Throws what is wrong with the text of the search. */
export function readSearch(call: SearchCall, context: ActionContext): ReadSearch {
  const { parameters, body } = call;
  isScoredAlike(parameters.search_type);
  checkHints(parameters);
  const pitId = pitIdOf(body);
  if (pitId !== undefined) checkPitScope(call);
  const scope = searchedIndices(call, pitId, context);
  const settings = scope instanceof QuarryError ? DEFAULT_SEARCH_SETTINGS : scope.settings;
  const draft = readSearchRequest(body, parameters, settings);
  if (draft.knn !== undefined && parameters.search_type !== undefined) {
    throw illegalArgument(
      'cannot set [search_type] when using [knn] search, since the search type is determined automatically',
    );
  }
  return { call, draft, scope };
}

/** Gives the search back, which is a part of a request: the audit log is told which indices it is about. */
export function toldOf(read: ReadSearch, context: ActionContext): ReadSearch {
  const { scope } = read;
  const { index, parameters } = read.call;
  const { witness } = context.authority ?? {};
  const isFailed = scope instanceof QuarryError;
  // Of a refusal it was told already.
  if (witness === undefined || (isFailed && scope.type === 'security_exception')) return read;
  const names = isFailed || scope.pit === undefined ? namesOf(index) : scope.targets.map(({ index: { name } }) => name);
  witness.granted(SEARCH_ACTION, names, { parameters, view: () => context.clusterState() });
  return read;
}

function namesOf(index: string | undefined): readonly string[] {
  const names = indexNames(index);
  return names.length === 0 ? [ALL_INDICES] : names;
}

/** The point in time decides what is searched, so it is looked for before the body is read. */
function pitIdOf(body: RequestBody | undefined): string | undefined {
  const pit = body?.object()?.['pit'];
  const id = isJsonObject(pit) ? pit['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function checkPitScope({ index, parameters }: SearchCall): void {
  const problems: string[] = [];
  if (index !== undefined) {
    problems.push('[indices] cannot be used with point in time. Do not specify any index with point in time.');
  }
  const { ignore_unavailable, allow_no_indices, expand_wildcards } = parameters;
  if ([ignore_unavailable, allow_no_indices, expand_wildcards].some((value) => value !== undefined)) {
    problems.push('[indicesOptions] cannot be used with point in time');
  }
  if (parameters.routing !== undefined) problems.push('[routing] cannot be used with point in time');
  if (parameters.preference !== undefined) problems.push('[preference] cannot be used with point in time');
  if (problems.length > 0) throw validationFailure(problems);
}

function searchedIndices(
  { index, parameters }: SearchCall,
  pitId: string | undefined,
  context: ActionContext,
): SearchedIndices | QuarryError {
  const state = context.clusterState();
  try {
    const pit = pitId === undefined ? undefined : decodeContextId(pitId, 'pit', ownerOf(context));
    const targets =
      pit === undefined
        ? searchTargets(state, searchScope(index, parameters), context.clock.nowMs())
        : searchedPit(pit, undefined, context).places.map(({ target }) => target);
    const indices = targets.map(({ index: target }) => target);
    return { targets, settings: commonSearchSettings(state, indices), pit };
  } catch (error) {
    return asQuarryError(error);
  }
}

export interface RunOptions {
  /** Opens a scroll. */
  readonly scroll?: Keep | undefined;
  readonly progress?: SearchProgress;
  /** All that the client said: asked for in these words again, the search need not be understood anew. */
  readonly said?: SaidSearch | undefined;
  /** Of a request of another kind, which is not counted among searches. */
  readonly isInner?: boolean;
}

export interface SaidSearch {
  readonly words: SearchWords;
  /** Texts of the body that its plan has as they are. */
  readonly verbatim: ReadonlySet<string>;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Searches, and gives the members of the answer: an object without its closing brace. */
export async function runSearch(
  read: ReadSearch,
  context: ActionContext,
  options: RunOptions = {},
): Promise<readonly Uint8Array[]> {
  const startedMs = context.clock.monotonicMs();
  const { call, draft, scope } = read;
  if (scope instanceof QuarryError) throw scope;
  const { parameters } = call;
  const request = searchRequest(read, scope, context, options);
  const uses = options.isInner === true ? [] : usesOf(call.body?.object(), draft.queryNames ?? NO_NAMES);
  // What vectors find is part of the plans of the shards, and not the same the next time.
  const isRepeatable = draft.suggest === undefined && draft.knn === undefined;
  const isPlain = isRepeatable && scope.pit === undefined && options.scroll === undefined;
  if (options.said !== undefined && isPlain) {
    const shape = { totalAsInt: parameters.rest_total_hits_as_int, uses };
    const prepared = await prepare(request, shape, options.said, context);
    return runPrepared(prepared, context, startedMs);
  }
  countUses(context.searchUsageWords, uses);
  const isAlone = draft.query === undefined && draft.aggregations === undefined && draft.knn === undefined;
  const { answer, suggested } = await searchAndSuggest(request, { suggestions: draft.suggest, isAlone }, context);
  const tookMs = Math.round(context.clock.monotonicMs() - startedMs);
  const { scrollId } = answer;
  const opened = openAnswer(answer, tookMs, parameters.rest_total_hits_as_int, {
    ...(scrollId === undefined ? {} : { _scroll_id: scrollId }),
    ...(scope.pit === undefined ? {} : { pit_id: draft.pit?.id }),
  });
  if (suggested === undefined) return opened;
  const text = `,"suggest":${renderSuggestions(suggested.found, parameters.typed_keys ?? false)}`;
  return [...opened, Buffer.from(text, 'utf8')];
}

async function prepare(
  request: SearchRequest,
  shape: Pick<PreparedSearch, 'totalAsInt' | 'uses'>,
  { words, verbatim }: SaidSearch,
  context: ActionContext,
): Promise<PreparedSearch> {
  const state = context.clusterState();
  const planned = await planOfSearch(request, context);
  const prepared = { planned, ...shape };
  // Another plan than the request's has in it what other documents said.
  const isSame = planned.request.plan === request.plan && context.clusterState() === state;
  if (isSame) context.preparedSearches.keep(words, state, prepared, verbatim);
  return prepared;
}

/** As {@link runSearch}, of one that is understood already. */
export async function runPrepared(
  { planned, totalAsInt, uses }: PreparedSearch,
  context: ActionContext,
  startedMs = context.clock.monotonicMs(),
): Promise<readonly Uint8Array[]> {
  countUses(context.searchUsageWords, uses);
  const answer = await runPlanned(planned, context);
  return openAnswer(answer, Math.round(context.clock.monotonicMs() - startedMs), totalAsInt, {});
}

/** The search of a scroll that is carried out elsewhere. */
export function scrollRequest(read: ReadSearch, context: ActionContext, scroll: Keep): SearchRequest {
  if (read.scope instanceof QuarryError) throw read.scope;
  return searchRequest(read, read.scope, context, { scroll });
}

function searchRequest(
  { call, draft }: ReadSearch,
  { targets, settings, pit }: SearchedIndices,
  context: ActionContext,
  { scroll, progress }: RunOptions,
): SearchRequest {
  const { parameters } = call;
  const state = context.clusterState();
  const allowPartial = parameters.allow_partial_search_results ?? defaultAllowPartial(state);
  const plan = planSearch(draft, parameters, {
    settings,
    nowMs: context.clock.nowMs(),
    defaultTimeoutMs: defaultSearchTimeoutMs(state),
    scroll: scroll !== undefined,
    lateError: lateError(context.settings, allowPartial),
    intMissing: context.settings.values['compatibility.distribution'] === 'elasticsearch',
    ...(pit === undefined ? {} : { pit }),
  });
  const keepAlive = draft.pit?.keepAlive;
  const keptMs = keepAlive === undefined ? undefined : keepAliveMs('pit', keepAlive, state);
  const source = loggedSource(
    targets.map(({ index }) => index),
    () => call.body?.object(),
  );
  const request: SearchRequest = {
    plan,
    settings,
    targets,
    copies: parsePreference(parameters.preference).copies,
    allowPartial,
    ignoreUnavailable: parameters.ignore_unavailable,
    preFilterShardSize: parameters.pre_filter_shard_size,
    batchedReduceSize: parameters.batched_reduce_size,
    requestCache: parameters.request_cache,
    // With vectors the query's scores are added to others: they are to mean the same in all shards.
    scoredAlike: (draft.knn !== undefined && draft.query !== undefined) || isScoredAlike(parameters.search_type),
    ...(source === undefined ? {} : { source }),
    ...(draft.slice === undefined ? {} : { slice: draft.slice }),
    ...(pit === undefined ? {} : { pit: searchedPit(pit, keptMs, context) }),
    ...(scroll === undefined ? {} : { scroll }),
    ...(progress === undefined ? {} : { progress }),
  };
  const expand = draft.collapse === undefined ? undefined : collapsedExpansion(draft.collapse, request);
  return expand === undefined ? request : { ...request, expand };
}

/** `max_concurrent_shard_requests` is advice that a search has no use for; impossible numbers are refused all the same. */
function checkHints(given: SearchValues): void {
  const { batched_reduce_size: batch, max_concurrent_shard_requests: most, pre_filter_shard_size: filter } = given;
  if (batch !== undefined && batch < 2) throw illegalArgument('batchedReduceSize must be >= 2');
  if (most !== undefined && most < 1) throw illegalArgument('maxConcurrentShardRequests must be >= 1');
  if (filter !== undefined && filter < 1) throw illegalArgument('preFilterShardSize must be >= 1');
}

/** `first` are the members that the answer begins with. */
export function openAnswer(
  answer: SearchAnswer,
  tookMs: number,
  totalAsInt: boolean,
  first: JsonObject,
): readonly Uint8Array[] {
  const { shards, result, isWithoutSearch = false, reducePhases = 1 } = answer;
  const head = {
    ...first,
    took: tookMs,
    timed_out: result?.timedOut ?? false,
    ...(result?.terminatedEarly === undefined ? {} : { terminated_early: result.terminatedEarly }),
    ...(reducePhases === 1 ? {} : { num_reduce_phases: reducePhases }),
    _shards: renderShards(shards),
  };
  const opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"hits":`, 'utf8');
  if (result === undefined) return [opening, noHits(totalAsInt, isWithoutSearch ? null : 0)];
  const aggregations = result.aggregations === undefined ? [] : [AGGREGATIONS, result.aggregations];
  const profile = result.profile === undefined ? [] : [PROFILE, result.profile];
  return [opening, result.hits, ...aggregations, ...profile];
}

const AGGREGATIONS = Buffer.from(',"aggregations":', 'utf8');
const PROFILE = Buffer.from(',"profile":', 'utf8');
export const CLOSING_BRACE = Buffer.from('}', 'utf8');

/** Of a search that no shard was concerned by. */
function noHits(totalAsInt: boolean, maxScore: 0 | null): Uint8Array {
  const total = totalAsInt ? 0 : { value: 0, relation: 'eq' };
  return Buffer.from(JSON.stringify({ total, max_score: maxScore, hits: [] }), 'utf8');
}
