/** Leaves out of a search the shards that cannot hold a match: their columns tell it before any of them is searched. */
import type { AggregationPlan } from '../../../search/aggs/aggregation-plan.js';
import type { SearchPlan } from '../../../search/plan/search-plan.js';
import type { ActionContext } from '../../context.js';
import { canMatch } from './can-match.js';
import type { PlannedShard, PlannedShards } from './planned-shards.js';
import { countPlanForTarget } from '../search-plans.js';
import type { SearchRequest } from '../search.js';
import type { SearchTarget } from './search-targets.js';

/** Shards of a search that are asked for nothing but their hits, above which they are asked first whether they match. */
const PRE_FILTER_SHARD_SIZE = 128;

/** One shard always remains: it makes the answer what it is without a hit. */
export async function withoutUnmatched(
  planned: PlannedShards,
  request: SearchRequest,
  context: ActionContext,
): Promise<PlannedShards> {
  const { shards, skipped } = planned;
  // What was found by vectors is in the queries of the shards alone.
  if (request.nearest !== undefined) return planned;
  const { plan, preFilterShardSize } = request;
  const most = preFilterShardSize ?? (isSortedByField(plan) ? 1 : PRE_FILTER_SHARD_SIZE);
  if (shards.length <= most || !mayMatchNothing(plan)) return planned;
  const kept = await matching(shards, request, context);
  const remaining = kept.length === 0 ? shards.slice(0, 1) : kept;
  return { shards: remaining, skipped: skipped + shards.length - remaining.length };
}

async function matching(
  shards: readonly PlannedShard[],
  { plan, settings, copies }: SearchRequest,
  context: ActionContext,
): Promise<readonly PlannedShard[]> {
  const { query, now_ms, limits, runtime } = plan;
  const count = { query, now_ms, limits, ...(runtime === undefined ? {} : { runtime }) };
  const encoded = new Map<SearchTarget, Uint8Array>();
  const asked = shards.map(({ key, target, held }) => {
    const own = encoded.get(target) ?? countPlanForTarget(count, target, settings);
    encoded.set(target, own);
    return { key, plan: own, ...(held === undefined ? {} : { held }) };
  });
  const verdicts = await canMatch(asked, copies, context);
  return shards.filter((_, at) => verdicts[at]);
}

/** What the query matches is all that the answer tells of a shard. */
function mayMatchNothing({ query, aggregations = [] }: SearchPlan): boolean {
  return !('match_all' in query) && !aggregations.some(seesEveryDocument);
}

function seesEveryDocument({ kind }: AggregationPlan): boolean {
  if ('global' in kind) return true;
  const { terms } = kind as { readonly terms?: { readonly min_doc_count?: number } };
  return terms?.min_doc_count === 0;
}

function isSortedByField({ sort = [] }: SearchPlan): boolean {
  const [first] = sort;
  return first !== undefined && 'field' in first;
}
