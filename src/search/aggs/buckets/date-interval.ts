/** Intervals of dates, and offsets to them, as the API writes them. */
import { illegalArgument } from '../../../base/errors.js';
import { parseTimeMs } from '../../../base/units.js';
import type { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';

const CALENDAR_UNITS: Readonly<Record<string, string>> = {
  ...{ second: 'second', '1s': 'second', minute: 'minute', '1m': 'minute', hour: 'hour', '1h': 'hour' },
  ...{ day: 'day', '1d': 'day', week: 'week', '1w': 'week', month: 'month', '1M': 'month' },
  ...{ quarter: 'quarter', '1q': 'quarter', year: 'year', '1y': 'year' },
};

/** `calendar_interval`, `fixed_interval`, `interval` and `offset`. */
export class DateIntervalOptions {
  readonly #intervals: object[] = [];
  #offset = 0;

  get readers(): OptionReaders {
    return {
      calendar_interval: (value) => void this.#intervals.push({ calendar: calendarUnit(readText(value)) }),
      fixed_interval: (value) => void this.#intervals.push({ fixed_ms: fixedInterval(readText(value)) }),
      interval: (value) => {
        const text = readText(value);
        const unit = CALENDAR_UNITS[text];
        this.#intervals.push(unit === undefined ? { fixed_ms: fixedInterval(text) } : { calendar: unit });
      },
      offset: (value) => void (this.#offset = offsetMs(value)),
    };
  }

  plan(): { readonly interval: object; readonly offset_ms: number } {
    const [interval, second] = this.#intervals;
    if (second !== undefined) {
      throw illegalArgument('Cannot use [fixed_interval] with [calendar_interval] configuration option.');
    }
    if (interval === undefined) {
      throw illegalArgument(
        'Invalid interval specified, must be non-null and non-empty: use [calendar_interval] or [fixed_interval]',
      );
    }
    return { interval, offset_ms: this.#offset };
  }
}

function calendarUnit(text: string): string {
  const unit = CALENDAR_UNITS[text];
  if (unit !== undefined) return unit;
  throw illegalArgument(`The supplied interval [${text}] could not be parsed as a calendar interval.`);
}

function fixedInterval(text: string): number {
  if (!/^\d+(ms|s|m|h|d)$/.test(text)) {
    throw illegalArgument(
      `failed to parse setting [date_histogram.fixedInterval] with value [${text}] as a time value: unit is missing or unrecognized`,
    );
  }
  const millis = parseTimeMs(text, 'date_histogram.fixedInterval');
  if (millis > 0) return millis;
  throw illegalArgument('Zero or negative time interval not supported');
}

/** `+6h`, `-1d`, or milliseconds. */
function offsetMs(place: Place): number {
  const text = readText(place);
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const sign = text.startsWith('-') ? -1 : 1;
  return sign * parseTimeMs(text.replace(/^[+-]/, ''), 'date_histogram.offset');
}
