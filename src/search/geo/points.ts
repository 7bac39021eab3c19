/** Places in requests, and what becomes of degrees that are out of bounds. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isOnGlobe, normalizePoint, readGeoPoint, type GeoPoint } from '../../mapping/geo-point.js';
import type { Place } from '../body/place.js';
import { readText } from '../body/read.js';

/** Degrees may be out of bounds. */
export function readPoint(place: Place): GeoPoint {
  try {
    return readGeoPoint(place.value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw place.error(`failed to parse [${place.step}]: ${reason}`, 'parse_exception', error);
  }
}

/** A place, or several of them. */
export function readPoints(place: Place): readonly GeoPoint[] {
  const items = place.items();
  const isList = place.isArray && typeof items[0]?.value !== 'number';
  return isList ? items.map(readPoint) : [readPoint(place)];
}

export type ValidationMethod = 'strict' | 'coerce' | 'ignore_malformed';

export function readValidationMethod(place: Place): ValidationMethod {
  const method = readText(place).toLowerCase();
  if (method === 'strict' || method === 'coerce' || method === 'ignore_malformed') return method;
  throw illegalArgument(
    `failed to parse validation method [${readText(place)}]: one of [STRICT, COERCE, IGNORE_MALFORMED]`,
  );
}

/** The place within bounds; `strict` refuses others. */
export function validPoint(point: GeoPoint, method: ValidationMethod, query: string): GeoPoint {
  if (isOnGlobe(point)) return point;
  if (method !== 'strict') return normalizePoint(point);
  const [kind, degrees] = Math.abs(point.lat) > 90 ? ['latitude', point.lat] : ['longitude', point.lon];
  throw new QuarryError('query_shard_exception', `illegal ${kind} value [${asDouble(degrees)}] for [${query}]`);
}

/** A number as the API writes doubles. */
export function asDouble(number: number): string {
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}
