/**
 * The checked query tree as the kernels read it (`native-bindings/plan/src/query.rs`): the two must agree
 * member for member, and the kernels refuse what they do not know. Members that are absent take the kernels' default,
 * which is the API's.
 */
import type { JsonScalar } from '../../base/json-value.js';
import type { GeoBoundingBoxPlan, GeoDistancePlan, GeoGridPlan, GeoPolygonPlan, GeoShapePlan } from './geo-plans.js';
import type { FoundPlan, KnnPlan } from './knn-plans.js';
import type { IntervalsPlan, SpanRootPlan } from './positional-plans.js';
import type { InnerHitsPlan } from './search-plan.js';
import type {
  DistanceFeaturePlan,
  FunctionScorePlan,
  PinnedPlan,
  RankFeaturePlan,
  TermsSetPlan,
} from './score-plans.js';
import type { CombinedFieldsPlan, MoreLikeThisPlan } from './text-plans.js';

export type Operator = 'or' | 'and';
export type ZeroTerms = 'none' | 'all';

export type FuzzinessPlan =
  { readonly edits: number } | { readonly auto: { readonly low: number; readonly high: number } };

/** How a query over many terms scores. */
export type RewritePlan =
  | 'constant_score'
  | 'scoring_boolean'
  | { readonly top_terms: number }
  | { readonly top_terms_boost: number }
  | { readonly top_terms_blended_freqs: number };

export interface FuzzyOptionsPlan {
  readonly fuzziness: FuzzinessPlan;
  readonly prefix_length?: number;
  readonly max_expansions?: number;
  readonly transpositions?: boolean;
  readonly rewrite?: RewritePlan;
}

interface BoostedPlan {
  readonly boost?: number;
}

export interface MatchPlan extends BoostedPlan {
  readonly field: string;
  readonly query: JsonScalar;
  readonly operator?: Operator;
  readonly minimum_should_match?: string;
  readonly fuzzy?: FuzzyOptionsPlan;
  readonly analyzer?: string;
  readonly lenient?: boolean;
  readonly zero_terms?: ZeroTerms;
  /** Synonyms of several words match as phrases, unless this is false: then each of their words must be there. */
  readonly synonym_phrases?: boolean;
  /** Terms that the last word of `match_bool_prefix` expands to. */
  readonly max_expansions?: number;
}

export interface MatchPhrasePlan extends BoostedPlan {
  readonly field: string;
  readonly query: JsonScalar;
  readonly slop?: number;
  readonly analyzer?: string;
  readonly zero_terms?: ZeroTerms;
  readonly max_expansions?: number;
  readonly lenient?: boolean;
}

export type MultiMatchType =
  'best_fields' | 'most_fields' | 'cross_fields' | 'phrase' | 'phrase_prefix' | 'bool_prefix';

export interface WeightedField {
  readonly field: string;
  readonly boost?: number;
}

export interface MultiMatchPlan extends BoostedPlan {
  readonly query: JsonScalar;
  readonly fields: readonly WeightedField[];
  /** Fields whose names end in this instead, where they are mapped. */
  readonly field_suffix?: string;
  readonly type?: MultiMatchType;
  readonly tie_breaker?: number;
  readonly operator?: Operator;
  readonly minimum_should_match?: string;
  readonly fuzzy?: FuzzyOptionsPlan;
  readonly analyzer?: string;
  readonly lenient?: boolean;
  readonly zero_terms?: ZeroTerms;
  readonly synonym_phrases?: boolean;
  /** Words that the analyzer took out leave no place in a phrase. */
  readonly ignores_gaps?: boolean;
  readonly slop?: number;
  readonly max_expansions?: number;
}

export interface TermPlan extends BoostedPlan {
  readonly field: string;
  readonly value: JsonScalar;
  readonly case_insensitive?: boolean;
}

export interface TermsPlan extends BoostedPlan {
  readonly field: string;
  readonly values: readonly JsonScalar[];
  /** Numbers instead of `values`: a serialized roaring bitmap in base64. */
  readonly bitmap?: string;
  /** Where the values come from, until `actions/searches/hits/fetch-lookups.ts` has fetched them. */
  readonly lookup?: TermsLookupPlan;
}

export interface TermsLookupPlan {
  readonly index: string;
  readonly id: string;
  readonly path: string;
  readonly routing?: string;
  /** The document has a bitmap there. */
  readonly is_bitmap?: boolean;
}

export interface BoundPlan {
  readonly value: JsonScalar;
  readonly inclusive: boolean;
}

export interface RangePlan extends BoostedPlan {
  readonly field: string;
  readonly from?: BoundPlan;
  readonly to?: BoundPlan;
  readonly format?: string;
  readonly time_zone?: string;
  readonly relation?: RangeRelation;
}

/** How ranges of documents lie to that of the query. */
export type RangeRelation = 'intersects' | 'within' | 'contains';

export interface PatternPlan extends BoostedPlan {
  readonly field: string;
  readonly value: string;
  readonly case_insensitive?: boolean;
  readonly rewrite?: RewritePlan;
}

export interface RegexpPlan extends PatternPlan {
  readonly flags?: readonly string[];
  readonly max_determinized_states?: number;
  readonly is_normalized?: boolean;
}

export interface FuzzyPlan extends BoostedPlan {
  readonly field: string;
  readonly value: JsonScalar;
  /** The field's analyzer, or the one named, makes characters of the text what they are in terms. */
  readonly is_normalized?: boolean;
  readonly analyzer?: string;
  readonly fuzzy: FuzzyOptionsPlan;
}

