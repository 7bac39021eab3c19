/** Plans of span queries and intervals (`plan/positional.rs` of the kernels, member for member). */
import type { JsonScalar } from '../../base/json-value.js';
import type { BoundPlan, FuzzinessPlan, QueryPlan, ScriptPlan } from './query-plan.js';

export type SpanPlan =
  | { readonly term: { readonly field: string; readonly value: JsonScalar } }
  | { readonly or: { readonly clauses: readonly SpanPlan[] } }
  | { readonly near: { readonly clauses: readonly SpanPlan[]; readonly slop: number; readonly in_order?: boolean } }
  | { readonly gap: { readonly field: string; readonly width: number } }
  | {
      readonly not: {
        readonly include: SpanPlan;
        readonly exclude: SpanPlan;
        readonly pre: number;
        readonly post: number;
      };
    }
  | { readonly first: { readonly query: SpanPlan; readonly end: number } }
  | { readonly containing: { readonly big: SpanPlan; readonly little: SpanPlan } }
  | { readonly within: { readonly big: SpanPlan; readonly little: SpanPlan } }
  | { readonly multi: { readonly query: QueryPlan } }
  | { readonly field_masking: { readonly query: SpanPlan; readonly field: string } };

export interface SpanRootPlan {
  readonly query: SpanPlan;
  readonly boost?: number;
}

export type IntervalMode = 'ordered' | 'unordered' | 'unordered_no_overlap';

export type FilterRelation =
  | 'containing'
  | 'not_containing'
  | 'contained_by'
  | 'not_contained_by'
  | 'overlapping'
  | 'not_overlapping'
  | 'before'
  | 'after';

export type IntervalKindPlan =
  | { readonly match: { readonly query: string; readonly max_gaps: number; readonly mode: IntervalMode } }
  | { readonly prefix: { readonly prefix: string } }
  | { readonly wildcard: { readonly pattern: string; readonly max_expansions: number } }
  | {
      readonly regexp: {
        readonly pattern: string;
        readonly flags: readonly string[];
        readonly case_insensitive: boolean;
        readonly max_expansions: number;
      };
    }
  | { readonly range: { readonly from?: BoundPlan; readonly to?: BoundPlan } }
  | {
      readonly fuzzy: {
        readonly term: string;
        readonly fuzziness: FuzzinessPlan;
        readonly prefix_length: number;
        readonly transpositions: boolean;
      };
    }
  | {
      readonly all_of: {
        readonly intervals: readonly IntervalRulePlan[];
        readonly max_gaps: number;
        readonly mode: IntervalMode;
      };
    }
  | { readonly any_of: { readonly intervals: readonly IntervalRulePlan[] } };

export interface IntervalRulePlan {
  readonly kind: IntervalKindPlan;
  readonly use_field?: string;
  readonly analyzer?: string;
  readonly filter?: { readonly relation: FilterRelation; readonly rule: IntervalRulePlan };
  /** Says of each interval whether it counts. */
  readonly script?: ScriptPlan;
}

export interface IntervalsPlan {
  readonly field: string;
  readonly rule: IntervalRulePlan;
  readonly boost?: number;
}
