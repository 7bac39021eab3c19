/** A search: one native call where one shard is concerned, else query, reduce, fetch. */
import type { ReducedSearch, SearchResult } from '../../native/searcher.js';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import type { SliceRequest } from '../../search/request/slice.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ActionContext } from '../context.js';
import type { CopyPreference } from '../copy-preference.js';
import { CopyFailure } from '../read-from-copies.js';
import { encodeContextId, type HeldPart } from './contexts/context-id.js';
import type { Keep } from './contexts/open-searchers.js';
import { nearestDocuments, type NearestDocuments } from './nearest/nearest-documents.js';
import { BatchedReduce } from './shards/batched-reduce.js';
import { plannedShards, type PlannedShard, type PlannedShards } from './shards/planned-shards.js';
import { failureOf, fetchAll, letGo, lossOf, queryAll, type QueriedShard } from './shards/query-and-fetch.js';
import { fetchLookups } from './hits/fetch-lookups.js';
import { withLookups, type LookupAllowance } from './hits/lookup-fields.js';
import { indexBoosts } from './index-boosts.js';
import { searchShard } from './shards/search-one-shard.js';
import type { SearchTarget } from './shards/search-targets.js';
import { withSharedStatistics } from './shards/shared-statistics.js';
import { withoutUnmatched } from './shards/skip-shards.js';
import { withSlowLog } from './slow-log.js';
import { checkFailures, type ShardCounts, type ShardFailure } from './shards/shard-failures.js';

/** Views that a point in time holds: one copy of every shard. */
export interface SearchedPit {
  readonly places: readonly { readonly key: HeldPart['key']; readonly target: SearchTarget; readonly part: HeldPart }[];
  readonly keepAliveMs: number | undefined;
}

/** Adds to the hits of a page what other searches know of them: JSON members of each, see `ReducedSearch.render`. */
export type HitExpansion = (reduced: ReducedSearch, context: ActionContext) => Promise<readonly Uint8Array[]>;

export interface SearchRequest {
  readonly plan: SearchPlan;
  readonly settings: SearchSettings;
  readonly targets: readonly SearchTarget[];
  readonly copies: CopyPreference;
  readonly allowPartial: boolean;
  /** With more shards than that they are asked first whether they can match; absent: the API's default. */
  readonly preFilterShardSize?: number | undefined;
  /** So many results of shards are merged at a time; absent: the API's default. */
  readonly batchedReduceSize?: number | undefined;
  /** What the request says of the cache; undefined: its indices decide. */
  readonly requestCache?: boolean | undefined;
  /** The beginning of its body, for slow logs. */
  readonly source?: string;
  /** Of the names in `indices_boost`. */
  readonly ignoreUnavailable?: boolean | undefined;
  /** `dfs_query_then_fetch`: each shard scores as if it had the documents of all. */
  readonly scoredAlike?: boolean;
  readonly slice?: SliceRequest;
  readonly pit?: SearchedPit;
  /** Keeps the views for further pages. */
  readonly scroll?: Keep;
  readonly expand?: HitExpansion;
  /** What the `knn` of the plan found. */
  readonly nearest?: NearestDocuments;
  /** Is told what shards answer. */
  readonly progress?: SearchProgress;
  /** Of a search that looks something up for another one: what that one may still look up. */
  readonly lookups?: LookupAllowance;
}

export interface SearchProgress {
  /** Also when the search begins again. */
  planned(plan: SearchPlan, shards: number, skipped: number): void;
  /** With a query phase; `undefined` of a search of one shard, whose answer is whole. */
  answered(result: Uint8Array | undefined): void;
  failed(failure: ShardFailure): void;
}

export interface SearchAnswer {
  readonly shards: ShardCounts;
  /** Undefined when no shard was concerned. */
  readonly result: SearchResult | undefined;
  /** How often results of shards were merged; absent: once. */
  readonly reducePhases?: number;
  /** Nothing was searched for: only suggestions were asked for. */
  readonly isWithoutSearch?: boolean;
  readonly scrollId?: string;
}

/** A search and what each shard is asked, by one state. */
export interface PlannedSearch extends PlannedShards {
  readonly request: SearchRequest;
}

export async function search(given: SearchRequest, context: ActionContext): Promise<SearchAnswer> {
  return runPlanned(await planOfSearch(given, context), context);
}

/** Carries out what the request needs of documents and of other shards before it can be asked for. */
export async function planOfSearch(given: SearchRequest, context: ActionContext): Promise<PlannedSearch> {
  const names = given.targets.map(({ index }) => index.name);
  const wanted = { ...given, plan: await fetchLookups(given.plan, names, context) };
  const boosts = indexBoosts(context.clusterState(), given.plan.indices_boost ?? [], given.ignoreUnavailable ?? false);
  const nearest = await nearestDocuments(wanted, context);
  const statistics = await scoredAlike(wanted, boosts, context);
  const request = nearest === undefined ? statistics : { ...statistics, nearest };
  return { request, ...plannedShards(request, boosts) };
}

