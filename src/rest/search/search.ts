/** `GET _search`, `GET {index}/_search`. */
import { search as carryOut, type SearchAnswer } from '../../actions/searches/search.js';
import { commonSearchSettings, defaultSearchTimeoutMs } from '../../actions/searches/search-plans.js';
import { searchTargets } from '../../actions/searches/search-targets.js';
import { parsePreference } from '../../actions/copy-preference.js';
import { renderShards } from '../../actions/searches/shard-failures.js';
import { illegalArgument } from '../../base/errors.js';
import { parseSearchRequest } from '../../search/request/parse-search-request.js';
import { answerJson, type RestAnswer } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, floatParameter, integerParameter, listParameter, stringParameter } from '../parameters.js';
import { sourceParameters } from '../document/write-parameters.js';
import { checkSearchType, scopeParameters, searchScope, uriQueryParameters } from './search-parameters.js';

export const search = defineEndpoint({
  name: 'search',
  methods: ['GET', 'POST'],
  paths: ['/_search', '/{index}/_search'],
  parameters: {
    ...scopeParameters,
    ...uriQueryParameters,
    ...sourceParameters,
    allow_partial_search_results: booleanParameter(true),
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
    scroll: stringParameter(),
    search_type: stringParameter(),
    seq_no_primary_term: booleanParameter(),
    size: integerParameter(),
    sort: listParameter(),
    stats: listParameter(),
    stored_fields: listParameter(),
    terminate_after: integerParameter(),
    timeout: stringParameter(),
    track_scores: booleanParameter(),
    track_total_hits: stringParameter(),
    typed_keys: booleanParameter(),
    version: booleanParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'shard',
  async handle({ parts, parameters: given, body }, context) {
    const startedMs = context.clock.monotonicMs();
    checkSearchType(given.search_type);
    checkHints(given);
    const nowMs = context.clock.nowMs();
    const state = context.clusterState();
    const targets = searchTargets(state, searchScope(parts.index, given), nowMs);
    const settings = commonSearchSettings(
      state,
      targets.map(({ index }) => index),
    );
    const plan = parseSearchRequest(body.isEmpty ? undefined : body, given, {
      settings,
      nowMs,
      defaultTimeoutMs: defaultSearchTimeoutMs(state),
    });
    const answer = await carryOut(
      {
        plan,
        settings,
        targets,
        copies: parsePreference(given.preference).copies,
        allowPartial: given.allow_partial_search_results,
        ignoreUnavailable: given.ignore_unavailable,
      },
      context,
    );
    const tookMs = Math.round(context.clock.monotonicMs() - startedMs);
    return render(answer, tookMs, given.rest_total_hits_as_int);
  },
});

interface Hints {
  readonly scroll: string | undefined;
  readonly batched_reduce_size: number | undefined;
  readonly max_concurrent_shard_requests: number | undefined;
  readonly pre_filter_shard_size: number | undefined;
}

/** The numbers are advice that one node with few workers has no use for; impossible ones are refused all the same. */
function checkHints(given: Hints): void {
  if (given.scroll !== undefined) throw illegalArgument('[scroll] is not supported, use [search_after]');
  const { batched_reduce_size: batch, max_concurrent_shard_requests: most, pre_filter_shard_size: filter } = given;
  if (batch !== undefined && batch < 2) throw illegalArgument('batchedReduceSize must be >= 2');
  if (most !== undefined && most < 1) throw illegalArgument('maxConcurrentShardRequests must be >= 1');
  if (filter !== undefined && filter < 1) throw illegalArgument('preFilterShardSize must be >= 1');
}

function render(answer: SearchAnswer, tookMs: number, totalAsInt: boolean): RestAnswer {
  const { shards, result } = answer;
  const head = {
    took: tookMs,
    timed_out: result?.timedOut ?? false,
    ...(result?.terminatedEarly === undefined ? {} : { terminated_early: result.terminatedEarly }),
    _shards: renderShards(shards),
  };
  const opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"hits":`, 'utf8');
  if (result === undefined) return answerJson([opening, noHits(totalAsInt), CLOSING]);
  const aggregations = result.aggregations === undefined ? [] : [AGGREGATIONS, result.aggregations];
  const profile = result.profile === undefined ? [] : [PROFILE, result.profile];
  return answerJson([opening, result.hits, ...aggregations, ...profile, CLOSING]);
}

const AGGREGATIONS = Buffer.from(',"aggregations":', 'utf8');
const PROFILE = Buffer.from(',"profile":', 'utf8');
const CLOSING = Buffer.from('}', 'utf8');

/** Of a search that no shard was concerned by. */
function noHits(totalAsInt: boolean): Uint8Array {
  const total = totalAsInt ? 0 : { value: 0, relation: 'eq' };
  return Buffer.from(JSON.stringify({ total, max_score: 0, hits: [] }), 'utf8');
}
