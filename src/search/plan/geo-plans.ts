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

export type ShapeRelation = 'intersects' | 'disjoint' | 'within' | 'contains';

export interface GeoShapePlan extends GeoQueryPlan {
  /** JSON of an object, or of a text that is well-known text. */
  readonly shape: string;
  readonly relation: ShapeRelation;
  /** Where the shape comes from, until `actions/searches/hits/fetch-lookups.ts` has fetched it. */
  readonly lookup?: ShapeLookupPlan;
}

export type GridName = 'geohash' | 'geotile' | 'geohex';

export interface GeoGridPlan extends GeoQueryPlan {
  readonly grid: GridName;
  /** The name of a cell: letters, `zoom/x/y`, or hexadecimal digits. */
  readonly cell: string;
}

export interface ShapeLookupPlan {
  readonly index: string;
  readonly id: string;
  readonly path: string;
  readonly routing?: string;
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
