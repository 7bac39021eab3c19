/** Searches whose shards are many: what they leave to others, and what is kept of their answers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const SHARDS = 20;

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'node.processors': '1' });
  const mappings = { properties: { n: { type: 'long' } } };
  for (const [index, shards] of Object.entries({ many: SHARDS, one: 1, other: 1 })) {
    // Searched by whoever is asked: a shard that refreshes on schedule falls idle.
    const settings = { number_of_shards: shards, number_of_replicas: 0, refresh_interval: '-1' };
    await node.put(`/${index}`, { settings, mappings });
    const lines = Array.from({ length: 1_000 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
    await node.post(`/${index}/_bulk?refresh=true`, lines, NDJSON);
  }
});

afterAll(async () => {
  await node.stop();
});

it('a thousand searches of one request let others pass', async () => {
  const search = JSON.stringify({ query: { range: { n: { gte: 10 } } }, aggs: { sum: { sum: { field: 'n' } } } });
  let isOver = false;
  const many = node.post('/many/_msearch', `{}\n${search}\n`.repeat(300), NDJSON).finally(() => (isOver = true));
  let passed = 0;
  while (!isOver) {
    expect((await node.get('/one/_doc/1')).status).toBe(200);
    if (!isOver) passed++;
  }
  const { responses } = (await many).json() as Json;
  expect(responses).toHaveLength(300);
  for (const { hits, _shards, aggregations } of responses) {
    expect([hits.total.value, _shards.successful]).toEqual([990, SHARDS]);
    expect(aggregations.sum.value).toBe((999 * 1_000) / 2 - 45);
  }
  // Without turns the first of them waits for all that the request has to do.
  expect(passed).toBeGreaterThan(20);
});

it('an answer of one shard alone is not looked for among those of one shard of several', async () => {
  const figures = async (): Promise<Json> =>
    (await node.get('/one/_stats/request_cache')).json()._all.total.request_cache;
  const body = { size: 0, aggs: { sum: { sum: { field: 'n' } } } };
  for (let round = 0; round < 3; round++) {
    for (const path of ['/one/_search', '/one,other/_search']) {
      const { aggregations } = (await node.post(path, body)).json();
      expect(aggregations.sum.value).toBe((path === '/one/_search' ? 1 : 2) * 499_500);
    }
  }
  expect(await figures()).toMatchObject({ hit_count: 4, miss_count: 2 });
});

it.each([
  ['batched_reduce_size=2', SHARDS - 1],
  ['batched_reduce_size=3', 10],
  ['batched_reduce_size=19', 2],
  [`batched_reduce_size=${SHARDS}`, undefined],
  ['batched_reduce_size=1000', undefined],
  ['', undefined],
])(
  'answers of shards are merged in batches (%s), which changes nothing but the number of them',
  async (size, phases) => {
    const body = {
      query: { range: { n: { gte: 10 } } },
      sort: [{ n: 'desc' }],
      from: 5,
      size: 10,
      aggs: {
        sum: { sum: { field: 'n' } },
        numbers: { terms: { field: 'n', size: 3, order: { _key: 'desc' } } },
      },
    };
    const {
      took: _took,
      num_reduce_phases: counted,
      ...answer
    } = (await node.post(`/many/_search?${size}`, body)).json();
    expect(counted).toBe(phases);
    expect(answer._shards).toMatchObject({ total: SHARDS, successful: SHARDS });
    expect(answer.hits.hits.map(({ _id }: Json) => Number(_id))).toEqual(
      Array.from({ length: 10 }, (_, at) => 994 - at),
    );
    expect(answer.aggregations.sum.value).toBe((999 * 1_000) / 2 - 45);
    expect(answer.aggregations.numbers.buckets.map(({ key }: Json) => key as number)).toEqual([999, 998, 997]);
  },
);

it('a number alone is merged at once, and async searches merge five at a time', async () => {
  const count = (await node.post('/many/_search?batched_reduce_size=2', { size: 0 })).json();
  expect(count.num_reduce_phases).toBeUndefined();
  expect(count.hits.total.value).toBe(1_000);
  const found = (await node.post('/many/_async_search?wait_for_completion_timeout=60s', { size: 1 })).json();
  expect(found.response).toMatchObject({ num_reduce_phases: 5, hits: { total: { value: 1_000 } } });
});

it('a shard that fails is left out of the batches', async () => {
  const body = {
    query: { script: { script: { source: "if (doc['n'].value == 500) { return doc['x'].value } return true" } } },
  };
  const { num_reduce_phases: phases, _shards } = (await node.post('/many/_search?batched_reduce_size=2', body)).json();
  expect(_shards).toMatchObject({ total: SHARDS, failed: 1 });
  expect(phases).toBe(SHARDS - 2);
});
