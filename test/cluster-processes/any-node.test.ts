/** Any node answers any request about shards that are on other nodes, as one node that has them all would. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

const DOCUMENTS = 600;
const NODES = ['n1', 'n2', 'n3'];
const SETTINGS = { number_of_shards: 6, number_of_replicas: 0, refresh_interval: -1 };
const MAPPINGS = { properties: { parity: { type: 'keyword' } } };

let cluster: TestCluster;
/** Has all shards itself. */
let single: TestNode;

beforeAll(async () => {
  [cluster, single] = await Promise.all([
    TestCluster.start({ nodes: 3, settings: { 'node.processors': '2' } }),
    TestNode.start(),
  ]);
  await cluster.until('three nodes', async () => {
    const { number_of_nodes: count } = (await cluster.node().get('/_cluster/health')).json() as Json;
    return count === 3 ? true : undefined;
  });
  const created = await onBoth('n1', 'PUT', '/spread', { settings: SETTINGS, mappings: MAPPINGS });
  expect(created.status).toBe(200);
  await cluster.waitForHealth();
});

afterAll(async () => {
  await Promise.all([cluster.stop(), single.stop()]);
});

/** The request to one node of the cluster, and to the single one; both must answer the same. */
async function onBoth(name: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const answers = await Promise.all([cluster.node(name), single].map((node) => node.request(method, path, body)));
  const [answer, expected] = answers.map(({ status, text }) => ({ status, body: comparable(text) }));
  expect(answer).toEqual(expected);
  return answers[0] as Answer;
}

function comparable(text: string): unknown {
  if (text === '') return '';
  const changing = new Set(['took', 'index_uuid']);
  return JSON.parse(text, (key, value: unknown) => (changing.has(key) ? 0 : value));
}

function bulkBody(from: number, to: number): string {
  const lines: string[] = [];
  for (let number = from; number < to; number++) {
    lines.push(JSON.stringify({ index: { _id: `d${number}` } }));
    const extra = number % 100 === 99 ? { [`field${number}`]: 'new' } : {};
    lines.push(
      JSON.stringify({ number, parity: number % 2 === 0 ? 'even' : 'odd', text: `document ${number}`, ...extra }),
    );
  }
  return `${lines.join('\n')}\n`;
}

const SEARCHES: readonly Json[] = [
  { size: 20, query: { match: { text: 'document' } }, sort: [{ number: 'desc' }] },
  { query: { match: { text: '17' } } },
  { from: 30, size: 15, query: { range: { number: { gte: 100 } } }, sort: ['number'] },
  {
    size: 0,
    track_total_hits: true,
    aggs: {
      parity: { terms: { field: 'parity' }, aggs: { mean: { avg: { field: 'number' } } } },
      spread: { histogram: { field: 'number', interval: 100 } },
    },
  },
  {
    query: { term: { parity: 'odd' } },
    size: 3,
    sort: [{ number: 'asc' }],
    aggs: { top: { max: { field: 'number' } } },
  },
];

async function askAll(): Promise<void> {
  for (const name of NODES) {
    for (const search of SEARCHES) await onBoth(name, 'POST', '/spread/_search', search);
    await onBoth(name, 'POST', '/spread/_count', { query: { term: { parity: 'even' } } });
    await onBoth(name, 'GET', '/spread/_doc/d17');
    await onBoth(name, 'GET', '/spread/_doc/none');
    await onBoth(name, 'GET', '/spread/_source/d18');
    await onBoth(name, 'GET', '/spread/_doc/d19?realtime=false');
    await onBoth(name, 'POST', '/spread/_mget', { ids: ['d1', 'd2', 'd3', 'none', 'd4', 'd5', 'd6'] });
  }
}

