/** Scrolls, points in time and async searches of shards on three nodes: any node goes on with what another began. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

const DOCUMENTS = 300;
const SHARDS = 6;
const NODES = ['n1', 'n2', 'n3'];

let cluster: TestCluster;
let turn = 0;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 3, settings: { 'node.processors': '2' } });
  await cluster.until('three nodes', async () => {
    const { number_of_nodes: count } = (await cluster.node().get('/_cluster/health')).json() as Json;
    return count === 3 ? true : undefined;
  });
  const settings = { number_of_shards: SHARDS, number_of_replicas: 0, refresh_interval: -1 };
  await cluster.node().put('/spread', { settings, mappings: { properties: { number: { type: 'long' } } } });
  await cluster.waitForHealth();
  const lines = Array.from({ length: DOCUMENTS }, (_, number) => [{ index: { _id: `d${number}` } }, { number }]).flat();
  await cluster.node().bulk('/spread/_bulk?refresh=true', lines);
});

afterAll(() => cluster.stop());

/** Asks one node after the other. */
async function ask(method: string, path: string, body?: unknown): Promise<Json> {
  const name = NODES[turn++ % NODES.length];
  const answer: Answer = await cluster.node(name).request(method, path, body);
  expect(answer.status, `${name} ${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json();
}

function numbersOf(answer: Json): readonly number[] {
  return answer.hits.hits.map((hit: Json) => hit._source.number);
}

const ALL = Array.from({ length: DOCUMENTS }, (_, number) => number);

describe('on three nodes with two shards each', { concurrent: false }, () => {
  it('a scroll shows every document once, whichever node is asked for the next page', async () => {
    const first = await ask('POST', '/spread/_search?scroll=5m', { size: 70, sort: ['number'] });
    await ask('DELETE', '/spread/_doc/d299?refresh=true');
    await ask('POST', '/spread/_doc/d299?refresh=true', { number: 299 });
    const found = [...numbersOf(first)];
    for (let page = first; page.hits.hits.length > 0;) {
      page = await ask('POST', '/_search/scroll', { scroll_id: page._scroll_id, scroll: '5m' });
      expect(page._shards).toEqual({ total: SHARDS, successful: SHARDS, skipped: 0, failed: 0 });
      found.push(...numbersOf(page));
    }
    expect(found).toEqual(ALL);
    expect(await ask('DELETE', '/_search/scroll', { scroll_id: first._scroll_id })).toEqual({
      succeeded: true,
      num_freed: SHARDS,
    });
  });

  it('slices of a scroll are parts of it', async () => {
    const parts = await Promise.all(
      [0, 1, 2, 3].map(async (id) =>
        numbersOf(await ask('POST', '/spread/_search?scroll=1m', { size: DOCUMENTS, slice: { id, max: 4 } })),
      ),
    );
    expect(parts.flat().sort((left, right) => left - right)).toEqual(ALL);
    await ask('DELETE', '/_search/scroll/_all');
  });

  it('a point in time shows what was there, from any node', async () => {
    const { id } = await ask('POST', '/spread/_pit?keep_alive=5m');
    await ask('POST', '/spread/_doc?refresh=true', { number: DOCUMENTS });
    for (let time = 0; time < NODES.length; time++) {
      const found: number[] = [];
      for (let after: Json; ;) {
        const page = await ask('POST', '/_search', {
          size: 110,
          sort: ['number'],
          pit: { id, keep_alive: '5m' },
          ...(after === undefined ? {} : { search_after: after }),
        });
        const last = page.hits.hits.at(-1);
        if (last === undefined) break;
        found.push(...numbersOf(page));
        after = last.sort;
      }
      expect(found).toEqual(ALL);
    }
    expect((await ask('POST', '/spread/_count')).count).toBe(DOCUMENTS + 1);
    expect(await ask('DELETE', '/_pit', { id })).toEqual({ succeeded: true, num_freed: SHARDS });
  });

  it('an async search is known to every node', async () => {
    const body = { size: 0, aggs: { most: { max: { field: 'number' } } } };
    const path = '/spread/_async_search?keep_on_completion=true&wait_for_completion_timeout=0ms';
    const { id } = await ask('POST', path, body);
    for (let time = 0; time < NODES.length; time++) {
      const answer = await ask('GET', `/_async_search/${id}?wait_for_completion_timeout=30s`);
      expect(answer.response.aggregations.most.value).toBe(DOCUMENTS);
    }
    await ask('DELETE', `/_async_search/${id}`);
    expect((await cluster.node('n2').get(`/_async_search/${id}`)).status).toBe(404);
  });

  it('copies tell whether they can match, and remember answers', async () => {
    const none = await ask('POST', '/spread/_search?pre_filter_shard_size=1', {
      query: { range: { number: { gt: DOCUMENTS } } },
    });
    expect(none._shards).toEqual({ total: SHARDS, successful: SHARDS, skipped: SHARDS - 1, failed: 0 });
    const body = { size: 0, aggs: { sum: { sum: { field: 'number' } } } };
    for (let time = 0; time < NODES.length; time++) await ask('POST', '/spread/_search', body);
    const { _all: all } = await ask('GET', '/spread/_stats/request_cache');
    expect(all.total.request_cache).toMatchObject({ hit_count: 2 * SHARDS });
  });

  it('views stay where they are when the copies move away', async () => {
    const { id } = await ask('POST', '/spread/_pit?keep_alive=5m');
    const scroll = await ask('POST', '/spread/_search?scroll=5m', { size: 100, sort: ['number'] });
    await ask('PUT', '/_cluster/settings', { transient: { 'cluster.routing.allocation.exclude._name': 'n3' } });
    await cluster.until('n3 is empty', async () => {
      const shards = (await cluster.node('n1').get('/_cat/shards/spread?format=json')).json() as Json;
      return shards.every(({ node, state }: Json) => node !== 'n3' && state === 'STARTED') ? true : undefined;
    });
    const found = [...numbersOf(scroll)];
    for (let page = scroll; page.hits.hits.length > 0;) {
      page = await ask('POST', '/_search/scroll', { scroll_id: page._scroll_id, scroll: '5m' });
      expect(page._shards).toEqual({ total: SHARDS, successful: SHARDS, skipped: 0, failed: 0 });
      found.push(...numbersOf(page));
    }
    expect(found).toEqual([...ALL, DOCUMENTS]);
    const searched = await ask('POST', '/_search', { pit: { id }, size: 500, sort: ['number'] });
    expect([searched._shards.successful, numbersOf(searched)]).toEqual([SHARDS, [...ALL, DOCUMENTS]]);
    const none = { size: 0, query: { range: { number: { gt: DOCUMENTS } } }, pit: { id } };
    expect((await ask('POST', '/_search?pre_filter_shard_size=1', none)).hits.total.value).toBe(0);
    expect(await ask('DELETE', '/_pit', { id })).toEqual({ succeeded: true, num_freed: SHARDS });
    expect(await ask('DELETE', '/_search/scroll', { scroll_id: scroll._scroll_id })).toMatchObject({
      num_freed: SHARDS,
    });
    await ask('PUT', '/_cluster/settings', { transient: { 'cluster.routing.allocation.exclude._name': null } });
    await cluster.until('n3 has shards again', async () => {
      const shards = (await cluster.node('n1').get('/_cat/shards/spread?format=json')).json() as Json;
      const isStarted = shards.every(({ state }: Json) => state === 'STARTED');
      return isStarted && shards.filter(({ node }: Json) => node === 'n3').length === 2 ? true : undefined;
    });
  });

  it('what a lost node held is missing, and said to be', async () => {
    const { id } = await ask('POST', '/spread/_pit?keep_alive=5m');
    const scroll = await ask('POST', '/spread/_search?scroll=5m', { size: 10, sort: ['number'] });
    await cluster.member('n3').kill();
    await cluster.until('the node is missed', async () => {
      const { number_of_nodes: count } = (await cluster.node('n1').get('/_cluster/health')).json() as Json;
      return count === 2 ? true : undefined;
    });
    const searched = (await cluster.node('n1').post('/_search', { pit: { id } })).json();
    expect(searched._shards).toMatchObject({ total: SHARDS, successful: 4, failed: 2 });
    const page = (await cluster.node('n2').post('/_search/scroll', { scroll_id: scroll._scroll_id })).json();
    expect(page._shards).toMatchObject({ total: SHARDS, successful: 4, failed: 2 });
  });
});
