/** Checked aggregations as the kernels read them (`native-bindings/aggregations/src/plan.rs` names members alike). */
import type { JsonObject, JsonScalar, JsonValue } from '../../base/json-value.js';
import type { ComputedFieldPlan } from '../plan/search-plan.js';

/** One named aggregation with those below it. */
export interface AggregationPlan {
  readonly name: string;
  readonly meta?: JsonObject;
  /** One member: the kind's name in the kernels and what it computes. */
  readonly kind: object;
  readonly aggs: readonly AggregationPlan[];
}

export interface SourcePlan {
  readonly field: string;
  readonly missing?: JsonScalar;
  readonly format?: string;
  readonly time_zone?: string;
  /** What the field is taken for in an index that does not map it. */
  readonly value_type?: ValueTypePlan;
  /** A script gives the values: the definition of `field`. */
  readonly computed?: ComputedFieldPlan;
}

export type ValueTypePlan = 'string' | 'ip' | 'boolean' | 'date' | 'unsigned_long' | 'number';

export interface OrderPlan {
  readonly by:
    'key' | 'count' | { readonly path: { readonly aggregations: readonly string[]; readonly value?: string } };
  readonly ascending: boolean;
}

export interface RangeBucketPlan {
  readonly key?: string;
  readonly from?: JsonScalar;
  readonly to?: JsonScalar;
}

export interface BoundsPlan {
  readonly min?: JsonValue;
  readonly max?: JsonValue;
}
