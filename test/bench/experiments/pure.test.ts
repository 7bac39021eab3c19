/** What experiments work out without a node: quantities, the order of points, the time that is left, statistics, fields and queries. */
import { describe, expect, test } from 'vitest';
import { fieldsOf, valuesAt, without } from '../../../bench/experiments/data/fields.js';
import { makeQueries, parseQueries } from '../../../bench/experiments/data/queries.js';
import { AS_IS, variantOf, variantsOf } from '../../../bench/experiments/data/variants.js';
import { planOfPoints } from '../../../bench/experiments/plan-of-points.js';
import type { PointSpec } from '../../../bench/experiments/point.js';
import { formatLeft, millisecondsLeft } from '../../../bench/experiments/progress.js';
import {
  doublings,
  geometricSizes,
  listOf,
  parseCount,
  parseDuration,
  parseShare,
  parseSize,
} from '../../../bench/experiments/quantities.js';
import { formatChange, formatValue } from '../../../bench/experiments/report/format.js';
import { adjusted, comparePoints, compareRuns, verdictOf } from '../../../bench/experiments/statistics.js';
import { seededRandom } from '../../../src/base/random.js';

const MAPPINGS = {
  properties: {
    title: { type: 'text', fields: { raw: { type: 'keyword' } } },
    tags: { type: 'keyword' },
    at: { type: 'date' },
    size: { type: 'long' },
    place: { properties: { city: { type: 'keyword' } } },
    parts: { type: 'nested', properties: { name: { type: 'keyword' } } },
  },
};

const LINES = Array.from({ length: 50 }, (_, at) =>
  Buffer.from(
    JSON.stringify({
      title: `the ${at} red fox of many`,
      tags: ['a', `t${at % 5}`],
      at: `2024-01-${String((at % 28) + 1).padStart(2, '0')}`,
      size: at,
      'place.city': 'Bern',
    }),
  ),
);

function spec(x: number): PointSpec {
  const base = { sweep: 's', nodes: 1, shards: 1, processors: 1, nodeSettings: {}, indexSettings: {}, variant: AS_IS };
  return { ...base, label: String(x), x, documents: x, measures: [] };
}

describe('quantities', () => {
  test('counts, times, sizes and shares as people write them', () => {
    expect([parseCount('200000'), parseCount('2e9'), parseCount('1.5m'), parseCount('200k')]).toEqual([
      200_000, 2e9, 1_500_000, 200_000,
    ]);
    expect([parseDuration('50ms'), parseDuration('1.5s'), parseDuration('30d')]).toEqual([50, 1_500, 2_592_000_000]);
    expect(parseSize('50gb')).toBe(50 * 1024 ** 3);
    expect([parseShare('20%'), parseShare('0.2'), parseShare('0')]).toEqual([0.2, 0.2, 0]);
    expect(listOf(parseCount)('1, 2,4')).toEqual([1, 2, 4]);
  });

  test.each([
    [parseCount, '0'],
    [parseCount, '-1'],
    [parseCount, 'many'],
    [parseCount, '1e16'],
    [parseDuration, '50'],
    [parseDuration, '5 weeks'],
    [parseSize, '0'],
    [parseSize, '50'],
    [parseShare, '101%'],
    [parseShare, '1.1'],
  ])('%s refuses [%s] and says what is meant', (parse, text) => {
    expect(() => parse(text)).toThrow(`[${text}]`);
  });

  test('a list has an end', () => {
    expect(listOf(parseCount)(Array(64).fill('1').join(','))).toHaveLength(64);
    expect(() => listOf(parseCount)(Array(65).fill('1').join(','))).toThrow('at most 64');
  });

  test('sizes of a sweep', () => {
    expect(geometricSizes(800, 4)).toEqual([100, 200, 400, 800]);
    expect(geometricSizes(2, 4)).toEqual([1, 2]);
    expect(doublings(6)).toEqual([1, 2, 4, 6]);
    expect(doublings(1)).toEqual([1]);
  });
});

