/** Time and byte-size values as the API writes them: `30s`, `100mb`. */
import { illegalArgument } from './errors.js';

export const NANOS_PER_MS = 1_000_000;

const MILLIS_BY_UNIT: Readonly<Record<string, number>> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a time value. `-1` and `0` need no unit. `setting` names the parameter in the error. */
export function parseTimeMs(text: string, setting: string): number {
  const value = text.trim().toLowerCase();
  if (value === '-1' || value === '0') return Number(value);
  const match = /^(-?\d+(?:\.\d+)?)(nanos|micros|ms|s|m|h|d)$/.exec(value);
  const refuse = (why: string): never => {
    throw illegalArgument(`failed to parse setting [${setting}] with value [${text}] as a time value: ${why}`);
  };
  if (match === null) return refuse('unit is missing or unrecognized');
  const [, digits = '', unit = ''] = match;
  if (digits.includes('.')) {
    throw illegalArgument(`failed to parse [${text}], fractional time values are not supported`);
  }
  const amount = Number(digits);
  if (amount < -1) return refuse('negative durations are not supported');
  const millis = amount * (MILLIS_BY_UNIT[unit] ?? 1);
  if (!Number.isSafeInteger(Math.ceil(millis))) return refuse('it is too large');
  return millis;
}

/** A duration as the API prints it for people: the largest unit with at most one decimal. */
export function formatTime(millis: number): string {
  const units: readonly [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
    ['ms', 1],
    ['micros', 1e-3],
  ];
  if (millis === 0) return '0s';
  for (const [unit, size] of units) {
    if (Math.abs(millis) >= size) return `${oneDecimal(millis / size)}${unit}`;
  }
  return `${Math.round(millis * 1e6)}nanos`;
}

const BYTES_BY_UNIT: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
  p: 1024 ** 5,
  pb: 1024 ** 5,
};

const LONG_MAX = '9223372036854775807';

/** Whether a number in decimal digits is a whole number of 64 bits: doubles do not tell the largest one from the next. */
export function fitsLong(digits: string): boolean {
  const significant = digits.replace(/^0+/, '');
  return significant.length < LONG_MAX.length || (significant.length === LONG_MAX.length && significant <= LONG_MAX);
}

/** Bytes of a size value such as `100mb`, 2^53 - 1 at most: no machine has more. `-1` and `0` need no unit. */
export function parseBytes(text: string, setting: string): number {
  return Math.min(sizeInBytes(text, setting), Number.MAX_SAFE_INTEGER);
}

/** As {@link parseBytes}, but sizes beyond 2^53 are given as nearly as a double has them. */
export function sizeInBytes(text: string, setting: string): number {
  const value = text.trim().toLowerCase();
  if (value === '-1' || value === '0') return Number(value);
  const match = /^(\d+(?:\.\d+)?)(b|kb?|mb?|gb?|tb?|pb?)$/.exec(value);
  if (match === null) {
    throw illegalArgument(
      `failed to parse setting [${setting}] with value [${text}] as a size in bytes: unit is missing or unrecognized`,
    );
  }
  const [, digits = '', unit = 'b'] = match;
  const bytes = Math.floor(Number(digits) * (BYTES_BY_UNIT[unit] ?? 1));
  if (bytes < 2 ** 63 || (unit === 'b' && fitsLong(digits))) return bytes;
  const reason = 'values greater than 9223372036854775807 bytes are not supported';
  throw illegalArgument(`failed to parse setting [${setting}] with value [${text}] as a size in bytes: ${reason}`);
}

/** A size as the API prints it for people, such as `1.2kb`. */
export function formatBytes(bytes: number): string {
  const units: readonly [string, number][] = [
    ['pb', 1024 ** 5],
    ['tb', 1024 ** 4],
    ['gb', 1024 ** 3],
    ['mb', 1024 ** 2],
    ['kb', 1024],
  ];
  for (const [unit, size] of units) {
    if (bytes >= size) return `${oneDecimal(bytes / size)}${unit}`;
  }
  return `${bytes}b`;
}

/** One decimal, cut and not rounded, and none where it is zero. */
function oneDecimal(value: number): string {
  const tenths = Math.trunc(value * 10);
  return tenths % 10 === 0 ? String(tenths / 10) : (tenths / 10).toFixed(1);
}
