/** How the text of one setting is checked, with the API's sentences. */
import { illegalArgument } from '../../base/errors.js';
import { parseLogLevel, type LogLevel } from '../../base/logger.js';
import { fitsLong, parseBytes, parseTimeMs } from '../../base/units.js';
import type { SettingValue } from './flat-settings.js';

/** What one setting may be. `parse` throws `illegal_argument_exception`. */
export interface SettingKind<T> {
  parse(value: SettingValue, key: string): T;
}

function single(value: SettingValue, key: string): string {
  if (typeof value === 'string') return value;
  throw illegalArgument(`Found list type value for setting [${key}] but a list is not accepted`);
}

export function integerKind(minimum = -0x8000_0000, maximum = 0x7fff_ffff): SettingKind<number> {
  return {
    parse(value, key) {
      const text = single(value, key);
      const number = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
      if (!Number.isSafeInteger(number) || Math.abs(number) > 0x8000_0000) throw unparsable(text, key);
      return within(number, text, key, minimum, maximum);
    },
  };
}

/** 2^53 - 1 at most: nothing here counts as far. */
export function longKind(minimum: number): SettingKind<number> {
  return {
    parse(value, key) {
      const text = single(value, key);
      const [, digits] = /^[+-]?(\d+)$/.exec(text) ?? [];
      if (digits === undefined || !fitsLong(digits)) throw unparsable(text, key);
      return within(Math.min(Number(text), Number.MAX_SAFE_INTEGER), text, key, minimum, Infinity);
    },
  };
}

export function floatKind(minimum = -Infinity, maximum = Infinity): SettingKind<number> {
  return {
    parse(value, key) {
      const text = single(value, key);
      const number = text.trim() === '' ? NaN : Number(text);
      if (!Number.isFinite(number)) throw unparsable(text, key);
      return within(number, text, key, minimum, maximum);
    },
  };
}

function within(number: number, text: string, key: string, minimum: number, maximum: number): number {
  const start = `Failed to parse value [${text}] for setting [${key}] must be`;
  if (number < minimum) throw illegalArgument(`${start} >= ${minimum}`);
  if (number > maximum) throw illegalArgument(`${start} <= ${maximum}`);
  return number;
}

export const booleanKind: SettingKind<boolean> = {
  parse(value, key) {
    const text = single(value, key);
    if (text === 'true') return true;
    if (text === 'false') return false;
    throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  },
};

/** `150/5m`: so many in so many milliseconds; `unlimited` has no rate. */
export const rateKind: SettingKind<{ readonly rate: readonly [number, number] | null }> = {
  parse(value, key) {
    const text = single(value, key);
    if (text === 'unlimited') return { rate: null };
    const [, count, period] = /^(\d{1,9})\/(\S+)$/.exec(text) ?? [];
    if (count === undefined || period === undefined) {
      const reason = 'parameter must contain a positive integer and a timevalue, i.e. 10/1m, but was';
      throw illegalArgument(`${reason} [${text}] for setting [${key}]`);
    }
    const periodMs = parseTimeMs(period, key);
    if (periodMs >= 60_000) return { rate: [Number(count), periodMs] };
    throw illegalArgument(`time value [${period}] must be at least on a one minute resolution`);
  },
};

/** Milliseconds. */
export function timeKind(minimum: string): SettingKind<number> {
  return {
    parse(value, key) {
      const text = single(value, key);
      const millis = parseTimeMs(text, key);
      if (
        millis <
        Number(/^-?\d+/.exec(minimum)?.[0]) * (minimum.endsWith('s') && !minimum.endsWith('ms') ? 1000 : 1)
      ) {
        throw illegalArgument(`failed to parse value [${text}] for setting [${key}], must be >= [${minimum}]`);
      }
      return millis;
    },
  };
}

