/** Scalars of a request body, as leniently typed as the API reads them: `"10"` is a number, `"true"` a boolean. */
import { illegalArgument, type QuarryError } from '../../base/errors.js';
import type { JsonScalar } from '../../base/json-value.js';
import type { Place } from './place.js';

const INT_MAX = 0x7fff_ffff;

/** A refusal of a value that its key never has; the API says of it what it says of unknown keys. */
export function unknownKey(place: Place): QuarryError {
  return place.error(`Unknown key for a ${place.token} in [${place.step}].`);
}

/** Text of a string, number or boolean. */
export function readText(place: Place): string {
  if (place.isScalar && place.value !== null) return String(place.exactScalar());
  throw place.error(`[${place.step}] must be a string but was [${place.token}]`);
}

export function readBoolean(place: Place): boolean {
  if (place.value === true || place.value === 'true') return true;
  if (place.value === false || place.value === 'false' || place.value === '') return false;
  if (typeof place.value === 'string') {
    throw illegalArgument(`Failed to parse value [${place.value}] as only [true] or [false] are allowed.`);
  }
  throw place.error(`[${place.step}] must be a boolean but was [${place.token}]`);
}

export function readNumber(place: Place): number {
  const value = typeof place.value === 'string' && place.value.trim() !== '' ? Number(place.value) : place.value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof place.value === 'string') {
    throw place.error(`For input string: "${place.value}"`, 'number_format_exception');
  }
  throw place.error(`[${place.step}] must be a number but was [${place.token}]`);
}

/** A 32-bit integer; a fraction is cut off, as the API does. */
export function readInt(place: Place): number {
  const value = Math.trunc(readNumber(place));
  if (value >= -INT_MAX - 1 && value <= INT_MAX) return value;
  throw place.error(`Numeric value (${BigInt(value)}) out of range of int`, 'input_coercion_exception');
}

/** A count of 64 bits, as far as such a number is exact here. */
export function readLong(place: Place): number {
  const value = Math.trunc(readNumber(place));
  if (Number.isSafeInteger(value)) return value;
  throw place.error(`Numeric value (${BigInt(value)}) out of range of long`, 'input_coercion_exception');
}

/** A value to compare fields with: string, number (exact) or boolean. */
export function readScalar(place: Place): JsonScalar {
  return scalarPlace(place).exactScalar();
}

/** As {@link readScalar}, of what goes into the plan as it is; see {@link Place.verbatim}. */
export function readVerbatim(place: Place): JsonScalar {
  return scalarPlace(place).verbatim();
}

function scalarPlace(place: Place): Place {
  if (place.isScalar) return place;
  throw place.error(`Can't get text on a ${place.token}`);
}

/** A string, or an array of strings. */
export function readStrings(place: Place): readonly string[] {
  return place.items().map(readText);
}
