/** What a search holds is bounded by the request breaker, whatever of it takes the memory, and nothing of it stays. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anonymousMegabytes } from '../../bench/servers.js';
import { TestNode, type Json } from './node-harness.js';

const LIMIT = 32;
const DOCUMENTS = 1_500;
/** Beyond the limit: heaps of JavaScript that read and write the requests, and what others than searches keep. */
const OTHERS_MEGABYTES = 100;

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  for (const [index, shards] of Object.entries({ one: 1, several: 2 })) {
    const settings = { number_of_shards: shards, number_of_replicas: 0 };
    await node.put(`/${index}`, { settings, mappings: { properties: { k: { type: 'keyword' } } } });
    const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: {} }, { k: `k${n}`, n, d: n * 0.37 }]);
    await node.bulk(`/${index}/_bulk?refresh`, lines.flat());
  }
  await node.put('/_cluster/settings', { persistent: { 'indices.breaker.request.limit': `${LIMIT}mb` } });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

const many = (count: number, one: Json): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`a${number}`, one]));

const SEARCHES: Readonly<Record<string, Json>> = {
  'metrics below one bucket': {
    size: 0,
    aggs: { t: { terms: { field: 'k', size: 1 }, aggs: many(1_000, { sum: { field: 'n' } }) } },
  },
  'metrics of many buckets': {
    size: 0,
    aggs: { t: { terms: { field: 'k', size: DOCUMENTS }, aggs: many(300, { sum: { field: 'd' } }) } },
  },
  'metrics beside each other': { size: 0, aggs: many(3_000, { stats: { field: 'd' } }) },
  'keys of a sort': { sort: Array.from({ length: 1_000 }, () => ({ n: 'asc' })) },
};

const SAMPLE_MS = 5;

/** The most memory that the node had while the work was done. */
async function withPeak<Result>(work: () => Promise<Result>): Promise<{ result: Result; peakMegabytes: number }> {
  let peakMegabytes = 0;
  const sample = (): void => {
    peakMegabytes = Math.max(peakMegabytes, anonymousMegabytes(node.process.pid ?? 0));
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const result = await work();
    sample();
    return { result, peakMegabytes };
  } finally {
    clearInterval(timer);
  }
}

async function requestBreaker(): Promise<{ tripped: number; estimated_size_in_bytes: number }> {
  const [stats] = Object.values((await node.get('/_nodes/stats/breaker')).json().nodes) as [Json];
  return stats.breakers.request;
}

it.each(Object.entries(SEARCHES))('%s are refused before they take more than the limit', async (_name, body) => {
  for (const index of ['one', 'several']) {
    const before = anonymousMegabytes(node.process.pid ?? 0);
    const { tripped } = await requestBreaker();
    const { result: refused, peakMegabytes } = await withPeak(() => node.post(`/${index}/_search`, body));
    expect([index, refused.status, refused.text.slice(0, 300)]).toEqual([
      index,
      429,
      expect.stringContaining('circuit_breaking_exception'),
    ]);
    expect(refused.text).toContain('[request] Data too large, data for [<');
    expect(peakMegabytes - before).toBeLessThan(LIMIT + OTHERS_MEGABYTES);
    const after = await requestBreaker();
    expect(after.tripped).toBeGreaterThan(tripped);
    // Only what is kept for later searches.
    expect(after.estimated_size_in_bytes).toBeLessThan(1024 * 1024);
    // Who asks for less is answered at once.
    const small = { size: 0, aggs: { t: { terms: { field: 'k', size: 3 }, aggs: { s: { sum: { field: 'n' } } } } } };
    expect((await node.post(`/${index}/_search`, small)).status).toBe(200);
  }
});

it('what was merged before a shard failed is given back at once', async () => {
  await node.put('/_cluster/settings', { persistent: { 'indices.breaker.request.limit': '2gb' } });
  await node.put('/failing', { mappings: { properties: { k: { type: 'text' } } } });
  await node.bulk('/failing/_bulk?refresh', [{ index: {} }, { k: 'a' }]);
  const body = {
    size: 0,
    aggs: { t: { terms: { field: 'k', size: DOCUMENTS }, aggs: many(50, { extended_stats: { field: 'd' } }) } },
  };
  const options = 'batched_reduce_size=2&allow_partial_search_results=false';
  for (let times = 0; times < 3; times++) {
    const answer = await node.post(`/one,several,failing/_search?${options}`, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Text fields are not optimised')]);
  }
  // Nothing else happens meanwhile that would collect garbage.
  expect((await requestBreaker()).estimated_size_in_bytes).toBeLessThan(1024 * 1024);
});

it('the limit is what decides', async () => {
  await node.put('/_cluster/settings', { persistent: { 'indices.breaker.request.limit': '2gb' } });
  let most = 0;
  for (const body of Object.values(SEARCHES)) {
    for (const index of ['one', 'several']) {
      const before = anonymousMegabytes(node.process.pid ?? 0);
      const { result, peakMegabytes } = await withPeak(() => node.post(`/${index}/_search`, body));
      expect(result.status).toBe(200);
      most = Math.max(most, peakMegabytes - before);
    }
  }
  // Samples show what the limit prevents.
  expect(most).toBeGreaterThan(LIMIT + OTHERS_MEGABYTES);
});