describe('the order of points', () => {
  test('is the same for the same seed, has every point once before any twice, and unique ids', () => {
    const specs = [1, 2, 3, 4, 5].map(spec);
    const points = planOfPoints(specs, 3, seededRandom(5));
    expect(points).toEqual(planOfPoints(specs, 3, seededRandom(5)));
    expect(points.map(({ id }) => id)).not.toEqual(planOfPoints(specs, 3, seededRandom(6)).map(({ id }) => id));
    expect(new Set(points.map(({ id }) => id)).size).toBe(15);
    for (const repeat of [1, 2, 3]) {
      const part = points.slice(5 * (repeat - 1), 5 * repeat);
      expect(part.map((point) => point.repeat)).toEqual(Array(5).fill(repeat));
      expect(part.map((point) => point.spec.x).sort()).toEqual([1, 2, 3, 4, 5]);
    }
  });

  test('the time that is left follows from what was measured', () => {
    expect(millisecondsLeft([], [{ weight: 1 }])).toBeUndefined();
    expect(millisecondsLeft([{ weight: 2, tookMs: 10 }], [{ weight: 4 }, { weight: 2 }])).toBe(30);
    expect([undefined, 400, 45_000, 720_000, 12_000_000].map(formatLeft)).toEqual([
      'not known yet',
      '1 s',
      '45 s',
      '12 min',
      '3 h 20 min',
    ]);
  });
});

describe('statistics', () => {
  test('a clear difference is told from noise, with an interval that holds it', () => {
    const before = [10, 10.2, 9.9, 10.1, 10];
    const faster = verdictOf(before, [8, 8.1, 7.9, 8, 8.05], 'lower');
    expect(faster.verdict).toBe('better');
    expect(faster.p).toBeLessThan(0.05);
    expect([faster.low < 0.8, faster.high > 0.79]).toEqual([true, true]);
    expect(verdictOf(before, [8, 8.1, 7.9, 8, 8.05], 'higher').verdict).toBe('worse');
    expect(verdictOf(before, [10.1, 9.8, 10.3, 10, 9.9], 'lower').verdict).toBe('neither');
  });

  test('is the same each time', () => {
    expect(compareRuns([1, 2, 3, 4], [2, 3, 4, 5])).toEqual(compareRuns([1, 2, 3, 4], [2, 3, 4, 5]));
  });

  test('a few runs have no p', () => {
    expect(compareRuns([1, 2, 3], [2, 3, 4]).p).toBeUndefined();
  });

  test('takes many runs of few points for few, and a drift of single runs for nothing', () => {
    const slower = { before: [10, 10.1, 9.9, 10], after: [10.2, 10.3, 10.1, 10.2] };
    expect(comparePoints(Array.from({ length: 5 }, () => slower)).p).toBeUndefined();
    const { p = 1, ratio } = comparePoints(Array.from({ length: 8 }, () => slower));
    expect(p).toBeLessThan(0.05);
    expect(ratio).toBeCloseTo(1.02, 3);
    expect(comparePoints(Array.from({ length: 10 }, () => ({ before: [10], after: [10.1] }))).p).toBeUndefined();
    const mixed = Array.from({ length: 8 }, (_, at) =>
      at % 2 === 0 ? slower : { before: slower.after, after: slower.before },
    );
    expect(comparePoints(mixed).p).toBeGreaterThan(0.5);
  });

  test('equal figures are equal', () => {
    expect(verdictOf([5, 5, 5, 5], [5, 5, 5, 5], 'lower')).toMatchObject({ ratio: 1, verdict: 'neither' });
  });

  test('p values of many comparisons are adjusted', () => {
    const values = adjusted([0.01, 0.04, 0.03, 0.5]);
    expect(values.map((value) => Number(value.toFixed(4)))).toEqual([0.04, 0.0533, 0.0533, 0.5]);
  });
});

