/** What the references' own published tests tell of searches, and users of their API therefore expect. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

async function search(path: string, body: unknown): Promise<Json> {
  const answer = await node.post(`/${path}/_search`, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json();
}

async function fill(index: string, properties: object, documents: readonly object[], settings = {}): Promise<void> {
  await node.put(`/${index}`, { settings, mappings: { properties } });
  const lines = documents.flatMap((document, at) => [{ index: { _id: String(at) } }, document]);
  await node.bulk(`/${index}/_bulk?refresh`, lines);
}

describe('_shard_stores', () => {
  it('of no indices are none, or an error where that is asked for', async () => {
    await node.delete('/*?expand_wildcards=all');
    const none = await node.get('/_shard_stores?allow_no_indices=true');
    expect([none.status, none.json()]).toEqual([200, { indices: {} }]);
    const refused = await node.get('/_shard_stores?allow_no_indices=false');
    expect([refused.status, refused.json().error.type]).toEqual([404, 'index_not_found_exception']);
  });
});

describe('fields of hits', () => {
  it('docvalue_fields show a date in each of several formats', async () => {
    await fill('days', { day: { type: 'date' } }, [{ day: ['2018-10-29T12:12:12.123Z', '2019-01-01'] }]);
    const formats = ['strict_date_optional_time', 'epoch_millis', 'uuuu'];
    const { hits } = await search('days', { docvalue_fields: formats.map((format) => ({ field: 'day', format })) });
    expect(hits.hits[0].fields).toEqual({
      day: [
        ...['2018-10-29T12:12:12.123Z', '2019-01-01T00:00:00.000Z'],
        ...['1540815132123', '1546300800000'],
        ...['2018', '2019'],
      ],
    });
  });

  it('fields show a date in the last of several formats', async () => {
    const { hits } = await search('days', {
      fields: [
        { field: 'day', format: 'uuuu' },
        { field: 'day', format: 'MM' },
      ],
    });
    expect(hits.hits[0].fields).toEqual({ day: ['10', '01'] });
  });
});

describe('collapse', () => {
  it('goes by an alias in some of the indices, with inner hits', async () => {
    const group = { type: 'integer' };
    await fill('own', { group, sort: { type: 'integer' } }, [
      { group: 1, sort: 10 },
      { group: 1, sort: 6 },
      { group: 25, sort: 9 },
      { group: 3, sort: 36 },
    ]);
    const properties = { group: { type: 'alias', path: 'other' }, other: group, sort: { type: 'integer' } };
    await fill('by-alias', properties, [
      { other: 1, sort: 7 },
      { other: 25, sort: 8 },
    ]);
    const collapse = { field: 'group', inner_hits: { name: 'all' } };
    for (const [path, counts] of [
      ['own,by-alias', { 3: 1, 1: 3, 25: 2 }],
      ['by-alias', { 1: 1, 25: 1 }],
    ] as const) {
      const { hits } = await search(path, { collapse, sort: [{ sort: 'desc' }] });
      const found = (hits.hits as Json[]).map((hit) => [hit.fields.group[0], hit.inner_hits.all.hits.total.value]);
      expect(Object.fromEntries(found)).toEqual(counts);
    }
  });
});

describe('match_only_text', () => {
  it('has its terms in memory where its mapping says fielddata', async () => {
    await fill('logs', { line: { type: 'match_only_text', fielddata: true } }, [{ line: 'b a' }, { line: 'b' }]);
    const { aggregations, hits } = await search('logs', {
      aggs: { words: { terms: { field: 'line' } } },
      sort: 'line',
    });
    expect(aggregations.words.buckets).toEqual([
      { key: 'b', doc_count: 2 },
      { key: 'a', doc_count: 1 },
    ]);
    expect(hits.hits.map(({ sort }: Json) => sort)).toEqual([['a'], ['b']]);
    expect((await node.put('/logs/_mapping', { properties: { line: { type: 'match_only_text' } } })).status).toBe(200);
    expect((await node.post('/logs/_search', { sort: 'line' })).status).toBe(400);
  });
});

describe('sorted pages over indices of several types', () => {
  const TYPES = ['long', 'integer', 'short', 'byte'];
  const INT_MAX = 2_147_483_647;
  const LONG_MAX = '9223372036854775807';

  beforeAll(async () => {
    for (const [at, type] of TYPES.entries()) {
      await fill(`of-${type}`, { n: { type } }, [{ n: 10 + at }, { n: 20 + at }, {}], {
        'sort.field': 'n',
        'sort.order': 'asc',
      });
    }
  });

  async function page(sort: object, after: readonly unknown[] = [], size = 10): Promise<readonly string[]> {
    const body = { size, sort: [{ n: sort }], ...(after.length === 0 ? {} : { search_after: after }) };
    const { text } = await node.post('/of-*/_search?filter_path=hits.hits.sort', body);
    return [...text.matchAll(/"sort":\[(-?\d+)\]/g)].map(([, number]) => String(number));
  }

  it('missing values sort by the type of their own index', async () => {
    const first = await page({ order: 'asc' });
    expect(first.slice(0, 8)).toEqual(['10', '11', '12', '13', '20', '21', '22', '23']);
    const missing = [INT_MAX, INT_MAX, INT_MAX].map(String);
    expect(await page({ order: 'asc' }, [23])).toEqual([...missing, LONG_MAX]);
    expect(await page({ order: 'asc' }, [INT_MAX])).toEqual([LONG_MAX]);
    expect(await page({ order: 'desc' }, [10])).toEqual([...missing.map(() => '-2147483648'), '-9223372036854775808']);
    expect(await page({ order: 'asc', missing: '_first' }, [], 4)).toEqual([
      '-9223372036854775808',
      ...missing.map(() => '-2147483648'),
    ]);
    expect(await page({ order: 'asc', numeric_type: 'long' }, [23])).toEqual([1, 2, 3, 4].map(() => LONG_MAX));
  });
});

