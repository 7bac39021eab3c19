/** A search: one native call where one shard is concerned, else query, reduce, fetch. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError, type ErrorType } from '../../base/errors.js';
import { reduceSearch, type ReducedSearch, type SearchResult } from '../../native/searcher.js';
import { encodePlan, type SearchPlan } from '../../search/plan/search-plan.js';
import type { SearchSettings } from '../../search/settings.js';
import { isConnectionFailure } from '../../transport/protocol.js';
import type { ActionContext } from '../context.js';
import type { CopyPreference } from '../copy-preference.js';
import { shardKey } from '../documents/write-target.js';
import type { QueryPhaseOutput } from '../operations/search-shard.js';
import { CopyFailure, readFromCopies } from '../read-from-copies.js';
import type { CopyPlace, ShardKey } from '../shard-client.js';
import { fetchLookups } from './fetch-lookups.js';
import { indexBoosts } from './index-boosts.js';
import { planForTarget } from './search-plans.js';
import type { SearchTarget } from './search-targets.js';
import { checkFailures, reduceFailure, type ShardCounts, type ShardFailure } from './shard-failures.js';

export interface SearchRequest {
  readonly plan: SearchPlan;
  readonly settings: SearchSettings;
  readonly targets: readonly SearchTarget[];
  readonly copies: CopyPreference;
  readonly allowPartial: boolean;
  /** Of the names in `indices_boost`. */
  readonly ignoreUnavailable?: boolean | undefined;
}

export interface SearchAnswer {
  readonly shards: ShardCounts;
  /** Undefined when no shard was concerned. */
  readonly result: SearchResult | undefined;
}

interface PlannedShard {
  readonly key: ShardKey;
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
}

export async function search(given: SearchRequest, context: ActionContext): Promise<SearchAnswer> {
  const names = given.targets.map(({ index }) => index.name);
  const request = { ...given, plan: await fetchLookups(given.plan, names, context) };
  const shards = plannedShards(request, context);
  const [only] = shards;
  if (only === undefined) return { shards: { total: 0, failures: [] }, result: undefined };
  if (shards.length === 1) return searchOne(only, request, context);
  return searchSeveral(shards, request, context);
}

function plannedShards(request: SearchRequest, context: ActionContext): readonly PlannedShard[] {
  const { plan, settings, targets, ignoreUnavailable = false } = request;
  const boosts = indexBoosts(context.clusterState(), plan.indices_boost ?? [], ignoreUnavailable);
  return targets.flatMap((target) => {
    const encoded = planForTarget(plan, target, settings, boosts.get(target.index.name));
    return target.shards.map((shard) => ({
      key: shardKey(target.index, shard),
      plan: encoded,
      groups: plan.stats ?? [],
    }));
  });
}

async function searchOne(shard: PlannedShard, request: SearchRequest, context: ActionContext): Promise<SearchAnswer> {
  const { key, plan, groups } = shard;
  const answer = await readFromCopies(context, key, request.copies, 'search', { plan, groups });
  if (!(answer instanceof CopyFailure)) return { shards: { total: 1, failures: [] }, result: answer.output };
  checkFailures({ total: 1, failures: [failureOf(key, answer)] }, request.allowPartial);
  throw answer.error;
}

interface QueriedShard extends PlannedShard, QueryPhaseOutput {
  /** The copy that holds the searcher. */
  readonly place: CopyPlace;
}

/** A copy that is lost between the phases has the search begin again: the other copies have let go of their views. */
const TRIES_MAX = 3;

async function searchSeveral(
  shards: readonly PlannedShard[],
  request: SearchRequest,
  context: ActionContext,
): Promise<SearchAnswer> {
  for (let tries = 1; ; tries++) {
    const { queried, failures } = await queryAll(shards, request.copies, context);
    const counts = { total: shards.length, failures };
    try {
      checkFailures(counts, request.allowPartial);
      context.cancellation.throwIfCancelled();
      const reduced = reduce(queried, request);
      const fetched = await fetchAll(queried, reduced, context);
      if (!(fetched instanceof LostView)) return { shards: counts, result: reduced.render(fetched) };
      if (tries === TRIES_MAX) throw fetched.error;
    } catch (error) {
      letGo(queried, context);
      throw error;
    }
  }
}

/** What the shards cannot be merged over fails the whole search; nothing will be fetched then. */
function reduce(queried: readonly QueriedShard[], request: SearchRequest): ReducedSearch {
  try {
    return reduceSearch(
      encodePlan(request.plan),
      queried.map(({ result }) => result),
    );
  } catch (thrown) {
    throw reduceFailure(asQuarryError(thrown));
  }
}

async function queryAll(
  shards: readonly PlannedShard[],
  copies: CopyPreference,
  context: ActionContext,
): Promise<{ queried: readonly QueriedShard[]; failures: readonly ShardFailure[] }> {
  const outcomes = await Promise.all(
    shards.map(({ key, plan, groups }) => readFromCopies(context, key, copies, 'query-phase', { plan, groups })),
  );
  const queried: QueriedShard[] = [];
  const failures: ShardFailure[] = [];
  for (const [at, shard] of shards.entries()) {
    const outcome = outcomes[at];
    if (outcome instanceof CopyFailure) failures.push(failureOf(shard.key, outcome));
    else if (outcome !== undefined) queried.push({ ...shard, ...outcome.output, place: outcome.place });
  }
  return { queried, failures };
}

function failureOf(key: ShardKey, { error, nodeId }: CopyFailure): ShardFailure {
  return { key, error, nodeId };
}

/** Some copy no longer has the view that was queried. */
class LostView {
  readonly error: QuarryError;

  constructor(error: QuarryError) {
    this.error = error;
  }
}

const NOTHING = new Uint8Array(0);

/** Of every shard its documents on the page; a shard without any only lets go of its searcher. */
async function fetchAll(
  queried: readonly QueriedShard[],
  reduced: ReducedSearch,
  context: ActionContext,
): Promise<readonly Uint8Array[] | LostView> {
  const outcomes = await Promise.allSettled(
    queried.map(async (shard, at): Promise<Uint8Array> => {
      const fetchList = reduced.fetchList(at);
      if (fetchList.length > 0) return fetchFrom(shard, fetchList, context);
      letGo([shard], context);
      return NOTHING;
    }),
  );
  const fetched: Uint8Array[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') fetched.push(outcome.value);
    else if (isLoss(outcome.reason)) return new LostView(outcome.reason);
    else throw outcome.reason;
  }
  return fetched;
}

function fetchFrom(shard: QueriedShard, fetchList: Uint8Array, context: ActionContext): Promise<Uint8Array> {
  const { key, place, plan, groups, searcher } = shard;
  return context.shards.onCopy(key, place, 'fetch-phase', { searcher, plan, groups, fetchList });
}

/** Nothing waits for it: a searcher that cannot be told expires. */
function letGo(queried: readonly QueriedShard[], context: ActionContext): void {
  for (const { key, place, searcher } of queried) {
    context.shards.onCopy(key, place, 'release-searcher', { searcher }).catch(() => undefined);
  }
}

const LOSSES: ReadonlySet<ErrorType> = new Set([
  'no_shard_available_action_exception',
  'search_context_missing_exception',
  'shard_not_found_exception',
]);

function isLoss(error: unknown): error is QuarryError {
  return isConnectionFailure(error) || (error instanceof QuarryError && LOSSES.has(error.type));
}
