/**
 * Whether a date format can be read: the built-in names and `java.time` patterns, joined with `||`. Refuses exactly what
 * the native side refuses (`native-bindings/base/src/date`), so that a mapping that is accepted can be compiled.
 */
import { illegalArgument } from '../base/errors.js';

/** Formats that exist as `name` and as `strict_name`. */
const PAIRED_NAMES = new Set(
  `date_optional_time date_optional_time_nanos date date_hour date_hour_minute date_hour_minute_second
  date_hour_minute_second_fraction date_hour_minute_second_millis date_time date_time_no_millis hour hour_minute
  hour_minute_second hour_minute_second_fraction hour_minute_second_millis ordinal_date ordinal_date_time
  ordinal_date_time_no_millis time time_no_millis t_time t_time_no_millis week_date week_date_time
  week_date_time_no_millis weekyear weekyear_week weekyear_week_day year year_month year_month_day basic_week_date
  basic_week_date_time basic_week_date_time_no_millis`.split(/\s+/),
);

const SINGLE_NAMES = new Set(
  `epoch_millis epoch_second iso8601 basic_date basic_date_time basic_date_time_no_millis basic_ordinal_date
  basic_ordinal_date_time basic_ordinal_date_time_no_millis basic_time basic_time_no_millis basic_t_time
  basic_t_time_no_millis`.split(/\s+/),
);

const FORMATS_MAX = 64;
const OPTIONAL_DEPTH_MAX = 32;

/** Letters, and how many of one may stand in a row: up to a number, or only some counts. */
const LETTERS: readonly (readonly [letters: string, counts: number | readonly number[]])[] = [
  ['uyYnAN', 255],
  ['MLEecGz', 4],
  ['dQqwHkKhms', 2],
  ['D', 3],
  ['a', 1],
  ['S', 9],
  ['XxZ', 5],
  ['O', [1, 4]],
  ['V', [2]],
];

/** Throws `illegal_argument_exception` (`Invalid format: [..]: ..`) for a format that is neither a name nor a pattern. */
export function checkDateFormat(format: string): void {
  const parts = format.split('||');
  if (parts.length > FORMATS_MAX) throw illegalArgument(`Invalid format: more than ${FORMATS_MAX} formats in one`);
  for (const part of parts) {
    if (part === '') throw illegalArgument('No date pattern provided');
    if (isBuiltIn(part)) continue;
    const fault = findFault(part);
    if (fault !== undefined) throw illegalArgument(`Invalid format: [${part}]: ${fault}`);
  }
}

function isBuiltIn(name: string): boolean {
  return SINGLE_NAMES.has(name) || PAIRED_NAMES.has(name.startsWith('strict_') ? name.slice('strict_'.length) : name);
}

function findFault(pattern: string): string | undefined {
  let depth = 0;
  const tokens = pattern.matchAll(/'(?:[^']|'')*'|([a-zA-Z])\1*|[^]/g);
  for (const [token, letter] of tokens) {
    if (letter !== undefined) {
      const fault = findLetterFault(letter, token.length);
      if (fault !== undefined) return fault;
    } else if (token === "'") {
      return 'Pattern ends with an incomplete string literal';
    } else if (token === '[') {
      depth += 1;
      if (depth > OPTIONAL_DEPTH_MAX) return 'Pattern nests too deeply';
    } else if (token === ']') {
      depth -= 1;
      if (depth < 0) return 'Pattern invalid as it contains ] without previous [';
    } else if ('{}#'.includes(token)) {
      return `Pattern includes reserved character: '${token}'`;
    }
  }
  return undefined;
}

function findLetterFault(letter: string, count: number): string | undefined {
  const counts = LETTERS.find(([letters]) => letters.includes(letter))?.[1];
  if (counts === undefined) return `Unknown pattern letter: ${letter}`;
  if (letter === 'V' && count !== 2) return 'Pattern letter count must be 2: V';
  const fits = typeof counts === 'number' ? count <= counts : counts.includes(count);
  return fits ? undefined : `Too many pattern letters: ${letter}`;
}
