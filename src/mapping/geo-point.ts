/** Places as mappings and requests write them: `{lat, lon}`, `[lon, lat]`, `"lat,lon"`, `POINT (lon lat)`, GeoJSON or a geohash. */
import { QuarryError } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';

/** Degrees. */
export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

export interface GeoBox {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const LETTERS = '0123456789bcdefghjkmnpqrstuvwxyz';
/** Letters of a geohash that make a difference. */
export const GEOHASH_LETTERS_MAX = 12;
const BITS_PER_LETTER = 5;

function parseError(reason: string): QuarryError {
  return new QuarryError('parse_exception', reason);
}

/** The degrees may be out of bounds. Throws `parse_exception`. */
export function readGeoPoint(value: JsonValue): GeoPoint {
  if (typeof value === 'string') return readText(value);
  if (Array.isArray(value)) return readArray(value as readonly JsonValue[]);
  if (isJsonObject(value)) return readObject(value);
  throw parseError('geo_point expected');
}

const MEMBERS: readonly string[] = ['lat', 'lon', 'geohash', 'type', 'coordinates'];

function readObject(value: JsonObject): GeoPoint {
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    throw parseError(`field [${unknown}] not supported - must be one of: lon, lat, type, coordinates, geohash`);
  }
  const { lat, lon, geohash, type, coordinates } = value;
  const forms = [lat ?? lon, geohash, type ?? coordinates].filter((form) => form !== undefined);
  if (forms.length > 1) {
    throw parseError('fields [lat] and [lon], [geohash], or [type] and [coordinates] exclude each other');
  }
  if (geohash !== undefined) {
    if (typeof geohash !== 'string') throw parseError('[geohash] must be a string');
    return southWest(geohashCell(geohash));
  }
  if (type !== undefined || coordinates !== undefined) {
    if (typeof type !== 'string') throw parseError('field [type] missing');
    if (type.toLowerCase() !== 'point') throw parseError(`[type] for geo_point can only be 'Point', but was [${type}]`);
    if (!Array.isArray(coordinates)) throw parseError('field [coordinates] missing');
    return readArray(coordinates as readonly JsonValue[]);
  }
  if (lat === undefined) throw parseError('field [lat] missing');
  if (lon === undefined) throw parseError('field [lon] missing');
  return { lat: degrees(lat, '[lat]'), lon: degrees(lon, '[lon]') };
}

function degrees(value: JsonValue, name: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw parseError(`${name} must be a valid double value`);
}

function readArray(numbers: readonly JsonValue[]): GeoPoint {
  const [lon, lat] = numbers;
  if (lon === undefined || lat === undefined) throw parseError('[lon] and [lat] expected');
  if (numbers.length > 3) throw parseError('[geo_point] field type does not accept more than 3 dimensions');
  if (!numbers.every((number) => typeof number === 'number')) throw parseError('numeric value expected');
  return { lat: degrees(lat, '[lat]'), lon: degrees(lon, '[lon]') };
}

function readText(text: string): GeoPoint {
  if (/point/i.test(text)) return readWellKnownText(text);
  if (!text.includes(',')) return southWest(geohashCell(text));
  const parts = text.split(',');
  const [lat = '', lon = ''] = parts;
  if (parts.length > 3) {
    throw parseError(`failed to parse [${text}], expected 2 or 3 coordinates but found: [${parts.length}]`);
  }
  return { lat: numberIn(lat, 'latitude'), lon: numberIn(lon, 'longitude') };
}

function numberIn(text: string, name: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw parseError(`${name} must be a number`);
}

function readWellKnownText(text: string): GeoPoint {
  const numbers = /^\s*point\s*\(([^()]*)\)\s*$/i.exec(text)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
  const [lon, lat] = numbers;
  if (lon === undefined || lat === undefined || numbers.length > 3 || !numbers.every(Number.isFinite)) {
    throw parseError(`failed to parse WKT [${text}]: [geo_point] supports only POINT (longitude latitude)`);
  }
  return { lat, lon };
}

function southWest({ bottom, left }: GeoBox): GeoPoint {
  return { lat: bottom, lon: left };
}

/** What a geohash stands for. Throws `parse_exception`. */
export function geohashCell(text: string): GeoBox {
  if (text === '') throw parseError('empty geohash');
  let [bottom, left, height, width] = [-90, -180, 180, 360];
  let isLon = true;
  for (const letter of text.slice(0, GEOHASH_LETTERS_MAX).split('')) {
    const value = LETTERS.indexOf(letter);
    if (value < 0) throw parseError(`unsupported symbol [${letter}] in geohash [${text}]`);
    for (let bit = BITS_PER_LETTER - 1; bit >= 0; bit--) {
      const isUpper = ((value >> bit) & 1) === 1;
      if (isLon) {
        width /= 2;
        if (isUpper) left += width;
      } else {
        height /= 2;
        if (isUpper) bottom += height;
      }
      isLon = !isLon;
    }
  }
  return { top: bottom + height, bottom, left, right: left + width };
}

export function isOnGlobe({ lat, lon }: GeoPoint): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
}

/** The same place with degrees within bounds: over a pole one comes down on the other side. */
export function normalizePoint(point: GeoPoint): GeoPoint {
  let { lat, lon } = point;
  if (Math.abs(lat) > 90) {
    lat = aroundZero(lat);
    if (Math.abs(lat) > 90) {
      lat = Math.sign(lat) * 180 - lat;
      lon += 180;
    }
  }
  return { lat, lon: Math.abs(lon) > 180 ? aroundZero(lon) : lon };
}

/** The same angle, above -180 and up to 180. */
function aroundZero(angle: number): number {
  const within = ((angle % 360) + 360) % 360;
  return within > 180 ? within - 360 : within;
}
