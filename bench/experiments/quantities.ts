/** Numbers as people give them to experiments: `2e9`, `50ms`, `30d`, `20%`, and lists of them. */
import { InvalidArgumentError } from 'commander';
import { parseBytes, parseTimeMs } from '../../src/base/units.js';

/** More of anything is a slip of the keyboard. */
const COUNT_MAX = 1e15;
/** Values that one option may list. */
const LIST_MAX = 64;

/** A whole number from 1 on: `200000`, `2e9`, `200k`, `5m`, `2b`. */
export function parseCount(text: string): number {
  const match = /^(\d+(?:\.\d+)?(?:e\d+)?)([kmb]?)$/i.exec(text.trim());
  const factor = { '': 1, k: 1e3, m: 1e6, b: 1e9 }[match?.[2]?.toLowerCase() ?? ''] ?? 1;
  const count = match === null ? NaN : Math.round(Number(match[1]) * factor);
  if (!(count >= 1 && count <= COUNT_MAX)) {
    throw new InvalidArgumentError(`[${text}] is not a number of at least 1, such as 200000, 200k or 2e9.`);
  }
  return count;
}

/** Milliseconds of `50ms`, `1.5s` or `30d`. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim().toLowerCase());
  if (match === null) throw new InvalidArgumentError(`[${text}] is not a time such as 50ms, 30s or 30d.`);
  return Number(match[1]) * parseTimeMs(`1${match[2] ?? 'ms'}`, 'duration');
}

/** Bytes of `50gb`. */
export function parseSize(text: string): number {
  try {
    const bytes = parseBytes(text, 'size');
    if (bytes > 0) return bytes;
  } catch {
    // Said below, in the words of a command line.
  }
  throw new InvalidArgumentError(`[${text}] is not a size such as 512mb or 50gb.`);
}

/** A share of 0 to 1, of `20%` or `0.2`. */
export function parseShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  const share = match === null ? NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError(`[${text}] is not a share from 0% to 100%.`);
  return share;
}

/** `parse` of each of the values between commas. */
export function listOf<T>(parse: (text: string) => T): (text: string) => readonly T[] {
  return (text) => {
    const values = text.split(',').map((each) => parse(each.trim()));
    if (values.length > LIST_MAX) throw new InvalidArgumentError(`${values.length} values; at most ${LIST_MAX}.`);
    return values;
  };
}

/** `count` sizes up to `largest`, each `factor` times the one before, ascending and without doubles. */
export function geometricSizes(largest: number, count: number, factor = 2): readonly number[] {
  const sizes = Array.from({ length: count }, (_, at) => Math.max(1, Math.round(largest / factor ** (count - 1 - at))));
  return [...new Set(sizes)];
}

/** 1, 2, 4 and so on below `largest`, and `largest`. */
export function doublings(largest: number): readonly number[] {
  const values: number[] = [];
  for (let value = 1; value < largest; value *= 2) values.push(value);
  return [...values, largest];
}
