/**
 * Fields of type `lookup`: hits come from their shards with what is to be looked up for them. The values of a whole page are
 * gathered, each is searched for once, and what was found takes its place in the hits.
 */
import { asQuarryError } from '../../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { runLimited } from '../../../base/run-limited.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { resolveLookups, wantedLookups, type SearchResult, type WantedLookups } from '../../../native/searcher.js';
import type { SearchPlan } from '../../../search/plan/search-plan.js';
import { limitsPlan, timingPlan } from '../../../search/request/parse-search-request.js';
import type { ActionContext } from '../../context.js';
import { parsePreference } from '../../copy-preference.js';
import type { SearchAnswer, SearchRequest } from '../search.js';
import { commonSearchSettings, defaultAllowPartial, defaultSearchTimeoutMs, lateError } from '../search-plans.js';
import { searchTargets } from '../shards/search-targets.js';
import { lookupFailure } from '../shards/shard-failures.js';

/** Different values that may be looked up for one search. */
const LOOKUPS_MAX = 10_000;
/** What is looked up may have such fields itself, and so on. */
const DEPTH_MAX = 5;
const CONCURRENT_LOOKUPS = 16;

/** What a search and those that it leads to may look up together. */
export interface LookupAllowance {
  readonly depth: number;
  readonly counted: { count: number };
}

type Search = (request: SearchRequest, context: ActionContext) => Promise<SearchAnswer>;

/**
 * The result with what its hits show of other indices. `search` carries out a search; `allowance` is undefined for one of a
 * client. Throws `search_phase_execution_exception` where one of the searches fails.
 */
export async function withLookups(
  result: SearchResult,
  allowance: LookupAllowance | undefined,
  search: Search,
  context: ActionContext,
): Promise<SearchResult> {
  const { hasLookups = false, ...resolved } = result;
  if (!hasLookups) return result;
  const wanted = wantedLookups(result.hits);
  try {
    const below = spend(allowance, wanted);
    const requests = wanted.flatMap((lookups) => lookupRequests(lookups, below, context));
    const answers = await runLimited(requests, CONCURRENT_LOOKUPS, context.loop, async (request) => {
      context.cancellation.throwIfCancelled();
      return (await search(request, context)).result?.hits ?? NOTHING;
    });
    return { ...resolved, hits: resolveLookups(result.hits, answers) };
  } catch (error) {
    context.cancellation.throwIfCancelled();
    throw lookupFailure(asQuarryError(error));
  }
}

const NOTHING = new Uint8Array(0);

/** The allowance of the searches for these. */
function spend(
  { depth, counted }: LookupAllowance = { depth: 0, counted: { count: 0 } },
  wanted: readonly WantedLookups[],
): LookupAllowance {
  if (depth === DEPTH_MAX) {
    throw illegalArgument(`fields of type [lookup] may lead to others at most [${DEPTH_MAX}] times`);
  }
  counted.count += wanted.reduce((sum, { values }) => sum + values.length, 0);
  if (counted.count > LOOKUPS_MAX) {
    throw illegalArgument(
      `Too many values of fields of type [lookup] in one search: at most [${LOOKUPS_MAX}] may be looked up, but there are ` +
        `[${counted.count}]. Ask for fewer hits at a time.`,
    );
  }
  return { depth: depth + 1, counted };
}

/** A search for each of the values: for the first document that has it. */
function lookupRequests(
  { target_index, target_field, fetch_fields, values }: WantedLookups,
  lookups: LookupAllowance,
  context: ActionContext,
): readonly SearchRequest[] {
  refuseRemote(target_index);
  const state = context.clusterState();
  const nowMs = context.clock.nowMs();
  const scope = {
    expressions: [target_index],
    options: IndicesDefaults.expandOpenForbidClosed,
    routing: undefined,
    preference: undefined,
  };
  const targets = searchTargets(state, scope, nowMs);
  const settings = commonSearchSettings(
    state,
    targets.map(({ index }) => index),
  );
  const allowPartial = defaultAllowPartial(state);
  const shared: Omit<SearchPlan, 'query'> = {
    from: 0,
    size: 1,
    track_total_hits: 'disabled',
    now_ms: nowMs,
    ...timingPlan(defaultSearchTimeoutMs(state), lateError(context.settings, allowPartial)),
    limits: limitsPlan(settings),
    fetch: { source: { enabled: false }, fields: fetch_fields },
  };
  const { copies } = parsePreference(undefined);
  return values.map((value) => {
    const plan = { ...shared, query: { term: { field: target_field, value } } };
    return { plan, settings, targets, copies, allowPartial, lookups };
  });
}

/** There are no other clusters. */
function refuseRemote(target: string): void {
  if (!target.includes(':') || target.startsWith('<')) return;
  const cluster = target.slice(0, target.indexOf(':'));
  throw new QuarryError('no_such_remote_cluster_exception', `no such remote cluster: [${cluster}]`);
}
