/** `_geo_distance`: hits by how far their places are from some others. */
import { illegalArgument } from '../../base/errors.js';
import type { GeoPoint } from '../../mapping/geo-point.js';
import type { Place } from '../body/place.js';
import { readBoolean, readText } from '../body/read.js';
import { readDistanceType, readUnit } from '../geo/distance.js';
import { readPoints, readValidationMethod, validPoint, type ValidationMethod } from '../geo/points.js';
import type { GeoDistanceSortPlan } from '../plan/geo-plans.js';
import type { Draft, OptionReaders, ParseQuery } from '../query/query-parser.js';
import { modeOf, orderOf, readNested } from './sort-options.js';

const NAME = '_geo_distance';
/** Each place of each document is held against each of them. */
const ORIGINS_MAX = 1_000;

export function readGeoSort(place: Place, parseQuery: ParseQuery): GeoDistanceSortPlan {
  if (!place.isObject) throw place.error(`malformed sort format, expected an object for [${NAME}]`);
  const options: Draft<GeoDistanceSortPlan> = {};
  let method: ValidationMethod = 'strict';
  let field: string | undefined;
  let points: readonly GeoPoint[] = [];
  const readMode = (value: Place): void => {
    options.mode = modeOf(readText(value));
    if (options.mode === 'sum') throw illegalArgument("sort_mode [sum] isn't supported for sorting by geo distance");
  };
  const readers: OptionReaders = {
    order: (value) => void (options.order = orderOf(readText(value))),
    unit: (value) => void (options.unit = readUnit(value)),
    distance_type: (value) => void (options.distance_type = readDistanceType(value)),
    validation_method: (value) => void (method = readValidationMethod(value)),
    mode: readMode,
    sort_mode: readMode,
    ignore_unmapped: (value) => void (options.ignore_unmapped = readBoolean(value)),
    nested: (value) => void (options.nested = readNested(value, parseQuery)),
  };
  for (const [name, value] of place.members()) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read !== undefined) {
      read(value);
      continue;
    }
    if (name === 'nested_path' || name === 'nested_filter') {
      throw illegalArgument(`[${name}] has been removed in favour of the [nested] parameter`);
    }
    if (field !== undefined) {
      throw value.error(`Trying to reset fieldName to [${name}], already set to [${field}].`);
    }
    if (typeof value.value === 'number') {
      throw value.error(`Only geohashes of type string supported for field [${name}]`);
    }
    field = name;
    points = readPoints(value);
  }
  if (field === undefined || points.length === 0) throw illegalArgument('must provide at least one point');
  if (points.length > ORIGINS_MAX) {
    throw illegalArgument(`[${NAME}] has [${points.length}] points, but may have [${ORIGINS_MAX}] at most`);
  }
  const origins = points.map((point) => validPoint(point, method, NAME));
  return { order: 'asc', unit: 1, ...options, field, origins };
}
