/**
 * A checked search or count request as the kernels read it (`native-bindings/plan/src/request.rs`). The
 * same plan goes to every shard: nothing in it depends on a mapping.
 */
import type { JsonScalar } from '../../base/json-value.js';
import type { LookupSpec } from '../../mapping/types.js';
import type { AggregationPlan } from '../aggs/aggregation-plan.js';
import type { SuggestPlan } from '../suggest/suggest-plan.js';
import type { GeoDistanceSortPlan } from './geo-plans.js';
import type { HighlightPlan } from './highlight-plan.js';
import type { KnnSectionPlan } from './knn-plans.js';
import type { QueryPlan, ScriptPlan } from './query-plan.js';

export type SortOrder = 'asc' | 'desc';
export type SortMode = 'min' | 'max' | 'sum' | 'avg' | 'median';
export type MissingPlan = 'first' | 'last' | { readonly value: JsonScalar };

export interface FieldSortPlan {
  readonly field: string;
  readonly order: SortOrder;
  readonly mode?: SortMode;
  readonly missing: MissingPlan;
  readonly unmapped_type?: string;
  /** What a request names as such, where there is no type of that name. */
  readonly unknown_type?: string;
  readonly format?: string;
  readonly numeric_type?: string;
  readonly nested?: NestedSortPlan;
}

/** The nested documents whose values a document sorts by. */
export interface NestedSortPlan {
  readonly path: string;
  readonly filter?: QueryPlan;
  readonly max_children?: number;
  readonly nested?: NestedSortPlan;
}

/** A field that a script computes (`RuntimeSpec` in `native-bindings/mapping/src/spec.rs`). */
export interface ComputedFieldPlan {
  readonly name: string;
  /** Absent: that of what scripts make of the values of `base`. */
  readonly type?: string;
  /** Absent: what the source has at the path. */
  readonly script?: ScriptPlan;
  /** Context of the script. */
  readonly context?: string;
  /** Of a composite: under which name the script emits the values. */
  readonly part?: string;
  /** The script runs for each value of this field. */
  readonly base?: string;
  readonly format?: string;
  /** Nothing is computed: hits show what another index has. */
  readonly lookup?: LookupSpec;
}

export interface ScriptSortPlan {
  readonly script: ScriptPlan;
  readonly order: SortOrder;
  /** Of texts: the field that is computed to sort by. */
  readonly computed?: ComputedFieldPlan;
}

export type SortKeyPlan =
  | { readonly score: { readonly order: SortOrder } }
  | { readonly doc: { readonly order: SortOrder } }
  | { readonly shard_doc: { readonly order: SortOrder } }
  | { readonly field: FieldSortPlan }
  | { readonly script: ScriptSortPlan }
  | { readonly geo_distance: GeoDistanceSortPlan };

export type TrackTotalHitsPlan = 'disabled' | 'exact' | { readonly up_to: number };

export interface SourceFilterPlan {
  readonly enabled: boolean;
  readonly includes?: readonly string[];
  readonly excludes?: readonly string[];
  /** Fields of vectors are left out as well. Kernels are told their names instead: see `withoutVectors`. */
  readonly exclude_vectors?: true | undefined;
}

export interface FieldAndFormatPlan {
  readonly field: string;
  readonly format?: string;
}

export interface ScriptFieldPlan {
  readonly name: string;
  readonly script: ScriptPlan;
  readonly ignore_failure: boolean;
}

export interface FetchPlan {
  readonly source: SourceFilterPlan;
  readonly docvalue_fields?: readonly FieldAndFormatPlan[];
  readonly stored_fields?: readonly string[];
  readonly no_stored_fields?: boolean;
  readonly fields?: readonly FieldAndFormatPlan[];
  readonly highlight?: HighlightPlan;
  readonly script_fields?: readonly ScriptFieldPlan[];
  readonly version?: boolean;
  readonly seq_no_primary_term?: boolean;
  readonly explain?: boolean;
  readonly named_queries_score?: boolean;
  readonly total_hits_as_int?: boolean;
}

/** The nested documents of a hit that a `nested` query matched. */
export interface InnerHitsPlan {
  readonly name?: string;
  readonly ignore_unmapped?: boolean;
  readonly from: number;
  readonly size: number;
  readonly sort: readonly SortKeyPlan[];
  readonly track_scores: boolean;
  readonly fetch: FetchPlan;
}

export interface SlicePlan {
  readonly id: number;
  readonly max: number;
  readonly by: 'id' | 'doc' | { readonly field: string };
}

