/** Cron expressions by the million: refused by name, or the times that they give are those that they say. */
import { test } from 'vitest';
import type { Chance } from '../../bench/compare/chance.js';
import { QuarryError } from '../../src/base/errors.js';
import { parseCron, type CronExpression } from '../../src/cluster/slm/cron.js';
import { damaged, fuzz, FUZZ_TIMEOUT_MS } from './fuzz.js';

const START_MS = Date.UTC(1970, 0, 1);
const END_MS = Date.UTC(2199, 11, 31);
const DAY_MS = 86_400_000;
/** That each expression is asked for: to read it takes longer than to find one. */
const TIMES = 4;
const MONTHS = ['JAN', 'feb', 'MAR', 'Apr', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'mon', 'TUE', 'WED', 'Thu', 'FRI', 'SAT'];
const PIECES = [
  ...MONTHS,
  ...WEEKDAYS,
  '*',
  '?',
  'L',
  'W',
  'LW',
  '#',
  '#5',
  '/',
  '/0',
  '-',
  ',',
  ' ',
  '\t',
  'L-3',
  '60',
];

/** What a field says, and which of its values that means. */
interface Field {
  readonly text: string;
  readonly allows: (value: number) => boolean;
}

function numberField(chance: Chance, min: number, max: number, words: readonly string[] = []): Field {
  const one = (): number => chance.between(min, max);
  const written = (value: number): string =>
    words.length > 0 && chance.yes(0.4) ? (words[value - min] ?? String(value)) : String(value);
  const span = max - min + 1;
  const [from, to, step] = [one(), one(), chance.between(1, span)];
  const after = (value: number): number => (value - from + span) % span;
  const isYear = min === 1970;
  return chance.one<Field>(
    () => ({ text: '*', allows: () => true }),
    () => ({ text: written(from), allows: (value) => value === from }),
    () => {
      const values = new Set([from, to, one()]);
      return { text: [...values].map(written).join(','), allows: (value) => values.has(value) };
    },
    () =>
      isYear && to < from
        ? { text: '*', allows: () => true }
        : { text: `${written(from)}-${written(to)}`, allows: (value) => after(value) <= after(to) },
    () => ({
      text: `${from}/${step}`,
      allows: (value) => value >= from && (value - from) % step === 0,
    }),
    () => ({ text: `*/${step}`, allows: (value) => (value - min) % step === 0 }),
  );
}

const NONE: Field = { text: '?', allows: () => true };

interface Expression {
  readonly text: string;
  readonly allowsDay: (at: Date) => boolean;
  /** Of a day, in seconds since its begin. */
  readonly allowsTime: (seconds: number) => boolean;
}

function expression(chance: Chance): Expression {
  const [second, minute, hour] = [numberField(chance, 0, 59), numberField(chance, 0, 59), numberField(chance, 0, 23)];
  const month = numberField(chance, 1, 12, MONTHS);
  const isByWeekday = chance.yes(0.5);
  const day = isByWeekday ? NONE : numberField(chance, 1, 31);
  const weekday = isByWeekday ? numberField(chance, 1, 7, WEEKDAYS) : NONE;
  const year = chance.yes(0.3) ? numberField(chance, 1970, 2199) : undefined;
  const fields = [second, minute, hour, day, month, weekday, ...(year === undefined ? [] : [year])];
  return {
    text: fields.map(({ text }) => text).join(' '),
    allowsDay: (at) =>
      day.allows(at.getUTCDate()) &&
      month.allows(at.getUTCMonth() + 1) &&
      weekday.allows(at.getUTCDay() + 1) &&
      (year?.allows(at.getUTCFullYear()) ?? true),
    allowsTime: (seconds) =>
      second.allows(seconds % 60) &&
      minute.allows(Math.floor(seconds / 60) % 60) &&
      hour.allows(Math.floor(seconds / 3_600)),
  };
}

function isAllowed({ allowsDay, allowsTime }: Expression, at: Date): boolean {
  return allowsDay(at) && allowsTime((at.getTime() % DAY_MS) / 1_000);
}

/** Throws unless it was refused as clients may be told. */
function refusal(error: unknown): void {
  if (!(error instanceof QuarryError && error.type === 'illegal_argument_exception')) throw error;
}

/** Each time comes after the one before, in a whole second. */
function next(text: string, chance: Chance): Date | undefined {
  const cron = parseCron(text);
  const fromMs = START_MS + Math.floor(chance.fraction() * (END_MS - START_MS));
  const atMs = cron.nextAfter(fromMs);
  if (atMs === undefined) return undefined;
  if (atMs <= fromMs || atMs % 1_000 !== 0) throw new Error(`[${text}] after ${fromMs} gives ${atMs}`);
  return new Date(atMs);
}

test(
  'cron expressions',
  async () => {
    await fuzz({ what: 'cron expressions' }, (chance) => {
      const made = expression(chance);
      const { text } = made;
      if (chance.yes(0.5)) {
        const at = next(text, chance);
        if (at !== undefined && !isAllowed(made, at)) throw new Error(`[${text}] gives ${at.toISOString()}`);
        return;
      }
      const broken = damaged(text, chance, PIECES);
      try {
        next(broken, chance);
      } catch (error) {
        refusal(error);
      }
    });
  },
  FUZZ_TIMEOUT_MS,
);

/** The next time after some minute of two years; nothing that comes between is one that the expression means. */
function checkNext({ text, allowsDay, allowsTime }: Expression, cron: CronExpression, chance: Chance): void {
  const fromMs = Date.UTC(2026, chance.below(24), chance.between(1, 28), chance.below(24), chance.below(60));
  const foundMs = cron.nextAfter(fromMs) ?? Infinity;
  if (foundMs <= fromMs) throw new Error(`[${text}] after ${fromMs} gives ${foundMs}`);
  // A day, on two dates, is looked through in steps of some seconds where the date could be one.
  const untilMs = Math.min(foundMs - 1_000, fromMs + DAY_MS);
  for (let dayMs = fromMs - (fromMs % DAY_MS); dayMs <= untilMs; dayMs += DAY_MS) {
    if (!allowsDay(new Date(dayMs))) continue;
    const until = Math.min(DAY_MS, untilMs + 1_000 - dayMs) / 1_000;
    for (let at = Math.max(0, fromMs + 1_000 - dayMs) / 1_000; at < until; at += chance.between(1, 600)) {
      if (allowsTime(at)) throw new Error(`[${text}] after ${fromMs} gives ${foundMs} and not ${dayMs + at * 1_000}`);
    }
  }
}

test(
  'a time that is found is the next one',
  async () => {
    await fuzz({ what: 'next times', each: TIMES }, (chance) => {
      const made = expression(chance);
      // One that is asked again remembers what it found.
      const cron = parseCron(made.text);
      for (let left = TIMES; left > 0; left--) checkNext(made, cron, chance);
    });
  },
  FUZZ_TIMEOUT_MS,
);
