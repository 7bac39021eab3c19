/** Searches run on any worker, and those that take long on threads of their own: what they see, whom they hold up, how they end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Json } from './node-harness.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const WORDS = ['red', 'green', 'blue', 'black', 'white'];

let node: TestNode;

beforeAll(async () => {
  // More workers than most machines that run tests have processors, and few threads for what takes long.
  node = await TestNode.start({
    'node.processors': '4',
    'thread_pool.search.size': '2',
    'thread_pool.search.queue_size': '6',
  });
});

afterAll(async () => {
  await node.stop();
});

/** What the index should hold: numbers and words by id. */
type Model = Map<string, { readonly n: number; readonly word: string }>;

function change(model: Model, random: ReturnType<typeof seededRandom>): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < 20; at++) {
    const id = String(random.below(300));
    if (random.below(4) === 0) {
      model.delete(id);
      lines.push(JSON.stringify({ delete: { _id: id } }));
      continue;
    }
    const document = { n: random.below(1_000), word: WORDS[random.below(WORDS.length)] ?? '' };
    model.set(id, document);
    lines.push(JSON.stringify({ index: { _id: id } }), JSON.stringify(document));
  }
  return lines;
}

function search(body: Json, parameters = ''): Promise<Json> {
  return node.post(`/changing/_search${parameters}`, body).then((answer) => {
    expect(answer.status).toBe(200);
    return answer.json();
  });
}

async function check(model: Model): Promise<void> {
  const documents = [...model].map(([id, document]) => ({ id, ...document }));
  const asked = WORDS.map(async (word) => {
    const expected = documents.filter((document) => document.word === word).map(({ id }) => id);
    const found = await search({ query: { match: { word } }, size: 300, _source: false });
    expect(found.hits.hits.map(({ _id }: { _id: string }) => _id).sort()).toEqual(expected.sort());
  });
  const sums = search({ size: 0, aggs: { sum: { sum: { field: 'n' } }, words: { terms: { field: 'word.keyword' } } } });
  const counted = node.post('/changing/_count', { query: { range: { n: { lt: 500 } } } });
  const [{ aggregations }, count] = await Promise.all([sums, counted, ...asked]);
  expect(aggregations.sum.value).toBe(documents.reduce((sum, { n }) => sum + n, 0));
  expect(aggregations.words.sum_other_doc_count).toBe(0);
  expect(count.json().count).toBe(documents.filter(({ n }) => n < 500).length);
}

describe('what was refreshed', () => {
  it('is what all workers see, during merges and deletions', async () => {
    await node.put('/changing', {
      settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' },
    });
    const random = seededRandom(11);
    const model: Model = new Map();
    for (let round = 0; round < 60; round++) {
      const answer = await node.bulk('/changing/_bulk?refresh=true', change(model, random));
      expect(answer.json().errors).toBe(false);
      const merging = round % 10 === 9 ? node.post('/changing/_forcemerge?max_num_segments=1') : undefined;
      await check(model);
      await merging;
    }
  });

  it('is seen on an idle shard by the first who searches', async () => {
    await node.put('/idle', {
      settings: { number_of_shards: 1, number_of_replicas: 0, 'index.search.idle.after': '10ms' },
    });
    for (let round = 1; round <= 4; round++) {
      await node.put(`/idle/_doc/${round}`, { n: round });
      // Longer than the refresh interval, which leaves an idle shard alone.
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      const counts = await Promise.all(Array.from({ length: 8 }, () => node.get('/idle/_count')));
      expect(counts.map((answer) => answer.json().count)).toEqual(Array.from({ length: 8 }, () => round));
    }
  });

  it('ends with its index', async () => {
    await node.put('/short/_doc/1?refresh=true', { n: 1 });
    expect((await node.get('/short/_count')).json().count).toBe(1);
    await node.delete('/short');
    expect((await node.get('/short/_count')).status).toBe(404);
    await node.put('/short/_doc/1?refresh=true', { n: 1 });
    await node.put('/short/_doc/2?refresh=true', { n: 1 });
    const counts = await Promise.all(Array.from({ length: 8 }, () => node.get('/short/_count')));
    expect(counts.map((answer) => answer.json().count)).toEqual(Array.from({ length: 8 }, () => 2));
  });
});