export type RescoreMode = 'total' | 'multiply' | 'avg' | 'max' | 'min';

export interface RescorePlan {
  readonly window: number;
  readonly query: QueryPlan;
  readonly query_weight: number;
  readonly rescore_weight: number;
  readonly mode: RescoreMode;
}

export interface LimitsPlan {
  readonly max_clauses: number;
  readonly max_buckets: number;
  /** Memory that the aggregations of all searches of the node may hold together. */
  readonly request_breaker_bytes?: number;
  readonly allow_expensive_queries: boolean;
}

/** By the reference. */
export type LateError = 'search_timeout_exception' | 'query_phase_execution_exception';

export interface SearchPlan {
  readonly query: QueryPlan;
  /** What the aliases in the request's path let through; the query has it already, a `global` aggregation needs it. */
  readonly alias_filter?: QueryPlan;
  readonly post_filter?: QueryPlan;
  readonly from: number;
  readonly size: number;
  readonly sort?: readonly SortKeyPlan[];
  /** Fields of 32 bits and fewer sort missing values by the least or greatest number of 32 bits, not of 64. */
  readonly int_missing?: boolean;
  readonly search_after?: readonly JsonScalar[];
  /** Trailing sort keys that hits do not show. */
  readonly hidden_keys?: number;
  /** Place of the shard among those of the request. */
  readonly shard_ordinal?: number;
  readonly slice?: SlicePlan;
  /** The field that hits are collapsed by. */
  readonly collapse?: string;
  readonly rescore?: readonly RescorePlan[];
  readonly track_total_hits: TrackTotalHitsPlan;
  readonly track_scores?: boolean;
  readonly min_score?: number;
  readonly timeout_ms?: number;
  /** What a shard fails with that takes longer; absent: it answers with what it found in time. */
  readonly late_error?: LateError;
  readonly terminate_after?: number;
  readonly now_ms: number;
  /** The checked `aggs` object of the request. */
  readonly aggregations?: readonly AggregationPlan[];
  readonly profile?: boolean;
  readonly typed_keys?: boolean;
  readonly runtime?: readonly ComputedFieldPlan[];
  /** Counts of all shards that scores are computed from (`mergeStatistics`); absent: each shard counts for itself. */
  readonly statistics?: string;
  readonly limits: LimitsPlan;
  readonly fetch: FetchPlan;
  /** Names under which the shards count the search; not for the kernels. */
  readonly stats?: readonly string[];
  /** What scores are multiplied with by index; not for the kernels, which get it as the query's boost. */
  readonly indices_boost?: readonly IndexBoostPlan[];
  /** Searched for before the query; not for the kernels, which get what was found as part of the query. */
  readonly knn?: readonly KnnSectionPlan[];
}

/** An index, alias or pattern of names. */
export interface IndexBoostPlan {
  readonly index: string;
  readonly boost: number;
}

export interface CountPlan {
  readonly query: QueryPlan;
  readonly min_score?: number;
  readonly terminate_after?: number;
  readonly now_ms: number;
  readonly runtime?: readonly ComputedFieldPlan[];
  readonly limits: LimitsPlan;
}

/** A query to explain for a document, or to describe. */
export interface QueryCheckPlan {
  readonly query: QueryPlan;
  readonly id?: string;
  readonly now_ms: number;
  readonly runtime?: readonly ComputedFieldPlan[];
  readonly limits: LimitsPlan;
}

/** An encoded plan whose answer shows its total as a number, or as an object. */
export function withTotalAsInt(plan: Uint8Array, totalAsInt: boolean): Uint8Array {
  const { fetch, ...others } = JSON.parse(new TextDecoder().decode(plan)) as SearchPlan;
  return encodePlan({ ...others, fetch: { ...fetch, total_hits_as_int: totalAsInt } });
}

/** The bytes that the kernels take. */
export function encodePlan(plan: SearchPlan | CountPlan | QueryCheckPlan | SuggestPlan): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({ ...plan, ...fetchInKernels(plan), stats: undefined, indices_boost: undefined, knn: undefined }),
  );
}

/** Kernels are told the names of fields in place of `exclude_vectors`; who merges answers shows no sources. */
function fetchInKernels(plan: object | SearchPlan): { readonly fetch?: FetchPlan } {
  if (!('fetch' in plan) || plan.fetch.source.exclude_vectors === undefined) return {};
  return { fetch: { ...plan.fetch, source: { ...plan.fetch.source, exclude_vectors: undefined } } };
}
