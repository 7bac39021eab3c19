/** Searches that spare shards work: shards that cannot match are not asked, answers that are known are not computed. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.stop());

async function json(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await node.request(method, path, body);
  expect(answer.text, `${method} ${path}`).not.toContain('"error"');
  return answer.json();
}

describe('shards that cannot match', () => {
  const years = [2016, 2017, 2018];

  beforeAll(async () => {
    for (const year of years) {
      const properties = { at: { type: 'date' }, kind: { type: 'keyword' } };
      await json('PUT', `/log-${year}`, { settings: { number_of_replicas: 0 }, mappings: { properties } });
      await json('PUT', `/log-${year}/_doc/1?refresh=true`, { at: `${year}-06-01`, kind: 'a' });
    }
  });

  const range = { range: { at: { gte: '2017-01-01', lt: '2018-01-01' } } };
  const counted = (total: number, skipped: number): Json => ({ total, successful: total, skipped, failed: 0 });

  test('are asked all the same while there are few of them', async () => {
    const answer = await json('POST', '/log-*/_search', { query: range });
    expect(answer._shards).toEqual(counted(3, 0));
    expect(answer.hits.total.value).toBe(1);
  });

  test('are skipped beyond pre_filter_shard_size, and when the hits are sorted by a field', async () => {
    const filtered = await json('POST', '/log-*/_search?pre_filter_shard_size=1', { query: range });
    expect(filtered._shards).toEqual(counted(3, 2));
    expect(filtered.hits.hits.map((hit: Json) => hit._index)).toEqual(['log-2017']);
    const sorted = await json('POST', '/log-*/_search', { query: range, sort: [{ at: 'desc' }] });
    expect(sorted._shards).toEqual(counted(3, 2));
  });

  test('one is asked when none can match', async () => {
    const query = { range: { at: { gte: '2030-01-01' } } };
    const answer = await json('POST', '/log-*/_search?pre_filter_shard_size=1', { query });
    expect(answer._shards).toEqual(counted(3, 2));
    expect(answer.hits.total.value).toBe(0);
  });

  test('are asked where the answer tells of documents that the query does not find', async () => {
    const aggregations = [{ global: {} }, { terms: { field: 'kind', min_doc_count: 0 } }];
    for (const aggregation of aggregations) {
      const body = { size: 0, query: range, aggs: { all: aggregation } };
      const answer = await json('POST', '/log-*/_search?pre_filter_shard_size=1', body);
      expect(answer._shards).toEqual(counted(3, 0));
    }
  });

  test('are told by the filter of an alias too', async () => {
    const actions = years.map((year) => ({
      add: { index: `log-${year}`, alias: 'recent', filter: { range: { at: { gte: '2018-01-01' } } } },
    }));
    await json('POST', '/_aliases', { actions });
    const query = { exists: { field: 'kind' } };
    const answer = await json('POST', '/recent/_search?pre_filter_shard_size=1', { query });
    expect(answer._shards).toEqual(counted(3, 2));
  });

  test('are skipped of a point in time and of a scroll', async () => {
    const { id } = await json('POST', '/log-*/_pit?keep_alive=1m');
    const answer = await json('POST', '/_search?pre_filter_shard_size=1', { query: range, pit: { id } });
    expect(answer._shards).toEqual(counted(3, 2));
    const scroll = await json('POST', '/log-*/_search?pre_filter_shard_size=1&scroll=1m', { query: range, size: 1 });
    expect(scroll._shards.skipped).toBe(2);
    expect((await json('POST', '/_search/scroll', { scroll_id: scroll._scroll_id })).hits.hits).toEqual([]);
  });
});

