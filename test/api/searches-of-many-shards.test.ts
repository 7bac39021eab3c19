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