export interface BoolPlan extends BoostedPlan {
  readonly must?: readonly QueryPlan[];
  readonly filter?: readonly QueryPlan[];
  readonly should?: readonly QueryPlan[];
  readonly must_not?: readonly QueryPlan[];
  readonly minimum_should_match?: string;
  readonly adjust_pure_negative?: boolean;
  /** Clauses whose text analyses to nothing ask for nothing. */
  readonly drops_empty?: boolean;
  /** Everything but what `must_not` names: where that asks for nothing, so does this. */
  readonly is_negation?: boolean;
}

export interface DisMaxPlan extends BoostedPlan {
  readonly queries: readonly QueryPlan[];
  readonly tie_breaker?: number;
}

export interface BoostingPlan extends BoostedPlan {
  readonly positive: QueryPlan;
  readonly negative: QueryPlan;
  readonly negative_boost: number;
}

/** A script as the kernels read it (`ScriptSpec`). */
export interface ScriptPlan {
  readonly source?: string;
  readonly lang?: string;
  /** Name of a stored script. Plans that have one mean something else when it is stored anew. */
  readonly stored_id?: string;
  /** JSON of an object. */
  readonly params?: string;
}

export interface ScriptScorePlan extends BoostedPlan {
  readonly query: QueryPlan;
  readonly script: ScriptPlan;
  readonly min_score?: number;
}

export type NestedScorePlan = 'avg' | 'sum' | 'min' | 'max' | 'none';

export interface NestedPlan extends BoostedPlan {
  readonly path: string;
  readonly query: QueryPlan;
  readonly score_mode?: NestedScorePlan;
  readonly ignore_unmapped?: boolean;
  readonly inner_hits?: InnerHitsPlan;
}

export interface HasChildPlan extends BoostedPlan {
  /** Kind of the children. */
  readonly type: string;
  readonly query: QueryPlan;
  readonly score_mode?: NestedScorePlan;
  readonly min_children?: number;
  readonly max_children?: number;
  readonly ignore_unmapped?: boolean;
  readonly inner_hits?: InnerHitsPlan;
}

export interface HasParentPlan extends BoostedPlan {
  readonly parent_type: string;
  readonly query: QueryPlan;
  readonly score?: boolean;
  readonly ignore_unmapped?: boolean;
  readonly inner_hits?: InnerHitsPlan;
}

export interface ParentIdPlan extends BoostedPlan {
  readonly type: string;
  readonly id: string;
  readonly ignore_unmapped?: boolean;
}

/** Documents whose stored query matches one of these. */
export interface PercolatePlan extends BoostedPlan {
  readonly field: string;
  /** JSON of each. */
  readonly documents: readonly string[];
  /** Where the document comes from, until `actions/searches/hits/fetch-lookups.ts` has fetched it. */
  readonly lookup?: DocumentLookupPlan;
  readonly name?: string;
}

export interface DocumentLookupPlan {
  readonly index: string;
  readonly id: string;
  readonly routing?: string;
  readonly preference?: string;
  /** Decimal digits. */
  readonly version?: string;
}

export type QueryPlan =
  | { readonly match_all: BoostedPlan }
  | { readonly match_none: BoostedPlan }
  | { readonly match: MatchPlan }
  | { readonly match_phrase: MatchPhrasePlan }
  | { readonly match_phrase_prefix: MatchPhrasePlan }
  | { readonly match_bool_prefix: MatchPlan }
  | { readonly multi_match: MultiMatchPlan }
  | { readonly term: TermPlan }
  | { readonly terms: TermsPlan }
  | { readonly range: RangePlan }
  | { readonly exists: BoostedPlan & { readonly field: string } }
  | { readonly prefix: PatternPlan }
  | { readonly wildcard: PatternPlan }
  | { readonly regexp: RegexpPlan }
  | { readonly fuzzy: FuzzyPlan }
  | { readonly ids: BoostedPlan & { readonly values: readonly string[] } }
  | { readonly bool: BoolPlan }
  | { readonly constant_score: BoostedPlan & { readonly filter: QueryPlan } }
  | { readonly dis_max: DisMaxPlan }
  | { readonly boosting: BoostingPlan }
  | { readonly function_score: FunctionScorePlan }
  | { readonly pinned: PinnedPlan }
  | { readonly distance_feature: DistanceFeaturePlan }
  | { readonly rank_feature: RankFeaturePlan }
  | { readonly terms_set: TermsSetPlan }
  | { readonly combined_fields: CombinedFieldsPlan }
  | { readonly more_like_this: MoreLikeThisPlan }
  | { readonly nested: NestedPlan }
  | { readonly has_child: HasChildPlan }
  | { readonly has_parent: HasParentPlan }
  | { readonly parent_id: ParentIdPlan }
  | { readonly geo_distance: GeoDistancePlan }
  | { readonly geo_bounding_box: GeoBoundingBoxPlan }
  | { readonly geo_polygon: GeoPolygonPlan }
  | { readonly geo_shape: GeoShapePlan }
  | { readonly geo_grid: GeoGridPlan }
  | { readonly percolate: PercolatePlan }
  | { readonly knn: KnnPlan }
  /** Part of no request: see `actions/searches/nearest/nearest-documents.ts`. */
  | { readonly found: FoundPlan }
  | { readonly span: SpanRootPlan }
  | { readonly intervals: IntervalsPlan }
  | { readonly script: BoostedPlan & { readonly script: ScriptPlan } }
  | { readonly script_score: ScriptScorePlan }
  /** The same query on several fields; its own field is not looked at. */
  | {
      readonly any_field: BoostedPlan & {
        readonly fields: readonly WeightedField[];
        readonly query: QueryPlan;
        readonly lenient?: boolean;
        /** What the scores of the other fields count beside the best; nothing unless given. */
        readonly tie_breaker?: number;
      };
    }
  | { readonly named: { readonly name: string; readonly query: QueryPlan } };