describe('figures', () => {
  it('are of all workers', async () => {
    await node.put('/counted', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
    await node.put('/counted/_doc/1?refresh=true', { n: 1 });
    const body = { size: 0, query: { range: { n: { lt: 7 } } }, stats: ['group'] };
    expect((await node.post('/counted/_search', body)).status).toBe(200);
    await Promise.all(Array.from({ length: 7 }, () => node.post('/counted/_search', body)));
    await Promise.all(Array.from({ length: 8 }, () => node.post('/counted/_search', { ...body, size: 1 })));
    const { _all } = (await node.get('/counted/_stats/search,request_cache?groups=*')).json();
    expect(_all.total.request_cache).toMatchObject({ hit_count: 7, miss_count: 1 });
    expect(_all.total.request_cache.memory_size_in_bytes).toBeGreaterThan(0);
    expect(_all.total.search).toMatchObject({ query_total: 16, groups: { group: { query_total: 16 } } });
    await node.post('/counted/_cache/clear?request=true');
    const cleared = (await node.get('/counted/_stats/request_cache')).json()._all.total.request_cache;
    expect(cleared).toMatchObject({ memory_size_in_bytes: 0, hit_count: 7 });
  });
});

/** Takes half a minute, but for its cancellation. */
const LONG_SEARCH = {
  query: {
    script_score: {
      query: { match_all: {} },
      script: { source: 'double s = 0; for (int i = 0; i < 20000; i++) { s += i * 0.5 } return s + doc["n"].value' },
    },
  },
};

async function activeSearches(): Promise<number> {
  const { tasks } = (await node.get('/_tasks?actions=*search&group_by=none')).json() as { tasks: readonly unknown[] };
  return tasks.length;
}

async function whenActive(count: number): Promise<void> {
  await node.until(async () => ((await activeSearches()) === count ? true : undefined));
}

describe('searches that take long', () => {
  beforeAll(async () => {
    await node.put('/long', {
      settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' },
      mappings: { properties: { n: { type: 'long' } } },
    });
    const lines = Array.from({ length: 20_000 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
    await node.post('/long/_bulk?refresh=true', lines, NDJSON);
  });

  it('hold up nothing that is brief, and are refused beyond the limit', async () => {
    const aborts = Array.from({ length: 8 }, () => new AbortController());
    const running = aborts.map(({ signal }) =>
      fetch(`${node.url}/long/_search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(LONG_SEARCH),
        signal,
      }).catch(() => undefined),
    );
    // Two threads are at work on two of them; the others wait for these, and keep nobody out.
    await whenActive(8);
    const refused = await node.post('/long/_search', { query: { term: { n: 7 } } });
    expect(refused.status).toBe(429);
    expect(refused.json().error.reason).toContain(
      'pool [search] runs [8] of [2] requests and its queue of [6] is full',
    );
    aborts[7]?.abort();
    await whenActive(7);
    for (const ask of [
      () => node.post('/long/_search', { query: { term: { n: 7 } } }),
      () => node.get('/long/_doc/7'),
      () => node.put('/long/_doc/7', { n: 7 }),
      () => node.post('/long/_refresh'),
    ]) {
      expect((await ask()).status).toBeLessThan(300);
    }
    expect(await activeSearches()).toBe(7);
    for (const abort of aborts) abort.abort();
    await Promise.all(running);
    await whenActive(0);
  });

  it('end when they are cancelled', async () => {
    const running = node.post('/long/_search', LONG_SEARCH);
    await whenActive(1);
    const cancelled = await node.post('/_tasks/_cancel?actions=*search');
    expect(cancelled.status).toBe(200);
    const answer = await running;
    expect(answer.json().error.caused_by).toMatchObject({ type: 'task_cancelled_exception' });
    await whenActive(0);
  });

  it('answer as brief ones do', async () => {
    const body = (steps: number): Json => ({
      size: 3,
      query: {
        script_score: {
          query: { range: { n: { gte: 19_000 } } },
          script: {
            source: `double s = 0; for (int i = 0; i < ${steps}; i++) { s += 1 } return s / s + doc["n"].value`,
          },
        },
      },
      aggs: { sums: { sum: { field: 'n' } } },
    });
    const [brief, long] = await Promise.all([
      node.post('/long/_search', body(1)),
      node.post('/long/_search', body(3_000)),
    ]);
    const { took: _brief, ...expected } = brief.json();
    const { took: _long, ...found } = long.json();
    expect(found).toEqual(expected);
  });
});
