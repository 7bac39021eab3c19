/** A search that takes long has several threads, and finds what one thread finds. */
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Json } from './node-harness.js';

const DOCUMENTS = 160_000;
const LINES = 20_000;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const MONTHS = 24;

let divided: TestNode;
let alone: TestNode;

async function fill(node: TestNode): Promise<void> {
  const random = seededRandom(11);
  const properties = {
    ...{ kind: { type: 'keyword' }, price: { type: 'double' }, size: { type: 'long' }, at: { type: 'date' } },
    text: { type: 'text' },
  };
  await node.put('/sales', { settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings: { properties } });
  for (let first = 0; first < DOCUMENTS; first += LINES) {
    const lines = Array.from({ length: LINES }, (_, place) => {
      const document = {
        kind: `kind-${random.below(200)}`,
        price: random.below(1_000_000) * 0.001,
        size: random.below(1_000_000_000),
        at: Date.UTC(2024, random.below(MONTHS), 1 + random.below(28)),
        text: `word${random.below(50)} word${random.below(50)} word${random.below(500)}`,
      };
      return `{"index":{"_id":"${first + place}"}}\n${JSON.stringify(document)}\n`;
    });
    expect((await node.request('POST', '/sales/_bulk', lines.join(''), NDJSON)).json().errors).toBe(false);
  }
  await node.post('/sales/_refresh');
  const query = { term: { text: 'word7' } };
  expect((await node.post('/sales/_delete_by_query?refresh=true', { query })).json().deleted).toBeGreaterThan(1_000);
}

beforeAll(async () => {
  divided = await TestNode.start({ 'node.processors': '4' });
  await fill(divided);
  alone = await TestNode.start({ 'node.processors': '4', 'search.max_concurrent_slices': '1' });
  await fill(alone);
}, 120_000);

afterAll(async () => {
  await divided.stop();
  await alone.stop();
});

/** Long enough for several threads, and each unlike those before it. */
function search(number: number): Json {
  const source = `double sum = 0; for (int i = 0; i < 3; ++i) { sum += Math.sqrt(doc['size'].value + i); } return sum % ${number + 5};`;
  const metrics = {
    sum: { sum: { field: 'price' } },
    all: { extended_stats: { field: 'price' } },
    sizes: { stats: { field: 'size' } },
    kinds: { cardinality: { field: 'kind' } },
  };
  const kinds = { terms: { field: 'kind', size: 7, shard_size: 12, order: { sum: 'desc' } }, aggs: metrics };
  const months = { date_histogram: { field: 'at', calendar_interval: 'month' }, aggs: { kinds } };
  // Of the frequent words and of the others.
  const word = number % 50;
  const scored = {
    script_score: { query: { match: { text: `word${word} word${word + 100}` } }, script: { source } },
  };
  const requests = [
    { size: 0, query: { range: { size: { gte: number } } }, aggs: { months } },
    { size: 15, query: scored, track_total_hits: true, _source: false },
    {
      size: 5,
      query: scored,
      aggs: { months, ranges: { range: { field: 'price', ranges: [{ to: 100 }, { from: 100 }] } } },
    },
    {
      size: 20,
      from: 3,
      sort: [{ kind: 'asc' }, { price: 'desc' }],
      query: scored,
      track_scores: true,
      aggs: { kinds },
    },
    { size: 10, track_total_hits: 500, min_score: 1, query: scored, post_filter: { prefix: { kind: 'kind-1' } } },
  ];
  return requests[number % requests.length];
}

function answer(found: Json): Json {
  const { took, ...rest } = found;
  expect(took).toBeGreaterThanOrEqual(0);
  return rest;
}

async function searchers(node: TestNode): Promise<Json> {
  const { nodes } = (await node.get('/_nodes/stats/thread_pool')).json();
  return (Object.values(nodes)[0] as Json).thread_pool.index_searcher;
}

describe.skipIf(availableParallelism() < 2)('a search that takes long', () => {
  it('answers with several threads what it answers with one', async () => {
    // Those who helped have carried out jobs of their own. Only a processor that is idle helps: beside a load it takes longer to see that.
    const jobs = async (node: TestNode): Promise<number> => (await searchers(node)).completed;
    const haveHelped = async (): Promise<boolean> => (await jobs(divided)) > (await jobs(alone)) + 10;
    for (let number = 0; number < 40 || !(await haveHelped()); number++) {
      const [left, right] = await Promise.all(
        [divided, alone].map(async (node) => (await node.post('/sales/_search', search(number))).json()),
      );
      expect(left.hits.total ?? left.error).toBeDefined();
      expect(answer(left)).toEqual(answer(right));
    }
  }, 240_000);

  it('ends for all of its threads when its client leaves', async () => {
    const source =
      'double sum = 0; for (int i = 0; i < 40000; ++i) { sum += Math.sqrt(doc["size"].value + i); } return sum;';
    const query = { script_score: { query: { match_all: {} }, script: { source } } };
    const signal = AbortSignal.timeout(300);
    const request = {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    };
    await expect(fetch(`${divided.url}/sales/_search`, request)).rejects.toThrow();
    const idle = await divided.until(async () => ((await searchers(divided)).active === 0 ? true : undefined));
    expect(idle).toBe(true);
  });
});
