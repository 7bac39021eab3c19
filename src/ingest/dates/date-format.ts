/** The formats of the processors that read dates: those with names, and patterns. */
import { illegalArgument } from '../../base/errors.js';
import { DatePattern, type DateDefaults } from './date-pattern.js';
import { momentOfMs, type Moment } from './moment.js';

/** Reads a text of one format; throws `illegal_argument_exception` for another. */
export type ReadDate = (text: string, defaults: DateDefaults) => Moment;

const ISO = "yyyy[-MM[-dd]]['T'[HH[:mm[:ss[.S][,S]]]]][XXX][Z]";
const ISO_PATTERNS = [ISO, "yyyyMMdd['T'HHmm[ss[.S]]][XXX][Z]", "yyyy-'W'ww", 'yyyy-MM-dd HH:mm[:ss[.S]][XXX][Z]'];

/** Formats of the search side that pipelines name too, as patterns. */
const NAMED_PATTERNS: Readonly<Record<string, string>> = {
  basic_date: 'yyyyMMdd',
  basic_date_time: "yyyyMMdd'T'HHmmss.SSSZ",
  basic_date_time_no_millis: "yyyyMMdd'T'HHmmssZ",
  date: 'yyyy-MM-dd',
  date_hour: "yyyy-MM-dd'T'HH",
  date_hour_minute: "yyyy-MM-dd'T'HH:mm",
  date_hour_minute_second: "yyyy-MM-dd'T'HH:mm:ss",
  date_hour_minute_second_millis: "yyyy-MM-dd'T'HH:mm:ss.SSS",
  date_time: "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  date_time_no_millis: "yyyy-MM-dd'T'HH:mm:ssXXX",
  hour_minute: 'HH:mm',
  hour_minute_second: 'HH:mm:ss',
  year: 'yyyy',
  year_month: 'yyyy-MM',
  year_month_day: 'yyyy-MM-dd',
};

/** Throws for a format that is none. `locale` is the language of names. */
export function dateReader(format: string, locale: string): ReadDate {
  switch (format) {
    case 'UNIX':
    case 'epoch_second':
      return (text) => ofDecimalSeconds(text);
    case 'UNIX_MS':
    case 'epoch_millis':
      return (text) => momentOfMs(Number(checkNumber(text)));
    case 'TAI64N':
      return ofTai64n;
    case 'ISO8601':
    case 'iso8601':
    case 'date_optional_time':
    case 'strict_date_optional_time':
    case 'strict_date_optional_time_nanos':
    case 'strict_date_time':
      return firstOf(
        ISO_PATTERNS.map((pattern) => new DatePattern(pattern, locale)),
        format,
      );
    default: {
      const alternatives = format.split('||').map((each) => {
        const name = each.replace(/^strict_/, '');
        return new DatePattern(
          (Object.hasOwn(NAMED_PATTERNS, name) ? NAMED_PATTERNS[name] : undefined) ?? each,
          locale,
        );
      });
      return firstOf(alternatives, format);
    }
  }
}

function firstOf(patterns: readonly DatePattern[], format: string): ReadDate {
  return (text, defaults) => {
    for (const pattern of patterns) {
      try {
        return pattern.parse(text, defaults);
      } catch {
        // The next one may read it.
      }
    }
    throw illegalArgument(`failed to parse date field [${text}] with format [${format}]`);
  };
}

function checkNumber(text: string): string {
  if (/^[+-]?\d{1,19}(?:\.\d{0,9})?$/.test(text)) return text;
  throw illegalArgument(`For input string: "${text}"`);
}

function ofDecimalSeconds(text: string): Moment {
  const [whole = '0', fraction = ''] = checkNumber(text).split('.');
  const nanos = Number(fraction.padEnd(9, '0'));
  const seconds = Number(whole);
  const isBelow = text.startsWith('-') && nanos > 0;
  return isBelow ? { epochSeconds: seconds - 1, nanos: 1e9 - nanos } : { epochSeconds: seconds, nanos };
}

/** Seconds since 1970 on the clock of atoms, 10 ahead then, from 2^62 on; nanoseconds after them. Both in hexadecimal. */
function ofTai64n(text: string): Moment {
  const digits = text.replace(/^@/, '');
  if (!/^[0-9a-fA-F]{24}$/.test(digits)) throw illegalArgument(`[${text}] is not of the format TAI64N`);
  const seconds = BigInt(`0x${digits.slice(0, 16)}`) - 0x4000_0000_0000_000an;
  return { epochSeconds: Number(seconds), nanos: Number.parseInt(digits.slice(16), 16) };
}
