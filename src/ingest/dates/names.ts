/** Names of months and days in a language. */
import { illegalArgument } from '../../base/errors.js';

export interface Names {
  readonly months: readonly string[];
  readonly shortMonths: readonly string[];
  /** Monday first. */
  readonly days: readonly string[];
  readonly shortDays: readonly string[];
}

const CACHE_MAX = 100;
const cache = new Map<string, Names>();

export function namesOf(locale: string): Names {
  const known = cache.get(locale);
  if (known !== undefined) return known;
  const names = load(locale.replaceAll('_', '-'));
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(locale, names);
  return names;
}

function load(locale: string): Names {
  try {
    const name = (options: Intl.DateTimeFormatOptions, ms: number): string =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(ms);
    const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15));
    // The first of January 2024 was a Monday.
    const days = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1 + day));
    return {
      months: months.map((ms) => name({ month: 'long' }, ms)),
      shortMonths: months.map((ms) => name({ month: 'short' }, ms)),
      days: days.map((ms) => name({ weekday: 'long' }, ms)),
      shortDays: days.map((ms) => name({ weekday: 'short' }, ms)),
    };
  } catch {
    throw illegalArgument(`Unknown language: ${locale}`);
  }
}
