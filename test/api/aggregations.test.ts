import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

/** Twelve notes in two indices of two and one shards: colours a, b and c, sizes 0 to 11. */
const NOTES = Array.from({ length: 12 }, (_, nth) => ({
  id: String(nth),
  index: nth % 3 === 0 ? 'right' : 'left',
  document: { colour: 'abc'[nth % 3], size: nth, text: nth % 4 === 0 ? 'red red' : 'red wine' },
}));

beforeAll(async () => {
  node = await TestNode.start();
  const properties = { colour: { type: 'keyword' }, size: { type: 'integer' }, text: { type: 'text' } };
  for (const [index, shards] of [
    ['left', 2],
    ['right', 1],
  ]) {
    const settings = { number_of_shards: shards, number_of_replicas: 0 };
    expect((await node.put(`/${index}`, { settings, mappings: { properties } })).status).toBe(200);
  }
  const lines = NOTES.flatMap(({ id, index, document }) => [{ index: { _index: index, _id: id } }, document]);
  expect((await node.bulk('/_bulk?refresh=true', lines)).json().errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

async function aggregate(path: string, aggs: Json, more: Json = {}): Promise<Json> {
  const answer = await node.post(`/${path}`, { size: 0, aggs, ...more });
  expect(answer.text).toContain('"aggregations"');
  return answer.json().aggregations;
}

/** A part of an answer that must be a list. */
function listOf(part: Json): readonly Json[] {
  expect(part).toBeInstanceOf(Array);
  return part;
}

function hitIds(topHits: Json): string[] {
  return listOf(topHits.hits.hits).map((hit) => hit._id);
}

describe('top_hits over three shards of two indices', () => {
  const SORTED = { top_hits: { size: 2, sort: [{ size: 'desc' }], _source: ['size'], docvalue_fields: ['colour'] } };

  it('shows the best of each bucket, rendered where they lie', async () => {
    const aggs = { colours: { terms: { field: 'colour', order: { _key: 'asc' } }, aggs: { best: SORTED } } };
    const { colours } = await aggregate('left,right/_search', aggs);
    expect(listOf(colours.buckets).map((bucket) => [bucket.key, hitIds(bucket.best)])).toEqual([
      ['a', ['9', '6']],
      ['b', ['10', '7']],
      ['c', ['11', '8']],
    ]);
    expect(colours.buckets[1].best.hits).toEqual({
      total: { value: 4, relation: 'eq' },
      max_score: null,
      hits: [
        { _index: 'left', _id: '10', _score: null, _source: { size: 10 }, fields: { colour: ['b'] }, sort: [10] },
        { _index: 'left', _id: '7', _score: null, _source: { size: 7 }, fields: { colour: ['b'] }, sort: [7] },
      ],
    });
  });

  it('has the scores of the search where they are asked for', async () => {
    const query = { match: { text: { query: 'wine', _name: 'drink' } } };
    const aggs = {
      best: { top_hits: { size: 3, from: 1 } },
      by: { top_hits: { size: 1, sort: ['size'], track_scores: true } },
    };
    const answer = (await node.post('/left,right/_search', { size: 4, query, aggs })).json();
    const { best, by } = answer.aggregations;
    expect(listOf(best.hits.hits).map((hit) => [hit._index, hit._id, hit._score])).toEqual(
      listOf(answer.hits.hits)
        .slice(1)
        .map((hit) => [hit._index, hit._id, hit._score]),
    );
    expect(best.hits.max_score).toBe(answer.hits.max_score);
    expect(best.hits.hits[0].matched_queries).toEqual(['drink']);
    expect(hitIds(by)).toEqual(['1']);
    expect(by.hits.hits[0]._score).toBeGreaterThan(0);
    expect(by.hits.max_score).toBe(answer.hits.max_score);
  });

  it('nests at any depth, and is empty where its bucket is', async () => {
    const ranges = { range: { field: 'size', ranges: [{ to: 6 }, { from: 100 }] }, aggs: { best: SORTED } };
    const filter = { filter: { term: { colour: 'a' } }, aggs: { ranges } };
    const { filter: found } = await aggregate('left,right/_search', { filter });
    const [low, high] = found.ranges.buckets;
    expect(hitIds(low.best)).toEqual(['3', '0']);
    expect(high.best.hits).toEqual({ total: { value: 0, relation: 'eq' }, max_score: null, hits: [] });
  });

  it('counts in the way that the request wants totals, and names its type', async () => {
    const path = 'left,right/_search?rest_total_hits_as_int=true&typed_keys=true';
    const answer = await aggregate(path, { best: { top_hits: { size: 0 } } });
    expect(answer['top_hits#best'].hits).toMatchObject({ total: 12, hits: [] });
  });

  it('refuses windows beyond the strictest index', async () => {
    await node.put('/right/_settings', { 'index.max_inner_result_window': 5 });
    const answer = await node.post('/left,right/_search', { aggs: { best: { top_hits: { size: 6 } } } });
    await node.put('/right/_settings', { 'index.max_inner_result_window': null });
    expect(answer.status).toBe(400);
    expect(answer.json().error.root_cause[0].reason).toContain('must be less than or equal to: [5] but was [6]');
  });
});

describe('global', () => {
  it('aggregates every document beside the query', async () => {
    const aggs = {
      found: { value_count: { field: 'size' } },
      all: { global: {}, aggs: { mean: { avg: { field: 'size' } }, best: { top_hits: { size: 1, sort: ['size'] } } } },
    };
    const answer = await aggregate('left,right/_search', aggs, { query: { term: { colour: 'a' } } });
    expect(answer.found).toEqual({ value: 4 });
    expect(answer.all).toMatchObject({ doc_count: 12, mean: { value: 5.5 } });
    expect(hitIds(answer.all.best)).toEqual(['0']);
  });

  it('stays within what an alias shows', async () => {
    const filter = { range: { size: { gte: 6 } } };
    await node.post('/_aliases', { actions: [{ add: { index: 'left', alias: 'large', filter } }] });
    const aggs = { all: { global: {}, aggs: { least: { min: { field: 'size' } } } } };
    const { all } = await aggregate('large/_search', aggs, { query: { term: { colour: 'b' } } });
    expect(all).toEqual({ doc_count: 4, least: { value: 7 } });
  });
});

describe('terms', () => {
  it('divides its buckets into partitions', async () => {
    const part = async (partition: number): Promise<string[]> => {
      const include = { partition, num_partitions: 2 };
      const { sizes } = await aggregate('left,right/_search', {
        sizes: { terms: { field: 'size', size: 20, include } },
      });
      return listOf(sizes.buckets).map((bucket) => bucket.key);
    };
    const [even, odd] = [await part(0), await part(1)];
    expect([...even, ...odd].map(Number).sort((left, right) => left - right)).toEqual([...Array(12).keys()]);
    expect(even.length).toBeGreaterThan(0);
    expect(odd.length).toBeGreaterThan(0);
  });

  it('makes doubles of a field that indices map to different numbers', async () => {
    for (const [index, type, values] of [
      ['whole', 'long', [10, 100]],
      ['fraction', 'double', [10, 14.5]],
      ['unsigned', 'unsigned_long', ['18446744073709551615', 10]],
    ] as const) {
      await node.put(`/mixed-${index}`, { mappings: { properties: { number: { type } } } });
      const lines = values.flatMap((number) => [{ index: {} }, { number }]);
      expect((await node.bulk(`/mixed-${index}/_bulk?refresh=true`, lines)).json().errors).toBe(false);
    }
    const aggs = { numbers: { terms: { field: 'number' } } };
    const { 'dterms#numbers': numbers } = await aggregate('mixed-*/_search?typed_keys=true', aggs);
    expect(numbers.buckets).toEqual([
      { key: 10, doc_count: 3 },
      { key: 14.5, doc_count: 1 },
      { key: 100, doc_count: 1 },
      { key: 18446744073709552000, doc_count: 1 },
    ]);
    const answer = await node.post('/mixed-whole,left/_search', { aggs: { mixed: { terms: { field: 'colour' } } } });
    expect(answer.status).toBe(200);
  });

  it('takes a field that is not mapped for what the request says', async () => {
    const aggs = { days: { terms: { field: 'none', value_type: 'date', missing: '2016-05-11' } } };
    const { days } = await aggregate('left,right/_search', aggs);
    expect(days.buckets).toEqual([{ key: 1462924800000, key_as_string: '2016-05-11T00:00:00.000Z', doc_count: 12 }]);
  });
});

describe('metrics of the order and weight of values', () => {
  it('come from all shards together', async () => {
    const field = 'size';
    const aggs = {
      percentiles: { percentiles: { field, percents: [0, 50, 99] } },
      ranks: { percentile_ranks: { field, values: [2.5], keyed: false } },
      deviation: { median_absolute_deviation: { field } },
      weighted: { weighted_avg: { value: { field }, weight: { field } } },
      none: { percentiles: { field: 'nothing', percents: [50] } },
    };
    expect(await aggregate('left,right/_search', aggs)).toEqual({
      percentiles: { values: { '0.0': 0, '50.0': 6, '99.0': 11 } },
      ranks: { values: [{ key: 2.5, value: 25 }] },
      deviation: { value: 3 },
      weighted: { value: 506 / 66 },
      none: { values: { '50.0': null } },
    });
  });
});