describe('three nodes with two shards each', { concurrent: false }, () => {
  it('hold what they shall', async () => {
    const rows = (await cluster.node('n2').get('/_cat/shards/spread?format=json')).json() as { node: string }[];
    expect(rows.map(({ node }) => node).sort()).toEqual(['n1', 'n1', 'n2', 'n2', 'n3', 'n3']);
  });

  it('take bulks, each with new fields', async () => {
    for (const [at, name] of NODES.entries()) {
      const third = DOCUMENTS / NODES.length;
      const answer = await onBoth(name, 'POST', '/spread/_bulk', bulkBody(at * third, (at + 1) * third));
      expect((answer.json() as Json).errors).toBe(false);
    }
  });

  it('refresh, flush, merge', async () => {
    for (const name of NODES) {
      await onBoth(name, 'POST', '/spread/_refresh');
      await onBoth(name, 'POST', '/spread/_flush');
    }
    await onBoth('n3', 'POST', '/spread/_forcemerge?max_num_segments=1');
    await onBoth('n2', 'GET', '/spread/_count');
  });

  it('search, count and get', askAll);

  it('write single documents, also against what the document is', async () => {
    for (const [at, name] of NODES.entries()) {
      await onBoth(name, 'PUT', `/spread/_doc/single${at}`, { number: 1_000 + at, parity: 'even' });
      await onBoth(name, 'PUT', `/spread/_create/single${at}`, { number: 1 });
      await onBoth(name, 'POST', `/spread/_update/d${at}`, { doc: { text: 'updated' } });
      await onBoth(name, 'DELETE', `/spread/_doc/d${at + 10}`);
      await onBoth(name, 'DELETE', `/spread/_doc/d${at + 10}`);
      await onBoth(name, 'GET', `/spread/_doc/d${at}`);
      const conflict = `/spread/_doc/d${at}?if_seq_no=0&if_primary_term=7`;
      expect((await cluster.node(name).put(conflict, { number: 1 })).status).toBe(409);
    }
  });

  it('make bulks searchable before they answer', async () => {
    for (const [at, name] of NODES.entries()) {
      const body = bulkBody(DOCUMENTS + at * 10, DOCUMENTS + (at + 1) * 10);
      await onBoth(name, 'POST', '/spread/_bulk?refresh=true', body);
      await onBoth(NODES[(at + 1) % 3] ?? '', 'POST', '/spread/_count');
    }
    await askAll();
  });

  it('honour the preference', async () => {
    const own = await cluster.node('n1').post('/spread/_search?preference=_only_local', { size: 0 });
    const shards = (own.json() as Json)._shards;
    expect(shards).toMatchObject({ total: 6, successful: 2, failed: 4 });
    const named = await cluster.node('n1').post('/spread/_search?preference=_shards:0,1%7C_local', { size: 0 });
    expect((named.json() as Json)._shards).toMatchObject({ total: 2, successful: 2, failed: 0 });
    const none = await cluster.node('n1').post('/spread/_search?preference=_only_nodes:nowhere');
    expect(none.status).toBe(400);
    expect(none.text).toContain('no data nodes with criteria [nowhere] found for shard: [spread][');
    await onBoth('n2', 'POST', '/spread/_count?preference=somebody');
    await onBoth('n2', 'POST', '/spread/_search?preference=_unknown');
  });

  it('know the statistics of all shards', async () => {
    for (const name of NODES) {
      const { indices, _shards: shards } = (await cluster.node(name).get('/spread/_stats/docs')).json() as Json;
      expect(shards).toEqual({ total: 6, successful: 6, failed: 0 });
      const total = (await single.get('/spread/_stats/docs')).json() as Json;
      expect(indices.spread.primaries.docs).toEqual(total.indices.spread.primaries.docs);
    }
  });

  it('answer for each other what they are asked about themselves', async () => {
    const { nodes } = (await cluster.node('n1').get('/_nodes')).json() as Json;
    expect(
      Object.values<Json>(nodes)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(NODES);
  });

  it('make ids', async () => {
    const made = await cluster.node('n1').post('/spread/_doc?refresh=true', { number: 5 });
    expect(made.status).toBe(201);
    const { _id: id } = made.json() as Json;
    for (const name of NODES) expect((await cluster.node(name).get(`/spread/_doc/${id}`)).status).toBe(200);
    await cluster.node('n2').delete(`/spread/_doc/${id}`);
  });

  it('count the shards of closed indices', async () => {
    await onBoth('n1', 'POST', '/spread/_close');
    const stats = (await cluster.node('n2').get('/spread/_stats/docs?forbid_closed_indices=false')).json() as Json;
    expect(stats._shards).toEqual({ total: 6, successful: 6, failed: 0 });
    await onBoth('n3', 'POST', '/spread/_open');
    await cluster.waitForHealth();
    await askAll();
  });

  it('answer partially without one of them, and wholly when it is back', async () => {
    await cluster.member('n3').kill();
    const asked = '/spread/_search?size=0&track_total_hits=true';
    const partial = await cluster.until('a partial answer', async () => {
      const answer = await cluster.node('n1').get(asked);
      return answer.status === 200 && (answer.json() as Json)._shards.failed > 0 ? (answer.json() as Json) : undefined;
    });
    expect(partial._shards).toMatchObject({ total: 6, successful: 4, failed: 2 });
    expect(partial._shards.failures[0]).toMatchObject({ index: 'spread', reason: { type: expect.any(String) } });
    const refused = await cluster.node('n2').get(`${asked}&allow_partial_search_results=false`);
    expect(refused.status).toBe(503);
    expect((refused.json() as Json).error).toMatchObject({ type: 'search_phase_execution_exception', phase: 'query' });
    // While the others look for a master, which the third may have been, every write is refused for that.
    await cluster.until('two nodes with a master', async () => {
      const health = await cluster.node('n1').get('/_cluster/health');
      return health.status === 200 && (health.json() as Json).number_of_nodes === 2 ? true : undefined;
    });
    const answer = await cluster.node('n1').post('/spread/_bulk?timeout=1s', bulkBody(5_000, 5_050));
    expect(answer.status).toBe(200);
    const written = answer.json() as Json;
    expect(written.errors).toBe(true);
    const failed = written.items.filter(({ index }: Json) => index.status !== 201) as Json[];
    expect(failed.length).toBeLessThan(50);
    for (const { index } of failed) {
      expect(index).toMatchObject({ status: 503, error: { type: 'unavailable_shards_exception' } });
      expect(index.error.reason).toMatch(/^\[spread\]\[\d\] primary shard is not active Timeout: \[1s\], request: \[/);
    }
    await cluster.member('n3').start();
    await cluster.waitForHealth();
    for (let number = 5_000; number < 5_050; number++) await cluster.node('n2').delete(`/spread/_doc/d${number}`);
    await cluster.node('n2').post('/spread/_refresh');
    const whole = await cluster.node('n3').get(asked);
    expect((whole.json() as Json)._shards).toMatchObject({ total: 6, successful: 6, failed: 0 });
    expect((whole.json() as Json).hits.total).toEqual(((await single.get(asked)).json() as Json).hits.total);
  });

  it('carry writes out that come while a shard is away, once it is back', async () => {
    await cluster.member('n2').kill();
    const writing = cluster.node('n1').post('/spread/_bulk?timeout=60s&refresh=true', bulkBody(7_000, 7_060));
    await cluster.member('n2').start();
    const written = (await writing).json() as Json;
    expect(written.errors).toBe(false);
    const count = await cluster.node('n2').post('/spread/_count', { query: { range: { number: { gte: 7_000 } } } });
    expect((count.json() as Json).count).toBe(60);
  });
});
