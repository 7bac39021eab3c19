/** Plans of queries that compute scores (`plan/function_score.rs` of the kernels, member for member). */
import type { JsonScalar, JsonValue } from '../../base/json-value.js';
import type { QueryPlan, ScriptPlan } from './query-plan.js';

export type ScoreMode = 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
export type BoostMode = 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
export type Modifier = 'none' | 'log' | 'log1p' | 'log2p' | 'ln' | 'ln1p' | 'ln2p' | 'square' | 'sqrt' | 'reciprocal';
export type DecayShape = 'gauss' | 'exp' | 'linear';
export type ValueMode = 'min' | 'max' | 'avg' | 'sum';

export interface FieldValueFactorPlan {
  readonly field: string;
  readonly factor?: number;
  readonly modifier?: Modifier;
  readonly missing?: number;
}

export interface DecayPlan {
  readonly field: string;
  readonly shape: DecayShape;
  readonly origin?: JsonValue;
  readonly scale: JsonScalar;
  readonly offset?: JsonScalar;
  readonly decay: number;
  readonly mode?: ValueMode;
}

export interface RandomScorePlan {
  /** Absent: other numbers at each moment. */
  readonly seed?: number;
  readonly field?: string;
}

export type FunctionKindPlan =
  | { readonly field_value_factor: FieldValueFactorPlan }
  | { readonly decay: DecayPlan }
  | { readonly random_score: RandomScorePlan }
  | { readonly script_score: ScriptPlan };

export interface ScoreFunctionPlan {
  readonly filter?: QueryPlan;
  readonly weight?: number;
  readonly kind?: FunctionKindPlan;
}

export interface FunctionScorePlan {
  readonly query: QueryPlan;
  readonly functions: readonly ScoreFunctionPlan[];
  readonly score_mode?: ScoreMode;
  readonly boost_mode?: BoostMode;
  readonly max_boost?: number;
  readonly min_score?: number;
  readonly boost?: number;
}

export interface DistanceFeaturePlan {
  readonly field: string;
  readonly origin: JsonValue;
  readonly pivot: string;
  readonly boost?: number;
}

export interface PinnedPlan {
  readonly organic: QueryPlan;
  readonly documents: readonly { readonly id: string; readonly index?: string }[];
  readonly boost?: number;
}

export interface TermsSetPlan {
  readonly field: string;
  readonly terms: readonly JsonScalar[];
  /** One of the two. */
  readonly minimum_should_match_field?: string;
  readonly minimum_should_match_script?: ScriptPlan;
  readonly boost?: number;
}

export interface RankFeaturePlan {
  readonly field: string;
  readonly function?:
    | { readonly saturation: { readonly pivot?: number } }
    | { readonly log: { readonly scaling_factor: number } }
    | { readonly sigmoid: { readonly pivot: number; readonly exponent: number } }
    | { readonly linear: Readonly<Record<string, never>> };
  readonly boost?: number;
}
