/**
 * Cron expressions. By Quartz's rules: seconds first, six fields or, with a year, seven; Sunday is day 1; one of the two
 * fields of days is `?`; times are UTC. By those of Unix: five fields, minutes first, in any time zone; Sunday is 0 or 7; a day
 * is one that either field of days allows, unless one of them is `*`. Fields are checked and spelled out here; a library
 * finds the times.
 */
import { illegalArgument } from '../../base/errors.js';
import { onDemand } from '../../base/on-demand.js';

const library = onDemand('croner');

export interface CronExpression {
  /** The first time after this one, both in milliseconds since 1970; undefined: there is none. */
  readonly nextAfter: (atMs: number) => number | undefined;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Words for numbers, the first for `min`. */
  readonly words: readonly string[];
  /** Ranges end where they should, and do not go on from the start. */
  readonly isStrict?: boolean;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] as const;
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
const SATURDAY = 7;

const FIELDS: readonly [Field, Field, Field, Field, Field, Field, Field] = [
  { name: 'seconds', min: 0, max: 59, words: [] },
  { name: 'minutes', min: 0, max: 59, words: [] },
  { name: 'hours', min: 0, max: 23, words: [] },
  { name: 'day_of_month', min: 1, max: 31, words: [] },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  { name: 'day_of_week', min: 1, max: 7, words: WEEKDAYS },
  { name: 'year', min: 1970, max: 2199, words: [] },
];

const UNIX_FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minutes', min: 0, max: 59, words: [], isStrict: true },
  { name: 'hours', min: 0, max: 23, words: [], isStrict: true },
  { name: 'day_of_month', min: 1, max: 31, words: [], isStrict: true },
  { name: 'month', min: 1, max: 12, words: MONTHS, isStrict: true },
  { name: 'day_of_week', min: 0, max: 7, words: WEEKDAYS, isStrict: true },
];

const EXPRESSION_LENGTH_MAX = 1_024;

/** Throws `illegal_argument_exception` that names the field and what is wrong with it. */
export function parseCron(expression: string): CronExpression {
  const texts = fieldsOf(expression);
  if (texts.length < 6 || texts.length > 7) {
    throw illegalArgument(
      `invalid cron expression [${expression}]: expected six or seven fields, found [${texts.length}]`,
    );
  }
  const [seconds, minutes, hours, dayOfMonth, month, dayOfWeek, year] = FIELDS;
  const [second = '', minute = '', hour = '', monthDay = '', monthText = '', weekday = '', yearText] = texts;
  if ((monthDay === '?') === (weekday === '?')) {
    throw illegalArgument(
      `invalid cron expression [${expression}]: one of [day_of_month] and [day_of_week] must be [?], and not both`,
    );
  }
  const pattern = [
    numbers(seconds, second),
    numbers(minutes, minute),
    numbers(hours, hour),
    monthDay === '?' ? '*' : daysOfMonth(dayOfMonth, monthDay),
    numbers(month, monthText),
    weekday === '?' ? '*' : daysOfWeek(dayOfWeek, weekday),
    ...(yearText === undefined ? [] : [numbers(year, yearText)]),
  ].join(' ');
  const { Cron } = library();
  const cron = new Cron(pattern, {
    mode: '6-or-7-parts',
    // Not the zone: that asks `Intl` for the parts of every time.
    utcOffset: 0,
    alternativeWeekdays: true,
    domAndDow: true,
    paused: true,
  });
  return { nextAfter: rememberingLast((atMs) => cron.nextRun(new Date(atMs))?.getTime() ?? Infinity) };
}

/** As {@link parseCron}, by the rules of Unix. `zone`: a name such as `Europe/Paris`, checked by the caller. */
export function parseUnixCron(expression: string, zone: string): CronExpression {
  const texts = fieldsOf(expression);
  if (texts.length !== UNIX_FIELDS.length) {
    const found = `expected five fields, found [${texts.length}]`;
    throw illegalArgument(`invalid cron expression [${expression}]: ${found}`);
  }
  const pattern = UNIX_FIELDS.map((field, at) => numbers(field, texts[at] ?? '')).join(' ');
  const { Cron } = library();
  const cron = new Cron(pattern, { mode: '5-part', timezone: zone, paused: true });
  return { nextAfter: rememberingLast((atMs) => cron.nextRun(new Date(atMs))?.getTime() ?? Infinity) };
}

