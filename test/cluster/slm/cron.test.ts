import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/base/random.js';
import { parseCron } from '../../../src/cluster/slm/cron.js';
import { intervalOf, parseSchedule } from '../../../src/cluster/slm/schedule.js';

const START = '2026-01-01T00:00:00Z';
const HOUR_MS = 3_600_000;

/** The next times after a moment, without the seconds' fractions. */
function times(expression: string, count: number, from = START): readonly string[] {
  const cron = parseCron(expression);
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(from); found.length < count;) {
    at = cron.nextAfter(at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().replace('.000Z', ''));
  }
  return found;
}

test.each([
  ['0 30 1 * * ?', ['2026-01-01T01:30:00', '2026-01-02T01:30:00']],
  ['0 0 0 ? * SUN', ['2026-01-04T00:00:00', '2026-01-11T00:00:00']],
  ['0 0 0 ? * 1', ['2026-01-04T00:00:00', '2026-01-11T00:00:00']],
  ['0 0 0 ? * L', ['2026-01-03T00:00:00', '2026-01-10T00:00:00']],
  ['0 0 0 L * ?', ['2026-01-31T00:00:00', '2026-02-28T00:00:00']],
  ['0 0 0 LW * ?', ['2026-01-30T00:00:00', '2026-02-27T00:00:00']],
  ['0 0 0 1W 2-3 ?', ['2026-02-02T00:00:00', '2026-03-02T00:00:00']],
  ['0 0 0 15W 3,8 ?', ['2026-03-16T00:00:00', '2026-08-14T00:00:00']],
  ['0 0 0 ? * 6L', ['2026-01-30T00:00:00', '2026-02-27T00:00:00']],
  ['0 0 0 ? * friL', ['2026-01-30T00:00:00', '2026-02-27T00:00:00']],
  ['0 0 0 ? * 6#3', ['2026-01-16T00:00:00', '2026-02-20T00:00:00']],
  ['0 0 0 ? * MON#5', ['2026-03-30T00:00:00', '2026-06-29T00:00:00']],
  ['0 0 9-11,20/2 * * ?', ['2026-01-01T09:00:00', '2026-01-01T10:00:00', '2026-01-01T11:00:00', '2026-01-01T20:00:00']],
  ['0 5/20 0 * * ?', ['2026-01-01T00:05:00', '2026-01-01T00:25:00', '2026-01-01T00:45:00', '2026-01-02T00:05:00']],
  ['0 0 22-1 * * ?', ['2026-01-01T01:00:00', '2026-01-01T22:00:00', '2026-01-01T23:00:00', '2026-01-02T00:00:00']],
  ['0 0 0 ? * FRI-SUN', ['2026-01-02T00:00:00', '2026-01-03T00:00:00', '2026-01-04T00:00:00', '2026-01-09T00:00:00']],
  ['0 0 0 1 1 ? 2026-2030/2', ['2028-01-01T00:00:00', '2030-01-01T00:00:00']],
  ['0 0 0 29 FEB ?', ['2028-02-29T00:00:00', '2032-02-29T00:00:00']],
  ['0 0 0 31 2 ?', []],
  ['0 0 0 1 1 ? 2020', []],
])('%s', (expression, expected) => {
  expect(times(expression, Math.max(2, expected.length))).toEqual(expected);
});

test.each([
  ['0 30 1 * *', 'expected six or seven fields, found [5]'],
  ['0 30 1 * * * ', 'one of [day_of_month] and [day_of_week] must be [?], and not both'],
  ['0 30 1 ? * ?', 'one of [day_of_month] and [day_of_week] must be [?], and not both'],
  ['60 0 0 * * ?', 'invalid [60] for [seconds] of a cron expression: [60] is not of 0 to 59'],
  ['? 0 0 * * ?', 'for [seconds]'],
  ['0 0/0 0 * * ?', 'the step must be of 1 to 60'],
  ['0 0 0 0 * ?', '[0] is not of 1 to 31'],
  ['0 0 0 L-3 * ?', 'days before the last one of the month are not supported'],
  ['0 0 0 1,L * ?', '[L] and [W] stand for one day'],
  ['0 0 0 ? * 0', '[0] is not of 1 to 7'],
  ['0 0 0 ? * 6#6', 'a weekday comes once to five times in a month'],
  ['0 0 0 ? * 2,6#1', 'for [day_of_week]'],
  ['0 0 0 * FOO ?', '[FOO] is not of 1 to 12'],
  ['0 0 0 1 1 ? 1969', '[1969] is not of 1970 to 2199'],
  [`0 0 0 ${'1,'.repeat(600)}1 * ?`, 'at most [1024] characters'],
])('%s is refused: %s', (expression, reason) => {
  expect(() => parseCron(expression)).toThrow(reason);
});

/** Every second is looked at: slow, and plainly right for fields that are only numbers. */
test('the next time is the first that all fields hold for', () => {
  const random = seededRandom(7);
  const pick = (from: number, below: number): number => from + random.below(below - from);
  for (let round = 0; round < 60; round++) {
    const hours = [pick(0, 24), pick(0, 24)];
    const days = [pick(1, 29), pick(1, 29), pick(1, 29)];
    const weekdays = [pick(1, 8), pick(1, 8)];
    const byWeekday = random.below(2) === 0;
    const [dayText, weekdayText] = byWeekday ? ['?', weekdays.join(',')] : [days.join(','), '?'];
    const expression = `0 15 ${hours.join(',')} ${dayText} * ${weekdayText}`;
    const from = Date.parse(START) + random.below(365) * 24 * HOUR_MS + random.below(86_400) * 1_000;
    let expected = Math.floor(from / HOUR_MS) * HOUR_MS + 15 * 60_000;
    const holds = (atMs: number): boolean => {
      const date = new Date(atMs);
      const isDay = byWeekday ? weekdays.includes(date.getUTCDay() + 1) : days.includes(date.getUTCDate());
      return atMs > from && isDay && hours.includes(date.getUTCHours());
    };
    while (!holds(expected)) expected += HOUR_MS;
    expect([expression, parseCron(expression).nextAfter(from)]).toEqual([expression, expected]);
  }
});

describe('an interval', () => {
  const since = Date.parse(START);

  test('is due each time that it has passed since the definition', () => {
    const { nextAfter } = parseSchedule('30m');
    expect(nextAfter(since, since)).toBe(since + HOUR_MS / 2);
    expect(nextAfter(since + HOUR_MS / 2, since)).toBe(since + HOUR_MS);
    expect(nextAfter(since + 10 * HOUR_MS - 1, since)).toBe(since + 10 * HOUR_MS);
    expect(nextAfter(since - HOUR_MS, since)).toBe(since + HOUR_MS / 2);
  });

  test('is not nothing', () => {
    expect(() => parseSchedule('0ms')).toThrow('at least 1 millisecond');
    expect(() => parseSchedule('30 minutes')).toThrow('six or seven fields');
  });

  test('of a schedule is from one time to the next', () => {
    expect(intervalOf(parseSchedule('1h'), since)).toBe(HOUR_MS);
    expect(intervalOf(parseSchedule('0 0 * * * ?'), since)).toBe(HOUR_MS);
    expect(intervalOf(parseSchedule('0 0 0 1 1 ? 2027'), since)).toBeUndefined();
  });
});
