/** A search that is asked again in the same words: what it was understood as may not outlive what it was understood by. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let count = 0;
let index: string;

beforeAll(async () => {
  // Each front keeps blocks and plans of its own.
  node = await TestNode.start({ 'http.front_threads': '1' });
});

afterAll(async () => {
  await node.stop();
});

beforeEach(async () => {
  index = `repeated-${count++}`;
  await node.put(`/${index}/_doc/1?refresh=true`, { text: 'first', n: 1 });
});

/** Ids in their order. */
async function ids(path: string, body?: Json): Promise<string[]> {
  const answer = await node.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.json().hits.hits as { _id: string }[]).map(({ _id: id }) => id);
}

it('sees what was written meanwhile', async () => {
  const search = { query: { match_all: {} }, sort: ['n'] };
  expect(await ids(`/${index}/_search`, search)).toEqual(['1']);
  await node.put(`/${index}/_doc/2?refresh=true`, { n: 2 });
  expect(await ids(`/${index}/_search`, search)).toEqual(['1', '2']);
  await node.delete(`/${index}/_doc/1?refresh=true`);
  expect(await ids(`/${index}/_search`, search)).toEqual(['2']);
});

it('follows aliases, their filters, and patterns', async () => {
  const alias = `${index}-alias`;
  await node.put(`/${index}/_doc/2?refresh=true`, { n: 2 });
  const point = (filter: Json): Promise<unknown> =>
    node.post('/_aliases', { actions: [{ add: { index, alias, filter } }] });
  await point({ term: { n: 1 } });
  for (let round = 0; round < 2; round++) expect(await ids(`/${alias}/_search`)).toEqual(['1']);
  await point({ term: { n: 2 } });
  expect(await ids(`/${alias}/_search`)).toEqual(['2']);
  const pattern = `/${index}-p*/_search`;
  expect(await ids(pattern)).toEqual([]);
  await node.put(`/${index}-pattern/_doc/3?refresh=true`, { n: 3 });
  expect(await ids(pattern)).toEqual(['3']);
});

it('finds another index of the same name, and says that one is gone', async () => {
  const search = { query: { term: { n: '1' } } };
  expect(await ids(`/${index}/_search`, search)).toEqual(['1']);
  await node.delete(`/${index}`);
  expect((await node.post(`/${index}/_search`, search)).status).toBe(404);
  await node.put(`/${index}`, { mappings: { properties: { n: { type: 'keyword' } } } });
  await node.put(`/${index}/_doc/9?refresh=true`, { n: '1' });
  expect(await ids(`/${index}/_search`, search)).toEqual(['9']);
});

it('obeys settings that were changed meanwhile', async () => {
  const search = { from: 20, size: 1 };
  expect((await node.post(`/${index}/_search`, search)).status).toBe(200);
  await node.put(`/${index}/_settings`, { 'index.max_result_window': 10 });
  expect((await node.post(`/${index}/_search`, search)).status).toBe(400);
});

it('asks for the moment each time', async () => {
  const at = Date.now();
  await node.put(`/${index}`, undefined);
  await node.put(`/${index}/_mapping`, { properties: { at: { type: 'date' } } });
  await node.put(`/${index}/_doc/2?refresh=true`, { at });
  const recent = { query: { range: { at: { gte: 'now-1s' } } } };
  const alias = `${index}-recent`;
  await node.post('/_aliases', { actions: [{ add: { index, alias, filter: recent.query } }] });
  await ids(`/${index}/_search`, recent);
  await ids(`/${alias}/_search`);
  await expect.poll(() => ids(`/${index}/_search`, recent), { timeout: 5_000 }).toEqual([]);
  expect(await ids(`/${alias}/_search`)).toEqual([]);
});

it('fetches again what other documents say', async () => {
  const terms = { query: { terms: { n: { index, id: 'list', path: 'wanted' } } } };
  await node.put(`/${index}/_doc/list?refresh=true`, { wanted: [1] });
  expect(await ids(`/${index}/_search`, terms)).toEqual(['1']);
  await node.put(`/${index}/_doc/list?refresh=true`, { wanted: [7] });
  expect(await ids(`/${index}/_search`, terms)).toEqual([]);
});

it('runs the stored script that there is now', async () => {
  const id = `${index}-script`;
  const store = (source: string): Promise<unknown> =>
    node.put(`/_scripts/${id}`, { script: { lang: 'painless', source } });
  const search = { script_fields: { x: { script: { id } } } };
  const value = async (): Promise<unknown> =>
    (await node.post(`/${index}/_search`, search)).json().hits.hits[0].fields.x[0];
  await store("doc['n'].value + 1");
  for (let round = 0; round < 2; round++) expect(await value()).toBe(2);
  await store("doc['n'].value + 2");
  expect(await value()).toBe(3);
});

it('tells searches apart by all that they say', async () => {
  const total = async (query: string, body?: Json): Promise<unknown> =>
    (await node.post(`/${index}/_search${query}`, body)).json().hits.total;
  for (let round = 0; round < 2; round++) {
    expect(await total('')).toEqual({ value: 1, relation: 'eq' });
    expect(await total('?rest_total_hits_as_int=true')).toBe(1);
    expect(await total('', { track_total_hits: false })).toBe(undefined);
    expect(await total('?q=n:2')).toEqual({ value: 0, relation: 'eq' });
  }
});

it('keeps nothing of a point in time or a scroll', async () => {
  const { id } = (await node.post(`/${index}/_pit?keep_alive=1m`)).json();
  const scrolls = new Set<unknown>();
  for (let round = 0; round < 2; round++) {
    expect((await node.post('/_search', { pit: { id } })).json().pit_id).toBeDefined();
    scrolls.add((await node.post(`/${index}/_search?scroll=1m`)).json()._scroll_id);
  }
  expect(scrolls.size).toBe(2);
});

it('shows documents again without their blocks being read again', async () => {
  const blocks = async (): Promise<{ built: number; hits: number; memory_size_in_bytes: number }> => {
    const { nodes } = (await node.get('/_nodes/stats/script')).json();
    return (Object.values(nodes as Json)[0] as Json).script.stored_blocks;
  };
  await ids(`/${index}/_search`);
  expect((await blocks()).memory_size_in_bytes).toBeGreaterThan(0);
  // On a busy machine the front hands a search over, or one that was begun begins again: another thread has blocks of its own.
  await node.until(async () => {
    const before = await blocks();
    for (let round = 0; round < 3; round++) expect(await ids(`/${index}/_search`)).toEqual(['1']);
    const after = await blocks();
    return after.built === before.built && after.hits === before.hits + 3 ? true : undefined;
  });
  expect((await node.post(`/${index}/_search`)).json().hits.hits[0]._source).toEqual({ text: 'first', n: 1 });
});

it('tells of the plans that are kept', async () => {
  const plans = async (): Promise<Json> => {
    const { nodes } = (await node.get('/_nodes/stats/script')).json();
    return (Object.values(nodes as Json)[0] as Json).script.kept_plans;
  };
  const before = await plans();
  const search = { query: { term: { text: 'first' } }, size: 3, track_total_hits: false };
  await node.until(async () => {
    expect(await ids(`/${index}/_search?request_cache=false`, search)).toEqual(['1']);
    return (await plans()).hits > before.hits ? true : undefined;
  });
  const after = await plans();
  expect(after.built).toBeGreaterThan(before.built);
  expect(after.memory_size_in_bytes).toBeGreaterThan(0);
});