describe('multi_terms', () => {
  beforeAll(async () => {
    await fill('shops', { city: { type: 'keyword' }, floor: { type: 'integer' }, sold: { type: 'long' } }, [
      { city: 'x', floor: 1, sold: 5 },
      { city: 'y', floor: [1, 2], sold: 7 },
      { city: 'z', sold: 9 },
      { city: 'gone', floor: 9 },
    ]);
    await node.delete('/shops/_doc/3?refresh');
  });

  const terms = [{ field: 'city' }, { field: 'floor' }];
  const query = { term: { city: 'x' } };

  it('with min_doc_count 0 shows what no document of the search has', async () => {
    const aggs = { of: { multi_terms: { terms, min_doc_count: 0 }, aggs: { sold: { sum: { field: 'sold' } } } } };
    const { aggregations } = await search('shops', { size: 0, query, aggs });
    expect(aggregations.of.buckets).toEqual([
      { key: ['x', 1], key_as_string: 'x|1', doc_count: 1, sold: { value: 5 } },
      { key: ['y', 1], key_as_string: 'y|1', doc_count: 0, sold: { value: 0 } },
      { key: ['y', 2], key_as_string: 'y|2', doc_count: 0, sold: { value: 0 } },
    ]);
  });

  it('does so in each bucket around it', async () => {
    const inner = { of: { multi_terms: { terms, min_doc_count: 0 } } };
    const aggs = { cities: { terms: { field: 'city' }, aggs: inner } };
    const { aggregations } = await search('shops', { size: 0, aggs });
    const counts = (aggregations.cities.buckets as Json[]).map(({ of }) =>
      of.buckets.map((each: Json) => each.doc_count),
    );
    expect(counts).toEqual([
      [1, 0, 0],
      [1, 1, 0],
      [0, 0, 0],
    ]);
  });

  it('counts these buckets against search.max_buckets', async () => {
    const aggs = { of: { multi_terms: { terms, min_doc_count: 0 } } };
    const limit = (most: number | null): Promise<unknown> =>
      node.put('/_cluster/settings', { persistent: { 'search.max_buckets': most } });
    await limit(3);
    expect((await node.post('/shops/_search', { size: 0, query, aggs })).status).toBe(200);
    await limit(2);
    const refused = await node.post('/shops/_search', { size: 0, query, aggs });
    await limit(null);
    expect(refused.text).toContain('too_many_buckets_exception');
  });
});

describe('profile', () => {
  it('has a time for whatever was done', async () => {
    const aggs = { cities: { terms: { field: 'city' }, aggs: { sold: { max: { field: 'sold' } } } } };
    const { profile } = await search('shops', { profile: true, query: { match_all: {} }, aggs });
    const [shard] = profile.shards;
    const breakdowns: Json[] = [shard.searches[0].query[0], shard.aggregations[0], shard.aggregations[0].children[0]];
    for (const { breakdown } of breakdowns) {
      const done = Object.keys(breakdown).filter((name) => breakdown[`${name}_count`] > 0);
      expect(done.length).toBeGreaterThan(1);
      for (const name of done) expect(breakdown[name]).toBeGreaterThan(0);
    }
  });
});