function fieldsOf(expression: string): readonly string[] {
  if (expression.length > EXPRESSION_LENGTH_MAX) {
    throw illegalArgument(`a cron expression has at most [${EXPRESSION_LENGTH_MAX}] characters`);
  }
  return expression
    .trim()
    .split(/\s+/)
    .map((text) => text.toUpperCase());
}

/** What comes after a time comes after all times up to then: to look for it takes long where many are asked. */
function rememberingLast(find: (atMs: number) => number): CronExpression['nextAfter'] {
  let [fromMs, untilMs] = [Infinity, -Infinity];
  return (atMs) => {
    if (atMs < fromMs || atMs >= untilMs) [fromMs, untilMs] = [atMs, find(atMs)];
    return untilMs === Infinity ? undefined : untilMs;
  };
}

/** `L`, `LW` and `15W` stand alone. */
function daysOfMonth(field: Field, text: string): string {
  if (text === 'L' || text === 'LW') return text;
  if (/^L-\d+$/.test(text)) throw invalid(field, text, 'days before the last one of the month are not supported');
  const [, day] = /^(\d{1,2})W$/.exec(text) ?? [];
  if (day !== undefined) return `${within(field, day, text)}W`;
  if (/[LW]/.test(text)) throw invalid(field, text, '[L] and [W] stand for one day and not in lists or ranges');
  return numbers(field, text);
}

/** `6L` and `FRI#3` stand alone; `L` is the last day of the week. */
function daysOfWeek(field: Field, text: string): string {
  if (text === 'L') return String(SATURDAY);
  const [, last] = /^([1-7]|[A-Z]{3})L$/.exec(text) ?? [];
  if (last !== undefined) return `${within(field, last, text)}#L`;
  const [, day, which] = /^([^#]+)#(\d+)$/.exec(text) ?? [];
  if (day !== undefined) {
    if (!/^[1-5]$/.test(which ?? '')) throw invalid(field, text, 'a weekday comes once to five times in a month');
    return `${within(field, day, text)}#${which ?? ''}`;
  }
  if (text.includes('#')) throw invalid(field, text, '[#] stands for one day and not in lists or ranges');
  return numbers(field, text);
}

/** Lists, ranges, which may go over the end, and steps, as a list of numbers. */
function numbers(field: Field, text: string): string {
  const span = field.max - field.min + 1;
  const found = new Set<number>();
  for (const item of text.split(',')) {
    const [, from = '', to, step] = /^(\*|[0-9A-Z]+)(?:-([0-9A-Z]+))?(?:\/(\d+))?$/.exec(item) ?? [];
    if (from === '' || (from === '*' && to !== undefined)) throw invalid(field, text, `[${item}] is not understood`);
    const by = step === undefined ? 1 : Number(step);
    if (by < 1 || by > span) throw invalid(field, text, `the step must be of 1 to ${span}`);
    const first = from === '*' ? field.min : within(field, from, text);
    const isOne = to === undefined && step === undefined && from !== '*';
    const end = to === undefined ? (isOne ? first : field.max) : within(field, to, text);
    if (end < first && (field.name === 'year' || field.isStrict === true)) {
      throw invalid(field, text, `a range of ${field.name} does not go backward`);
    }
    const last = end < first ? end + span : end;
    for (let value = first; value <= last; value += by) found.add(value > field.max ? value - span : value);
  }
  return found.size === span ? '*' : [...found].sort((left, right) => left - right).join(',');
}

function within(field: Field, text: string, whole: string): number {
  const word = field.words.indexOf(text);
  const value = /^\d{1,4}$/.test(text) ? Number(text) : word === -1 ? NaN : word + field.min;
  if (value >= field.min && value <= field.max) return value;
  throw invalid(field, whole, `[${text}] is not of ${field.min} to ${field.max}`);
}

function invalid(field: Field, text: string, why: string): Error {
  return illegalArgument(`invalid [${text}] for [${field.name}] of a cron expression: ${why}`);
}