describe('the request cache', () => {
  const body = { size: 0, query: { range: { n: { gte: 1 } } }, aggs: { sum: { sum: { field: 'n' } } } };

  beforeEach(async () => {
    await node.delete('/cached');
    await json('PUT', '/cached', { settings: { number_of_shards: 2, number_of_replicas: 0 } });
    const lines = Array.from({ length: 20 }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat();
    await node.bulk('/cached/_bulk?refresh=true', lines);
  });

  async function figures(): Promise<Json> {
    return (await json('GET', '/cached/_stats/request_cache'))._all.total.request_cache;
  }

  test('answers a repeated search without hits, until a refresh shows something else', async () => {
    const first = await json('POST', '/cached/_search', body);
    const second = await json('POST', '/cached/_search', body);
    expect({ ...second, took: 0 }).toEqual({ ...first, took: 0 });
    const known = await figures();
    expect(known).toMatchObject({ hit_count: 2, miss_count: 2, evictions: 0 });
    expect(known.memory_size_in_bytes).toBeGreaterThan(0);
    await json('PUT', '/cached/_doc/new', { n: 1_000 });
    expect((await json('POST', '/cached/_search', body)).aggregations.sum.value).toBe(190);
    await json('POST', '/cached/_refresh');
    expect((await json('POST', '/cached/_search', body)).aggregations.sum.value).toBe(1_190);
    expect((await figures()).hit_count).toBe(5);
  });

  test('is asked as the request and the index say', async () => {
    const twice = async (path: string, what: object): Promise<number> => {
      const before = (await figures()).hit_count;
      await json('POST', path, what);
      await json('POST', path, what);
      return (await figures()).hit_count - before;
    };
    expect(await twice('/cached/_search?request_cache=false', body)).toBe(0);
    expect(await twice('/cached/_search', { ...body, size: 1 })).toBe(0);
    expect(await twice('/cached/_search?request_cache=true', { ...body, size: 1 })).toBe(2);
    expect(await twice('/cached/_search?request_cache=true', { ...body, profile: true })).toBe(0);
    const soon = { range: { _at: { lte: 'now' } } };
    expect(await twice('/cached/_search', { ...body, query: soon })).toBe(0);
    await json('PUT', '/cached/_settings', { 'index.requests.cache.enable': false });
    expect(await twice('/cached/_search', { ...body, query: { match_all: {} } })).toBe(0);
    expect(await twice('/cached/_search?request_cache=true', { ...body, query: { match_all: {} } })).toBe(2);
  });

  test('gives the same page again when it was asked for by name', async () => {
    const page = { query: { match_all: {} }, sort: [{ n: 'desc' }], size: 3 };
    const first = await json('POST', '/cached/_search?request_cache=true', page);
    const second = await json('POST', '/cached/_search?request_cache=true', page);
    expect(second.hits).toEqual(first.hits);
    expect(second.hits.hits.map((hit: Json) => hit.sort)).toEqual([[19], [18], [17]]);
    expect((await figures()).hit_count).toBe(2);
  });

  test('a changed mapping is asked anew', async () => {
    const other = { size: 0, query: { term: { late: 'x' } } };
    await json('POST', '/cached/_search', other);
    await json('PUT', '/cached/_mapping', { properties: { late: { type: 'keyword' } } });
    await json('POST', '/cached/_search', other);
    expect(await figures()).toMatchObject({ hit_count: 0, miss_count: 4 });
  });

  test('is cleared where that is asked for, and shown by cat and the statistics of nodes', async () => {
    await json('POST', '/cached/_search', body);
    expect((await json('POST', '/cached/_cache/clear?query=true'))._shards.successful).toBe(2);
    expect((await figures()).memory_size_in_bytes).toBeGreaterThan(0);
    const nodes = await json('GET', '/_nodes/stats/indices/request_cache');
    const [own] = Object.values<Json>(nodes.nodes);
    expect(own.indices.request_cache.miss_count).toBeGreaterThanOrEqual(2);
    const [row] = await json('GET', '/_cat/indices/cached?format=json&h=rcmc,rcm&bytes=b');
    expect(row.rcmc).toBe('2');
    expect(Number(row.rcm)).toBeGreaterThan(0);
    expect(await json('POST', '/cached/_cache/clear?request=true')).toEqual({
      _shards: { total: 2, successful: 2, failed: 0 },
    });
    expect(await figures()).toMatchObject({ memory_size_in_bytes: 0, miss_count: 2 });
  });

  test('a cleared cache of an index that is not there is a 404', async () => {
    expect((await node.post('/nowhere/_cache/clear')).status).toBe(404);
  });
});
