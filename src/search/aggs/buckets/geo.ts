/** Aggregations of places: by distance, by cells of grids, their box and their mean; of shapes by cells and their box. */
import { illegalArgument } from '../../../base/errors.js';
import { geohashLetters, parseMetres } from '../../../mapping/geo-lengths.js';
import { isOnGlobe, normalizePoint, type GeoBox, type GeoPoint } from '../../../mapping/geo-point.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readNumber, readText } from '../../body/read.js';
import { checkBox, readBoundingBox } from '../../geo/bounding-box.js';
import { readDistanceType, readUnit, type DistanceType } from '../../geo/distance.js';
import { asDouble, readPoint } from '../../geo/points.js';
import type { GridName } from '../../plan/geo-plans.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';
import { defaultShardSize } from './terms-cut.js';

const GRID_SIZE_DEFAULT = 10_000;
/** Equal counts go by the greater cell. */
const GRID_ORDER = [
  { by: 'count', ascending: false },
  { by: 'key', ascending: false },
] as const;

/** A field of places, and the place of documents that have none. */
class PlaceSource {
  readonly #options: SourceOptions;
  #missing: GeoPoint | undefined;

  constructor(kind: string) {
    this.#options = new SourceOptions(kind);
  }

  get readers(): OptionReaders {
    return {
      ...this.#options.readersOf('field'),
      missing: (value) => {
        if (value.value !== null) this.#missing = normalizePoint(readPoint(value));
      },
    };
  }

  source(place: Place): SourcePlan {
    const source = this.#options.source(place);
    const missing = this.#missing;
    return missing === undefined ? source : { ...source, missing: `${missing.lat},${missing.lon}` };
  }
}

interface DistanceRange {
  readonly key: string;
  readonly from: number;
  readonly to?: number;
}

const geoDistance: AggregationParser = {
  name: 'geo_distance',
  takesChildren: true,
  parse(place, { name }) {
    const source = new PlaceSource('geo_distance');
    let origin: GeoPoint | undefined;
    let unit = 1;
    let distanceType: DistanceType = 'arc';
    let ranges: readonly DistanceRange[] = [];
    let keyed = false;
    readMembers(place, 'geo_distance', {
      ...source.readers,
      origin: (value) => void (origin = readPoint(value)),
      unit: (value) => void (unit = readUnit(value)),
      distance_type: (value) => void (distanceType = readDistanceType(value)),
      keyed: (value) => void (keyed = readBoolean(value)),
      ranges: (value) => {
        if (!value.isArray) throw value.error('[geo_distance] [ranges] must be an array');
        ranges = value.items().map(readRange);
      },
    });
    if (origin === undefined) throw illegalArgument('Missing [origin]');
    if (!isOnGlobe(origin)) throw illegalArgument(`[origin] of [${name}] is not on the globe`);
    if (ranges.length === 0) throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
    const range = { source: source.source(place), ranges, keyed };
    return { geo_distance: { range, origin, unit, distance_type: distanceType } };
  },
};

function readRange(place: Place): DistanceRange {
  let key: string | undefined;
  let from = 0;
  let to: number | undefined;
  readMembers(place, 'geo_distance', {
    key: (value) => void (key = readText(value)),
    from: (value) => {
      if (value.value !== null) from = readNumber(value);
    },
    to: (value) => {
      if (value.value !== null) to = readNumber(value);
    },
  });
  const [low, high] = [from === 0 ? '*' : asDouble(from), to === undefined ? '*' : asDouble(to)];
  return { key: key ?? `${low}-${high}`, from, ...(to === undefined ? {} : { to }) };
}

interface Grid {
  readonly cells: GridName;
  readonly precision: number;
  readonly least: number;
  readonly most: number;
}

const TILES: Grid = { cells: 'geotile', precision: 7, least: 0, most: 29 };
const GRIDS: readonly Grid[] = [
  { cells: 'geohash', precision: 5, least: 1, most: 12 },
  TILES,
  { cells: 'geohex', precision: 5, least: 0, most: 15 },
];

/** The options that say which cell a place is in. */
export class CellOptions {
  readonly #grid: Grid;
  #precision: number;
  #bounds: GeoBox | undefined;

  constructor(grid: Grid) {
    this.#grid = grid;
    this.#precision = grid.precision;
  }

  static tiles(): CellOptions {
    return new CellOptions(TILES);
  }

  get readers(): OptionReaders {
    return {
      precision: (value) => void (this.#precision = readPrecision(value, this.#grid)),
      bounds: (value) => {
        const box = readBoundingBox(value);
        checkBox(box);
        if (
          Math.max(Math.abs(box.top), Math.abs(box.bottom)) > 90 ||
          Math.max(Math.abs(box.left), Math.abs(box.right)) > 180
        ) {
          throw value.error('[bounds] are not on the globe', 'illegal_argument_exception');
        }
        this.#bounds = box;
      },
    };
  }

  plan(): { readonly precision: number; readonly bounds?: GeoBox } {
    return { precision: this.#precision, ...(this.#bounds === undefined ? {} : { bounds: this.#bounds }) };
  }
}

function readPrecision(place: Place, { cells, least, most }: Grid): number {
  const text = readText(place);
  const isLength = cells === 'geohash' && /[a-z]\s*$/i.test(text);
  const precision = isLength ? geohashLetters(parseMetres(text)) : readInt(place);
  if (precision >= least && precision <= most) return precision;
  const kind = cells === 'geotile' ? 'geotile_grid' : `${cells} aggregation`;
  throw illegalArgument(`Invalid ${kind} precision of ${precision}. Must be between ${least} and ${most}.`);
}

function grid(of: Grid): AggregationParser {
  const kind = `${of.cells}_grid`;
  return {
    name: kind,
    takesChildren: true,
    parse(place, { name }) {
      const source = new PlaceSource(kind);
      const cells = new CellOptions(of);
      let size = GRID_SIZE_DEFAULT;
      let shardSize: number | undefined;
      readMembers(place, kind, {
        ...source.readers,
        ...cells.readers,
        size: (value) => void (size = atLeast(readInt(value), 1, 'size', name)),
        shard_size: (value) => {
          const given = readInt(value);
          shardSize = given === -1 ? undefined : atLeast(given, 1, 'shard_size', name);
        },
      });
      const shard_size = Math.max(size, shardSize ?? defaultShardSize(size));
      const plan = { source: source.source(place), cells: of.cells, ...cells.plan(), size, shard_size };
      return { geo_grid: { ...plan, order: GRID_ORDER } };
    },
  };
}

const geoBounds: AggregationParser = {
  name: 'geo_bounds',
  takesChildren: false,
  parse(place) {
    const source = new PlaceSource('geo_bounds');
    let wrap = true;
    readMembers(place, 'geo_bounds', {
      ...source.readers,
      wrap_longitude: (value) => void (wrap = readBoolean(value)),
    });
    return { geo_bounds: { source: source.source(place), wrap_longitude: wrap } };
  },
};

const geoCentroid: AggregationParser = {
  name: 'geo_centroid',
  takesChildren: false,
  parse(place) {
    const source = new PlaceSource('geo_centroid');
    readMembers(place, 'geo_centroid', source.readers);
    return { geo_centroid: { source: source.source(place) } };
  },
};

export const geoAggregations: readonly AggregationParser[] = [geoDistance, ...GRIDS.map(grid), geoBounds, geoCentroid];
