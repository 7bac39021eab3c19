/** The circuit breakers of a real node: limits changed while it runs, what they refuse, what they tell. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({});
  // What completions take stays in memory, whatever the shard does.
  await node.put('/films', {
    settings: { number_of_replicas: 0 },
    mappings: { properties: { title: { type: 'completion' } } },
  });
  await node.bulk('/films/_bulk?refresh', [{ index: { _id: '1' } }, { size: 1, title: 'a film' }]);
}, 60_000);

afterAll(async () => {
  await node.stop();
});

afterEach(async () => {
  await set('persistent', { 'indices.breaker.*': null, 'network.breaker.*': null });
  await set('transient', { 'indices.breaker.*': null });
});

async function set(scope: 'persistent' | 'transient', settings: Record<string, string | null>): Promise<Answer> {
  const answer = await node.put('/_cluster/settings', { [scope]: settings });
  return answer;
}

async function breakers(): Promise<Json> {
  const { nodes } = (await node.get('/_nodes/stats/breaker')).json();
  return (Object.values(nodes)[0] as Json).breakers;
}

const search = (): Promise<Answer> => node.post('/films/_search', { aggs: { sizes: { terms: { field: 'size' } } } });

const SOON = { timeout: 10_000 };

describe('bodies in flight', () => {
  // Bodies lie in buffers of powers of two.
  const body = JSON.stringify({ text: 'x'.repeat(17_000) });

  it.each(['indices.breaker.inflight_requests.limit', 'network.breaker.inflight_requests.limit'])(
    'are taken at the limit of %s and refused one byte beyond',
    async (name) => {
      await set('persistent', { [name]: '32768b' });
      // The request before gives back its own room a moment after its answer.
      await expect.poll(async () => (await node.post('/films/_doc', body)).status, SOON).toBe(201);
      await set('persistent', { [name]: '32767b' });
      expect((await node.post('/films/_doc', body)).status).toBe(429);
      const refusal = async (): Promise<Json> => (await node.post('/films/_doc', body)).json().error;
      await expect.poll(refusal, SOON).toMatchObject({
        type: 'circuit_breaking_exception',
        reason:
          '[inflight_requests] Data too large, data for [<http_request>] would be [32768/32kb], which is larger than the ' +
          'limit of [32767/31.9kb]',
        bytes_wanted: 32_768,
        bytes_limit: 32_767,
        durability: 'TRANSIENT',
      });
      const { inflight_requests } = await breakers();
      expect(inflight_requests).toMatchObject({ limit_size_in_bytes: 32_767, overhead: 1 });
      expect(inflight_requests.tripped).toBeGreaterThan(0);
    },
  );

  it('leave the settings changeable when nothing fits', async () => {
    await set('transient', { 'indices.breaker.inflight_requests.limit': '0' });
    expect((await node.post('/films/_doc', '{}')).status).toBe(429);
    expect((await set('transient', { 'indices.breaker.inflight_requests.limit': null })).status).toBe(200);
    expect((await node.post('/films/_doc', '{}')).status).toBe(201);
  });
});

describe('the parent', () => {
  it.each(['persistent', 'transient'] as const)(
    'refuses when the node holds too much, set in %s settings',
    async (scope) => {
      await set(scope, { 'indices.breaker.total.limit': '1mb' });
      const refused = await search();
      expect(refused.status).toBe(429);
      expect(refused.json().error).toMatchObject({
        type: 'circuit_breaking_exception',
        reason: expect.stringMatching(
          /^\[parent\] Data too large, data for \[<http_request>\] would be \[\d+\/[\d.]+mb\], which is larger than the limit of \[1048576\/1mb\], real usage: \[\d+\/[\d.]+mb\], new bytes reserved: \[\d+\/[\d.]+k?b\], usages \[request=/,
        ),
        bytes_limit: 1_048_576,
      });
      const { parent } = await breakers();
      expect(parent.tripped).toBeGreaterThan(0);
      expect(parent.estimated_size_in_bytes).toBeGreaterThan(1_048_576);
      await set(scope, { 'indices.breaker.total.limit': null });
      expect((await search()).status).toBe(200);
    },
  );
});

describe('memory of requests', () => {
  it('is limited while the node runs, and tells bytes and durability', async () => {
    await set('transient', { 'indices.breaker.request.limit': '1kb' });
    const refused = await search();
    expect(refused.status).toBe(429);
    expect(refused.json().error.root_cause[0]).toMatchObject({
      type: 'circuit_breaking_exception',
      reason: expect.stringContaining('[request] Data too large, data for [<aggregations>] would be ['),
      bytes_limit: 1_024,
      durability: 'TRANSIENT',
    });
    const { request } = await breakers();
    expect(request).toMatchObject({ limit_size_in_bytes: 1_024 });
    expect(request.tripped).toBeGreaterThan(0);
  });
});

describe('memory that a search takes', () => {
  it('is shown while it runs, and refused where the node holds too much by then', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => [{ index: {} }, { n, text: `word${n}` }]);
    await node.put('/many', { mappings: { properties: { text: { type: 'keyword' } } } });
    await node.bulk('/many/_bulk?refresh', lines.flat());
    const aggs = { t: { terms: { field: 'text', size: 1_000 }, aggs: { n: { cardinality: { field: 'n' } } } } };
    const large = (): Promise<Answer> => node.post('/many/_search?request_cache=false', { size: 0, aggs });
    let isOver = false;
    const searches = (async () => {
      while (!isOver) expect((await large()).status).toBe(200);
    })();
    const reserved = await node.until(async () => {
      const { request } = await breakers();
      return request.estimated_size_in_bytes > 1_000_000 ? (request.estimated_size_in_bytes as number) : undefined;
    });
    isOver = true;
    await searches;
    expect(reserved).toBeLessThan(1_000_000_000);
    // A little more than the node holds: the request is taken in, and what it takes then is too much.
    const refused = await node.until(async () => {
      const limit = (await breakers()).parent.estimated_size_in_bytes + 2 * 1024 ** 2;
      await set('persistent', { 'indices.breaker.total.limit': `${limit}b` });
      const answer = await large();
      return answer.text.includes('data for [<aggregations>]') ? answer : undefined;
    });
    expect([refused.status, refused.json().error.root_cause[0]]).toEqual([
      429,
      expect.objectContaining({ reason: expect.stringMatching(/^\[parent\] Data too large/), durability: 'TRANSIENT' }),
    ]);
    expect((await breakers()).parent.tripped).toBeGreaterThan(0);
    await set('persistent', { 'indices.breaker.total.limit': null });
    expect((await large()).status).toBe(200);
    await node.delete('/many');
  });
});

describe('computed columns', () => {
  const words = (): Promise<Answer> => node.post('/texts/_search', { aggs: { words: { terms: { field: 'text' } } } });
  const held = async (): Promise<number> => (await breakers()).fielddata.estimated_size_in_bytes;

  beforeAll(async () => {
    await node.put('/texts', { mappings: { properties: { text: { type: 'text', fielddata: true } } } });
    await node.post('/texts/_doc?refresh', { text: 'word' });
  });

  it('are made at the limit and refused one byte beyond', async () => {
    await set('persistent', { 'indices.breaker.fielddata.limit': '8b' });
    expect((await words()).json().aggregations.words.buckets).toEqual([{ key: 'word', doc_count: 1 }]);
    await set('persistent', { 'indices.breaker.fielddata.limit': '7b' });
    const refused = await words();
    expect(refused.status).toBe(429);
    expect(refused.json().error.root_cause).toMatchObject([
      {
        type: 'circuit_breaking_exception',
        reason: '[fielddata] Data too large, data for [text] would be [8], which is larger than the limit of [7]',
      },
    ]);
    const { fielddata } = await breakers();
    expect(fielddata).toMatchObject({ limit_size_in_bytes: 7 });
    expect(fielddata.tripped).toBeGreaterThan(0);
  });

  it('go when the limit falls', async () => {
    const before = await held();
    expect((await words()).status).toBe(200);
    const kept = await held();
    expect(kept).toBeGreaterThan(before);
    await set('persistent', { 'indices.breaker.fielddata.limit': '1%' });
    expect(await held()).toBe(kept);
    await set('persistent', { 'indices.breaker.fielddata.limit': '7b' });
    expect(await held()).toBe(before);
  });
});

describe('memory of shards', () => {
  it('refuses writes beyond its limit, and nothing else', async () => {
    await node.until(async () => ((await breakers()).accounting.estimated_size_in_bytes > 0 ? true : undefined));
    await set('persistent', { 'indices.breaker.accounting.limit': '0' });
    const refused = await node.post('/films/_doc', { size: 2 });
    expect(refused.status).toBe(429);
    expect(refused.json().error).toMatchObject({
      type: 'circuit_breaking_exception',
      reason: expect.stringMatching(/^\[accounting\] Data too large, data for \[<shards>\] would be \[\d+/),
      bytes_limit: 0,
      durability: 'PERMANENT',
    });
    const { items } = (await node.bulk('/films/_bulk', [{ index: {} }, { size: 3 }])).json();
    expect(items[0].index.status).toBe(429);
    expect((await search()).status).toBe(200);
    expect((await breakers()).accounting.tripped).toBeGreaterThan(0);
    await set('persistent', { 'indices.breaker.accounting.limit': null });
    expect((await node.post('/films/_doc', { size: 2 })).status).toBe(201);
  });
});

describe('settings of breakers', () => {
  it.each([
    [{ 'indices.breaker.total.limit': '101%' }, 'a percentage is at most [100%]'],
    [{ 'indices.breaker.total.limit': 'much' }, '[indices.breaker.total.limit]'],
    [{ 'indices.breaker.fielddata.limit': '101%' }, 'a percentage is at most [100%]'],
    [{ 'indices.breaker.request.overhead': '2' }, 'cannot be changed from its default [1.0] yet'],
    [{ 'network.breaker.inflight_requests.overhead': '2.0' }, 'cannot be changed from its default [1.0] yet'],
  ])('refuse %j', async (settings, reason) => {
    const refused = await set('persistent', settings);
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain(reason);
  });
});

describe('the memory budget', () => {
  it('is half of the memory where nobody says otherwise, and what limits are shares of', async () => {
    const [stats] = Object.values((await node.get('/_nodes/stats/jvm,os,breaker')).json().nodes) as [Json];
    const budget = stats.jvm.mem.heap_max_in_bytes;
    expect(budget).toBe(Math.min(32 * 1024 ** 3, Math.floor(stats.os.mem.total_in_bytes / 2)));
    const {
      heap_used_in_bytes: used,
      javascript_used_in_bytes: javascript,
      native_used_in_bytes: rest,
    } = stats.jvm.mem;
    expect(javascript).toBeGreaterThan(1024 ** 2);
    expect(rest).toBeGreaterThan(1024 ** 2);
    expect(javascript + rest).toBe(used);
    expect(stats.breakers.parent.limit_size_in_bytes).toBe(Math.floor(budget * 0.95));
    const [info] = Object.values((await node.get('/_nodes/jvm')).json().nodes) as [Json];
    expect(info.jvm.mem).toMatchObject({ heap_init_in_bytes: budget, heap_max_in_bytes: budget });
    expect((await node.get('/_cat/nodes?bytes=b&h=heap.max')).text.trim()).toBe(String(budget));
  });
});