/** Bytes. */
export function bytesKind(minimumBytes = -1): SettingKind<number> {
  return {
    parse(value, key) {
      const text = single(value, key);
      const bytes = parseBytes(text, key);
      if (bytes < minimumBytes) {
        throw illegalArgument(`failed to parse value [${text}] for setting [${key}], must be >= [${minimumBytes}b]`);
      }
      return bytes;
    },
  };
}

/** One of the values, in any case; given in the case of the table. */
export function enumKind<const Value extends string>(values: readonly Value[]): SettingKind<Value> {
  return {
    parse(value, key) {
      const text = single(value, key);
      const found = values.find((known) => known.toLowerCase() === text.toLowerCase());
      if (found !== undefined) return found;
      throw illegalArgument(`unknown value for [${key}] must be one of [${values.join(', ')}] but was: ${text}`);
    },
  };
}

export const logLevelKind: SettingKind<LogLevel> = { parse: (value, key) => parseLogLevel(single(value, key)) };

export const textKind: SettingKind<string> = { parse: single };

/** A list, or one text with commas. */
export const listKind: SettingKind<readonly string[]> = {
  parse: (value) => (typeof value === 'string' ? splitCommas(value) : value),
};

/** `false`, or a range of copies such as `0-1` or `0-all`. */
export const autoExpandKind: SettingKind<{ readonly minimum: number; readonly maximum: number } | false> = {
  parse(value, key) {
    const text = single(value, key);
    if (text === 'false') return false;
    const match = /^(\d+)-(\d+|all)$/.exec(text);
    if (match === null) {
      throw illegalArgument(`failed to parse [${key}] from value: [${text}] at index ${text.indexOf('-')}`);
    }
    const minimum = Number(match[1]);
    const maximum = match[2] === 'all' ? Infinity : Number(match[2]);
    if (minimum > maximum) {
      throw illegalArgument(`[${key}] minReplicas must be =< maxReplicas but wasn't ${minimum} > ${maximum}`);
    }
    return { minimum, maximum };
  },
};

/** `all`, or a number of copies. */
export const activeShardsKind: SettingKind<'all' | number> = {
  parse(value, key) {
    const text = single(value, key);
    if (text === 'all') return 'all';
    if (/^\d+$/.test(text)) return Number(text);
    throw illegalArgument(`cannot parse ActiveShardCount[${text}]`);
  },
};

/** A share such as `85%`, or a size such as `20gb`. */
export const shareOrSizeKind: SettingKind<string> = {
  parse(value, key) {
    const text = single(value, key);
    if (/^\d+(\.\d+)?%$/.test(text)) {
      if (Number(text.slice(0, -1)) <= 100) return text;
      throw illegalArgument(`failed to parse setting [${key}] with value [${text}]: a percentage is at most [100%]`);
    }
    parseBytes(text, key);
    return text;
  },
};

/** The same, or a ratio such as `0.85`, which is given as a percentage. */
export const watermarkKind: SettingKind<string> = {
  parse: (value, key) => shareOrSizeKind.parse(percentageOf(single(value, key)), key),
};

/** Digits that a binary fraction has beyond those that were meant, `28.999999999999996`, are rounded off. */
const PERCENTAGE_DIGITS = 12;

/** Of a ratio from 0 to 1. Nothing at all is a size, and other texts stay as they are. */
function percentageOf(text: string): string {
  const ratio = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (ratio === 0) return '0';
  if (!(ratio <= 1)) return text;
  const percentage = Number((ratio * 100).toPrecision(PERCENTAGE_DIGITS));
  return `${percentage.toFixed(PERCENTAGE_DIGITS).replace(/\.?0+$/, '')}%`;
}

/** A size, kept as it was written. */
export const headroomKind: SettingKind<string> = {
  parse(value, key) {
    const text = single(value, key);
    if (parseBytes(text, key) >= 0) return text;
    throw illegalArgument('setting a headroom value to less than 0 is not supported');
  },
};

function splitCommas(text: string): readonly string[] {
  return text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

function unparsable(text: string, key: string): Error {
  return illegalArgument(`Failed to parse value [${text}] for setting [${key}]`);
}