export async function runPlanned(planned: PlannedSearch, context: ActionContext): Promise<SearchAnswer> {
  const answer = await askShards(planned, context);
  const { nearest } = planned.request;
  if (nearest === undefined || answer.result === undefined) return answer;
  return { ...answer, result: nearest.withProfile(answer.result) };
}

async function askShards(planned: PlannedSearch, context: ActionContext): Promise<SearchAnswer> {
  const { request } = planned;
  const { shards: matched, skipped } = await withoutUnmatched(planned, request, context);
  const shards = withSlowLog(matched, request, matched.length + skipped, context);
  const [only] = shards;
  request.progress?.planned(request.plan, shards.length, skipped);
  const failed = request.nearest?.failures ?? [];
  const isWhole = request.scroll === undefined && request.expand === undefined && failed.length === 0;
  if (only === undefined) {
    const scrollId = request.scroll === undefined ? {} : { scrollId: scrollIdOf([]) };
    return { shards: { total: skipped, failures: [], skipped }, result: undefined, ...scrollId };
  }
  if (shards.length === 1 && isWhole) return searchOne(only, request, skipped, context);
  return searchSeveral(shards, request, skipped, context);
}

/** Statistics are those of all slices, and of shards that nothing matches in. */
async function scoredAlike(
  request: SearchRequest,
  boosts: ReadonlyMap<string, number>,
  context: ActionContext,
): Promise<SearchRequest> {
  if (request.scoredAlike !== true) return request;
  const { slice: _slice, ...whole } = request;
  const { shards } = plannedShards(whole, boosts);
  return { ...request, plan: await withSharedStatistics(request.plan, shards, request.copies, context) };
}

async function searchOne(
  shard: PlannedShard,
  request: SearchRequest,
  skipped: number,
  context: ActionContext,
): Promise<SearchAnswer> {
  const answer = await searchShard(shard, request.copies, context);
  const total = 1 + skipped;
  if (!(answer instanceof CopyFailure)) {
    request.progress?.answered(undefined);
    const result = await withLookups(answer.output, request.lookups, search, context);
    return { shards: { total, failures: [], skipped }, result };
  }
  const failure = failureOf(shard.key, answer);
  request.progress?.failed(failure);
  checkFailures({ total: 1, failures: [failure] }, request.allowPartial);
  throw answer.error;
}

/** A copy that is lost between the phases has the search begin again: the other copies have let go of their views. */
const TRIES_MAX = 3;

async function searchSeveral(
  shards: readonly PlannedShard[],
  request: SearchRequest,
  skipped: number,
  context: ActionContext,
): Promise<SearchAnswer> {
  const isScroll = request.scroll !== undefined;
  const failed = request.nearest?.failures ?? [];
  const asked = shards.filter(({ key }) => request.nearest?.hasFailed(key) !== true);
  for (let tries = 1; ; tries++) {
    if (tries > 1) request.progress?.planned(request.plan, shards.length, skipped);
    const reduce = new BatchedReduce(request.plan, request.batchedReduceSize, asked.length);
    const { queried, failures: later } = await queryAll(asked, request, reduce, context).catch((error: unknown) => {
      reduce.release();
      throw error;
    });
    const failures = [...failed, ...later];
    const counts = { total: shards.length + skipped, failures, skipped };
    try {
      checkFailures({ total: shards.length, failures }, request.allowPartial);
      context.cancellation.throwIfCancelled();
      const reduced = reduce.finish();
      const members = (await request.expand?.(reduced, context)) ?? [];
      const page = await fetchAll(
        queried.map((shard) => ({ ...shard, isScroll })),
        reduced,
        context,
      );
      const loss = lossOf(page);
      if (loss === undefined) {
        const shown = { ...counts, failures: [...failures, ...page.failures] };
        checkFailures({ total: shards.length, failures: shown.failures }, request.allowPartial, 'fetch');
        context.cancellation.throwIfCancelled();
        const result = await withLookups(reduced.render(page.fetched, members), request.lookups, search, context);
        const scrollId = isScroll ? { scrollId: scrollIdOf(queried) } : {};
        return { shards: shown, result, reducePhases: reduce.phases, ...scrollId };
      }
      if (tries === TRIES_MAX) throw loss;
      if (isScroll) letGo(freed(queried), context);
    } catch (error) {
      letGo(isScroll ? freed(queried) : queried, context);
      throw error;
    } finally {
      reduce.release();
    }
  }
}

/** Of a scroll that does not come about. */
function freed(queried: readonly QueriedShard[]): readonly QueriedShard[] {
  return queried.map((shard) => ({ ...shard, isKept: false }));
}

function scrollIdOf(queried: readonly QueriedShard[]): string {
  const parts = queried.flatMap(({ key, place, searcher }) =>
    searcher === undefined ? [] : [{ key, place, searcher }],
  );
  return encodeContextId({ kind: 'scroll', parts, filters: {}, hasTiebreaker: false });
}
