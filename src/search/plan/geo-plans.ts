/** Plans of queries on places (`plan/geo.rs` of the kernels, member for member). Degrees are within the bounds of the globe. */
import type { GeoBox, GeoPoint } from '../../mapping/geo-point.js';
import type { DistanceType } from '../geo/distance.js';
import type { NestedSortPlan, SortMode, SortOrder } from './search-plan.js';

interface GeoQueryPlan {
  readonly field: string;
  readonly ignore_unmapped?: boolean;
  readonly boost?: number;
}

export interface GeoDistancePlan extends GeoQueryPlan {
  readonly origin: GeoPoint;
  readonly metres: number;
}

export interface GeoBoundingBoxPlan extends GeoQueryPlan, GeoBox {}

export interface GeoPolygonPlan extends GeoQueryPlan {
  readonly points: readonly GeoPoint[];
}

export interface GeoDistanceSortPlan {
  readonly field: string;
  readonly origins: readonly GeoPoint[];
  readonly order: SortOrder;
  /** Metres of the unit. */
  readonly unit: number;
  readonly distance_type?: DistanceType;
  readonly mode?: SortMode;
  readonly ignore_unmapped?: boolean;
  readonly nested?: NestedSortPlan;
}
