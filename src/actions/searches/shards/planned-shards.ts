/** Which copies a search asks, and with which plan each. */
import type { SliceRequest } from '../../../search/request/slice.js';
import { sliceOfShard } from '../../../search/request/slice.js';
import { encodePlan, type SearchPlan, type SlicePlan } from '../../../search/plan/search-plan.js';
import { shardKey } from '../../documents/write-target.js';
import type { SlowSearch } from '../../operations/search-times.js';
import type { ShardKey } from '../../shard-client.js';
import type { HeldPart } from '../contexts/context-id.js';
import { cacheUse, type CacheUse } from '../cache-use.js';
import type { Keep } from '../contexts/open-searchers.js';
import { planWithFilters } from '../search-plans.js';
import type { SearchRequest } from '../search.js';
import type { SearchTarget } from './search-targets.js';

export interface PlannedShard {
  readonly key: ShardKey;
  readonly target: SearchTarget;
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  /** For the slow log; absent: there is none. */
  readonly slow?: SlowSearch;
  /** Hits are to be shown. */
  readonly fetches: boolean;
  readonly cache?: CacheUse;
  /** The copy whose view is held for this search; undefined: any copy, as it is now. */
  readonly held?: HeldPart & { readonly keepAliveMs: number | undefined };
  readonly scroll?: Keep;
}

export interface PlannedShards {
  readonly shards: readonly PlannedShard[];
  /** Shards that nothing of this slice is in. */
  readonly skipped: number;
}

interface Place {
  readonly key: ShardKey;
  readonly target: SearchTarget;
  readonly part?: HeldPart;
}

/** `boosts` are those of indices by name. */
export function plannedShards(request: SearchRequest, boosts: ReadonlyMap<string, number>): PlannedShards {
  const { plan, slice, pit, scroll, nearest } = request;
  const places = pit === undefined ? placesOf(request.targets) : pit.places;
  const groups = plan.stats ?? [];
  const isSame = slice === undefined && pit === undefined && nearest === undefined;
  const encoded = new Map<SearchTarget, EncodedPlan>();
  const fetches = plan.size > 0 || scroll !== undefined;
  const shards: PlannedShard[] = [];
  for (const [ordinal, { key, target, part }] of places.entries()) {
    const sliced = slice === undefined ? plan : slicedPlan(plan, slice, ordinal, places.length, pit !== undefined);
    if (sliced === undefined) continue;
    let own = isSame ? encoded.get(target) : undefined;
    if (own === undefined) {
      const found = nearest === undefined ? sliced : nearest.planFor(sliced, key);
      const whole = planWithFilters(found, target, request.settings, boosts.get(target.index.name));
      own = encodedPlan(pit === undefined ? whole : { ...whole, shard_ordinal: ordinal }, target, request);
      encoded.set(target, own);
    }
    shards.push({
      key,
      target,
      ...own,
      groups,
      fetches,
      ...(part === undefined ? {} : { held: { ...part, keepAliveMs: pit?.keepAliveMs } }),
      ...(scroll === undefined ? {} : { scroll }),
    });
  }
  return { shards, skipped: places.length - shards.length };
}

type EncodedPlan = Pick<PlannedShard, 'plan' | 'cache'>;

function encodedPlan(plan: SearchPlan, target: SearchTarget, request: SearchRequest): EncodedPlan {
  const cache = cacheUse(plan, target, request);
  return { plan: encodePlan(plan), ...(cache === undefined ? {} : { cache }) };
}

function placesOf(targets: readonly SearchTarget[]): readonly Place[] {
  return targets.flatMap((target) => target.shards.map((shard) => ({ key: shardKey(target.index, shard), target })));
}

/** Ids tell slices apart in every view; in one view the numbers of documents do, which is quicker. */
function slicedPlan(
  plan: SearchPlan,
  slice: SliceRequest,
  shard: number,
  shards: number,
  isOneView: boolean,
): SearchPlan | undefined {
  const part = sliceOfShard(slice, shard, shards);
  if (part === 'all') return plan;
  if (part === undefined) return undefined;
  const ofField = slice.field === undefined || slice.field === '_id' ? undefined : { field: slice.field };
  const by: SlicePlan['by'] = ofField ?? (isOneView && slice.field === undefined ? 'doc' : 'id');
  return { ...plan, slice: { ...part, by } };
}
