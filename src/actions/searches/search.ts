/** A search: one native call where one shard is concerned, else query, reduce, fetch. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { reduceSearch, type ReducedSearch, type SearchResult } from '../../native/searcher.js';
import { encodePlan, type SearchPlan } from '../../search/plan/search-plan.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ActionContext } from '../context.js';
import { shardKey } from '../documents/write-target.js';
import type { QueryPhaseOutput } from '../operations/search-shard.js';
import type { ShardKey } from '../shard-client.js';
import { planForTarget } from './search-plans.js';
import type { SearchTarget } from './search-targets.js';
import { checkFailures, reduceFailure, type ShardCounts, type ShardFailure } from './shard-failures.js';

export interface SearchRequest {
  readonly plan: SearchPlan;
  readonly settings: SearchSettings;
  readonly targets: readonly SearchTarget[];
  readonly allowPartial: boolean;
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

export async function search(request: SearchRequest, context: ActionContext): Promise<SearchAnswer> {
  const shards = plannedShards(request);
  const [only] = shards;
  if (only === undefined) return { shards: { total: 0, failures: [] }, result: undefined };
  if (shards.length === 1) return searchOne(only, request, context);
  return searchSeveral(shards, request, context);
}

function plannedShards({ plan, settings, targets }: SearchRequest): readonly PlannedShard[] {
  return targets.flatMap((target) => {
    const encoded = planForTarget(plan, target, settings);
    return target.shards.map((shard) => ({
      key: shardKey(target.index, shard),
      plan: encoded,
      groups: plan.stats ?? [],
    }));
  });
}

async function searchOne(shard: PlannedShard, request: SearchRequest, context: ActionContext): Promise<SearchAnswer> {
  const { key, plan, groups } = shard;
  try {
    const result = await context.shards.onShard(key, 'search', { plan, groups });
    return { shards: { total: 1, failures: [] }, result };
  } catch (thrown) {
    const counts = { total: 1, failures: [{ key, error: asQuarryError(thrown) }] };
    checkFailures(counts, context.node.id, request.allowPartial);
    throw thrown;
  }
}

interface QueriedShard extends PlannedShard, QueryPhaseOutput {}

async function searchSeveral(
  shards: readonly PlannedShard[],
  request: SearchRequest,
  context: ActionContext,
): Promise<SearchAnswer> {
  const { queried, failures } = await queryAll(shards, context);
  checkFailures({ total: shards.length, failures }, context.node.id, request.allowPartial);
  context.cancellation.throwIfCancelled();
  const reduced = await reduce(queried, request, context);
  const fetched = await Promise.all(queried.map((shard, place) => fetchFrom(shard, reduced.fetchList(place), context)));
  return { shards: { total: shards.length, failures }, result: reduced.render(fetched) };
}

/** What the shards cannot be merged over fails the whole search; nothing will be fetched then. */
async function reduce(
  queried: readonly QueriedShard[],
  request: SearchRequest,
  context: ActionContext,
): Promise<ReducedSearch> {
  try {
    return reduceSearch(
      encodePlan(request.plan),
      queried.map(({ result }) => result),
    );
  } catch (thrown) {
    await Promise.all(queried.map((shard) => fetchFrom(shard, NOTHING, context)));
    throw reduceFailure(asQuarryError(thrown));
  }
}

const NOTHING = new Uint8Array(0);

async function queryAll(
  shards: readonly PlannedShard[],
  context: ActionContext,
): Promise<{ queried: readonly QueriedShard[]; failures: readonly ShardFailure[] }> {
  const outcomes = await Promise.all(
    shards.map(async ({ key, plan, groups }) =>
      context.shards.onShard(key, 'query-phase', { plan, groups }).catch(asQuarryError),
    ),
  );
  const queried: QueriedShard[] = [];
  const failures: ShardFailure[] = [];
  for (const [at, shard] of shards.entries()) {
    const outcome = outcomes[at];
    if (outcome instanceof QuarryError) failures.push({ key: shard.key, error: outcome });
    else if (outcome !== undefined) queried.push({ ...shard, ...outcome });
  }
  return { queried, failures };
}

/** A shard without hits to show only lets go of its searcher. */
async function fetchFrom(shard: QueriedShard, fetchList: Uint8Array, context: ActionContext): Promise<Uint8Array> {
  const { key, plan, groups, searcher } = shard;
  if (fetchList.length > 0) return context.shards.onShard(key, 'fetch-phase', { searcher, plan, groups, fetchList });
  await context.shards.onShard(key, 'release-searcher', { searcher });
  return new Uint8Array(0);
}
