/** Plans of searches for the nearest vectors (`plan/vectors.rs` of the kernels). */
import type { QueryPlan } from './query-plan.js';
import type { InnerHitsPlan } from './search-plan.js';

export interface KnnPlan {
  readonly field: string;
  readonly query_vector: readonly number[];
  /** Absent until the size of the search is known. */
  readonly k?: number;
  readonly num_candidates?: number;
  readonly filter?: readonly QueryPlan[];
  /** About whole documents, whatever fields they name. */
  readonly alias_filter?: readonly QueryPlan[];
  readonly similarity?: number;
  readonly boost?: number;
  /** How many times `k` are compared by their vectors where these are quantised. */
  readonly oversample?: number;
}

/** A member of the `knn` of a search, carried out before its query: the `k` nearest of all shards. */
export interface KnnSectionPlan extends KnnPlan {
  readonly k: number;
  readonly num_candidates: number;
  /** Hits report it under `matched_queries`. */
  readonly name?: string;
  /** Hits show their nested documents. */
  readonly inner_hits?: InnerHitsPlan;
}

/** What an earlier search of a shard found. */
export interface FoundPlan {
  readonly documents: readonly FoundDocumentPlan[];
  /** Nested documents that hits show by how near they are. */
  readonly shown?: { readonly query: QueryPlan; readonly inner_hits: InnerHitsPlan };
}

export interface FoundDocumentPlan {
  readonly id: string;
  readonly seq_no: number;
  readonly score: number;
}

/** Most candidates that the API lets a request ask for. */
export const CANDIDATES_MAX = 10_000;
const CANDIDATES_FOR_EACH = 1.5;

interface Sizes {
  readonly k: number;
  readonly num_candidates: number;
}

/** What a request says, and where it says nothing what follows from the number of hits that it wants. */
export function knnSizes({ k: givenK, num_candidates: given }: Partial<Sizes>, size: number): Sizes {
  const k = givenK ?? Math.min(size, given ?? CANDIDATES_MAX);
  return { k, num_candidates: given ?? Math.max(k, Math.min(CANDIDATES_MAX, Math.round(k * CANDIDATES_FOR_EACH))) };
}

/** The plan with each search for the nearest vectors in it changed; the very same where there is none. */
export function mapKnn<Plan>(plan: Plan, change: (knn: KnnPlan) => KnnPlan): Plan {
  return mapValue(plan, change) as Plan;
}

function mapValue(value: unknown, change: (knn: KnnPlan) => KnnPlan): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // A list of scalars may be long, and has no queries.
    if (typeof value[0] !== 'object') return value;
    const items = value.map((item) => mapValue(item, change));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const mapped = name === 'knn' && isKnn(member) ? change(mapFilters(member, change)) : mapValue(member, change);
    if (mapped === member) continue;
    changed ??= { ...value };
    changed[name] = mapped;
  }
  return changed ?? value;
}

function mapFilters(knn: KnnPlan, change: (knn: KnnPlan) => KnnPlan): KnnPlan {
  const filter = mapValue(knn.filter, change) as KnnPlan['filter'];
  return filter === undefined || filter === knn.filter ? knn : { ...knn, filter };
}

function isKnn(value: unknown): value is KnnPlan {
  return typeof value === 'object' && value !== null && 'query_vector' in value;
}
