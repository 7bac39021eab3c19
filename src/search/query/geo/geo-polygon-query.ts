/** `geo_polygon`: documents with a place inside a polygon. */
import { illegalArgument } from '../../../base/errors.js';
import type { GeoPoint } from '../../../mapping/geo-point.js';
import type { Place } from '../../body/place.js';
import { GeoOptions } from '../../geo/options.js';
import { readPoint, validPoint } from '../../geo/points.js';
import { CommonOptions, fieldBesideOptions, type QueryParser } from '../query-parser.js';

const NAME = 'geo_polygon';
/** Corners of a polygon at least, its first not counted again. */
const CORNERS_MIN = 3;
/** Corners at most: a plan goes to every shard. */
const CORNERS_MAX = 10_000;

export const geoPolygonQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    const options = new GeoOptions();
    const found = fieldBesideOptions(place, NAME, { ...common.readers, ...options.readers });
    if (found === undefined) throw illegalArgument('fieldName must not be null');
    const points = readCorners(found.body);
    checkCorners(points);
    return common.named({
      [NAME]: {
        field: found.field,
        points: points.map((point) => validPoint(point, options.method, NAME)),
        ...options.plan,
        ...common.boosted,
      },
    });
  },
};

function readCorners(place: Place): readonly GeoPoint[] {
  let points: readonly GeoPoint[] = [];
  for (const [name, value] of place.members()) {
    if (name !== 'points') throw value.error(`[${NAME}] query does not support [${name}]`);
    if (!value.isArray)
      throw value.error(`[${NAME}] query does not support token type [${value.token}] under [points]`);
    points = value.items().map(readPoint);
  }
  return points;
}

function checkCorners(points: readonly GeoPoint[]): void {
  const [first] = points;
  if (first === undefined) throw illegalArgument(`no points defined for ${NAME} query`);
  if (points.length > CORNERS_MAX) {
    throw illegalArgument(`[${NAME}] query has [${points.length}] points, but may have [${CORNERS_MAX}] at most`);
  }
  const last = points[points.length - 1];
  const isClosed = points.length > 1 && last?.lat === first.lat && last.lon === first.lon;
  if (points.length - (isClosed ? 1 : 0) < CORNERS_MIN)
    throw illegalArgument(`too few points defined for ${NAME} query`);
}