describe('fields', () => {
  test('are found with their sub-fields, and values with dots or objects', () => {
    expect(fieldsOf(MAPPINGS).map(({ path, source }) => `${path} of ${source}`)).toEqual([
      'title of title',
      'title.raw of title',
      'tags of tags',
      'at of at',
      'size of size',
      'place.city of place.city',
    ]);
    expect(valuesAt({ place: [{ city: 'Bern' }, { city: 'Basel' }] }, 'place.city')).toEqual(['Bern', 'Basel']);
    expect(valuesAt({ 'place.city': 'Bern' }, 'place.city')).toEqual(['Bern']);
    expect(without({ place: { city: 'Bern', zip: 1 }, size: 1 }, 'place.city')).toEqual({ place: { zip: 1 }, size: 1 });
  });

  test('changes are those that the mapping allows, and each touches what it changes', () => {
    const names = variantsOf(MAPPINGS);
    expect(names[0]).toBe(AS_IS);
    expect(names).toContain('without title');
    expect(names).toContain('texts with term vectors');
    expect(variantsOf({ properties: { size: { type: 'long' } } })).not.toContain('texts with term vectors');
    const variant = variantOf('without title', MAPPINGS);
    expect(variant.document({ title: 'x', size: 1 })).toEqual({ size: 1 });
    expect([...variant.touched]).toEqual(['title', 'title.raw']);
    expect(variantOf('texts without positions', MAPPINGS).mappings).toMatchObject({
      properties: { title: { index_options: 'freqs' }, tags: { type: 'keyword' } },
    });
    expect(() => variantOf('upside down', MAPPINGS)).toThrow('[upside down]');
  });
});

describe('queries', () => {
  test('are made of every kind that the mapping allows, the same for the same seed', () => {
    const queries = makeQueries(MAPPINGS, LINES, 3);
    expect(queries).toEqual(makeQueries(MAPPINGS, LINES, 3));
    expect([...new Set(queries.map(({ kind }) => kind))]).toEqual([
      'word in title',
      'all of two words in title',
      'any of three words in title',
      'phrase in title',
      'term of title.raw',
      'term of tags',
      'values of title.raw counted',
      'range of at, sorted',
      'range of size, sorted',
    ]);
    expect(() => makeQueries({ properties: {} }, LINES, 3)).toThrow('give --queries');
  });

  test('of a file are bodies, or have names', () => {
    expect(parseQueries('{"query":{}}\n{"name":"n","body":{"size":0}}\n', 'f')).toEqual([
      { kind: 'queries', body: { query: {} }, fields: [] },
      { kind: 'n', body: { size: 0 }, fields: [] },
    ]);
    const many = Array.from({ length: 13 }, (_, at) => `{"name":"n${at}","body":{}}`).join('\n');
    expect(new Set(parseQueries(many, 'f').map(({ kind }) => kind))).toEqual(new Set(['all queries']));
  });

  test.each([
    ['', '[f] holds no queries'],
    ['{', '[f] line 1 is not JSON'],
    ['[]', '[f] line 1 is no object'],
    ['{"body":{},"x":1}', '[f] line 1: [x]'],
    ['{"body":1}', '[f] line 1: [body]'],
    ['{"name":1,"body":{}}', '[f] line 1: [name]'],
    ['{}\n'.repeat(10_001), 'at most 10000'],
  ])('%#: a file that holds none is refused', (text, reason) => {
    expect(() => parseQueries(text, 'f')).toThrow(reason);
  });
});

test('numbers are shown in three digits with their unit', () => {
  expect(formatValue(1234.5, 'ms')).toBe('1235 ms');
  expect(formatValue(12_345, 'ms')).toBe('12.3 s');
  expect(formatValue(0.01234, 'ms')).toBe('0.0123 ms');
  expect(formatValue(1_234_567, 'bytes')).toBe('1.23 MB');
  expect(formatValue(900, 'bytes')).toBe('900 B');
  expect(formatValue(45_600, 'perSecond')).toBe('45.6k/s');
  expect(formatValue(null, 'ms')).toBe('–');
  expect([formatChange(0.125), formatChange(-0.5)]).toEqual(['+12.5 %', '−50 %']);
});
