import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

/** A document for each hour of 2024, at half past. */
const HOURS = 366 * 24;
const FIRST = Date.UTC(2024, 0, 1, 0, 30);
const HOUR_MS = 3_600_000;

/** Zones whose clocks change in 2024: by an hour and by half of one, at midnight, more than once, and by law of that year alone. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'America/Santiago',
  'America/Nuuk',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Almaty',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
];

const INTERVALS = [
  ...['5h', '12h', '23h', '2d'].map((fixed_interval) => ({
    fixed_interval,
  })),
  ...['hour', 'day', 'month'].map((calendar_interval) => ({ calendar_interval })),
];

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const properties = { d: { type: 'date' }, n: { type: 'date_nanos' } };
  const settings = { number_of_shards: 2, number_of_replicas: 0 };
  expect((await node.put('/hours', { settings, mappings: { properties } })).status).toBe(200);
  const lines = Array.from({ length: HOURS }, (_, nth) => {
    const at = new Date(FIRST + nth * HOUR_MS).toISOString();
    return [{ index: { _index: 'hours' } }, { d: at, n: at }];
  }).flat();
  expect((await node.bulk('/_bulk?refresh=true', lines)).json().errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

async function aggregate(aggs: Json): Promise<Json> {
  const answer = await node.post('/hours/_search', { size: 0, aggs });
  expect(answer.text).toContain('"aggregations"');
  return answer.json().aggregations;
}

/** Documents in all buckets, and whether keys ascend. */
function summed(buckets: readonly Json[]): { documents: number; ascending: boolean } {
  return {
    documents: buckets.reduce((sum, bucket) => sum + Number(bucket.doc_count), 0),
    ascending: buckets.every((bucket, nth) => nth === 0 || Number(bucket.key) > Number(buckets[nth - 1]?.key)),
  };
}

const ALL = { documents: HOURS, ascending: true };

describe('date histograms where clocks change', () => {
  it.each(ZONES)('lose no document in %s', async (time_zone) => {
    const histogram = (more: Json): Json => ({ date_histogram: { field: 'd', time_zone, ...more } });
    for (const interval of INTERVALS) {
      // Few in one request: hours of a year are many buckets.
      const wide = { extended_bounds: { min: '2023-12-28', max: '2025-01-03' } };
      const sources = [{ at: { date_histogram: { field: 'd', time_zone, ...interval } } }];
      const aggs = {
        ...(await aggregate({
          filled: histogram({ ...interval }),
          kept: histogram({ ...interval, min_doc_count: 1 }),
          nanos: histogram({ ...interval, field: 'n' }),
        })),
        ...(await aggregate({
          moved: histogram({ ...interval, offset: '+70m' }),
          keyed: histogram({ ...interval, keyed: true }),
          wide: histogram({ ...interval, ...wide }),
        })),
        ...(await aggregate({ pages: { composite: { size: 10_000, sources } } })),
      };
      const told = `${time_zone} ${JSON.stringify(interval)}`;
      for (const name of ['filled', 'kept', 'nanos', 'moved', 'wide']) {
        expect(summed(aggs[name].buckets), `${told} ${name}`).toEqual(ALL);
      }
      expect(summed(Object.values(aggs.keyed.buckets)).documents, told).toBe(HOURS);
      const pages = aggs.pages.buckets.map((bucket: Json) => ({ key: bucket.key.at, doc_count: bucket.doc_count }));
      expect(summed(pages), told).toEqual(ALL);
      const kept = aggs.kept.buckets.map((bucket: Json) => ({ key: bucket.key, doc_count: bucket.doc_count }));
      expect(pages, told).toEqual(kept);
      const full = aggs.filled.buckets.filter((bucket: Json) => bucket.doc_count > 0);
      expect(full, told).toEqual(aggs.kept.buckets);
      expect(aggs.wide.buckets.length, told).toBeGreaterThanOrEqual(aggs.filled.buckets.length);
    }
  });

  it('begin at multiples of the interval on local clocks', async () => {
    const field = { field: 'd', time_zone: 'Europe/Berlin' };
    const spring = { range: { d: { gte: '2024-03-30T23:00:00Z', lt: '2024-03-31T22:00:00Z' } } };
    const autumn = { range: { d: { gte: '2024-10-26T22:00:00Z', lt: '2024-10-27T23:00:00Z' } } };
    const histogram = { histogram: { date_histogram: { ...field, fixed_interval: '6h' } } };
    const aggs = await aggregate({
      spring: { filter: spring, aggs: histogram },
      autumn: { filter: autumn, aggs: histogram },
      year: { date_histogram: { ...field, fixed_interval: '12h' } },
    });
    const shown = (filtered: Json): unknown[] =>
      filtered.histogram.buckets.map((bucket: Json) => [bucket.key_as_string, bucket.doc_count]);
    expect(shown(aggs.spring)).toEqual([
      ['2024-03-31T00:00:00.000+01:00', 5],
      ['2024-03-31T06:00:00.000+02:00', 6],
      ['2024-03-31T12:00:00.000+02:00', 6],
      ['2024-03-31T18:00:00.000+02:00', 6],
    ]);
    expect(shown(aggs.autumn)).toEqual([
      ['2024-10-27T00:00:00.000+02:00', 7],
      ['2024-10-27T06:00:00.000+01:00', 6],
      ['2024-10-27T12:00:00.000+01:00', 6],
      ['2024-10-27T18:00:00.000+01:00', 6],
    ]);
    expect(aggs.year.buckets).toHaveLength(733);
  });

  it('begin with the change where it skips the hour of a fixed interval', async () => {
    const near = { range: { d: { gte: '2024-03-31T00:00:00Z', lt: '2024-03-31T03:00:00Z' } } };
    const aggs = await aggregate({
      near: {
        filter: near,
        aggs: { at: { date_histogram: { field: 'd', time_zone: 'Europe/Berlin', fixed_interval: '2h' } } },
      },
    });
    expect(aggs.near.at.buckets.map((bucket: Json) => [bucket.key_as_string, bucket.doc_count])).toEqual([
      ['2024-03-31T00:00:00.000+01:00', 1],
      ['2024-03-31T03:00:00.000+02:00', 1],
      ['2024-03-31T04:00:00.000+02:00', 1],
    ]);
  });
});
