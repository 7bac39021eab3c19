import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
const DOCUMENTS = 25;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/many', { settings: { number_of_shards: 3 }, mappings: { properties: { n: { type: 'long' } } } });
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n: n % 4 }]);
  await node.bulk('/many/_bulk?refresh', lines.flat());
});

afterAll(async () => {
  await node.stop();
});

function hitsOf(answer: Json): Json[] {
  return answer.hits.hits;
}

describe('a point in time', () => {
  it('is of the shards that can hold what passes its filter', async () => {
    const open = async (gte: number): Promise<Json> => {
      const index_filter = { range: { n: { gte } } };
      return (await node.post('/many/_pit?keep_alive=1m', { index_filter })).json();
    };
    const all = await open(3);
    expect(all._shards).toEqual({ total: 3, successful: 3, skipped: 0, failed: 0 });
    const none = await open(4);
    expect(none._shards).toEqual({ total: 3, successful: 3, skipped: 3, failed: 0 });
    const answer = (await node.post('/_search', { pit: { id: none.id } })).json();
    expect([answer.hits.hits, answer._shards.total]).toEqual([[], 0]);
    expect((await node.request('DELETE', '/_pit', { id: all.id })).json().num_freed).toBe(3);
    const refused = await node.post('/many/_pit?keep_alive=1m', { filter: {} });
    expect([refused.status, refused.json().error.type]).toEqual([400, 'x_content_parse_exception']);
  });

  it('is searched page by page, by the place of each document', async () => {
    const { id } = (await node.post('/many/_pit?keep_alive=1m')).json();
    await node.delete('/many/_doc/0?refresh');
    const found: string[] = [];
    let after: Json;
    for (;;) {
      const body = {
        size: 4,
        sort: [{ n: 'asc' }],
        pit: { id, keep_alive: '1m' },
        ...(after && { search_after: after }),
      };
      const answer = (await node.post('/_search', body)).json();
      expect([answer.pit_id, answer.hits.total.value]).toEqual([id, DOCUMENTS]);
      const last = hitsOf(answer).at(-1);
      if (last === undefined) break;
      found.push(...hitsOf(answer).map(({ _id }) => _id));
      after = last.sort;
      expect(after).toHaveLength(2);
    }
    expect(found.sort()).toEqual(Array.from({ length: DOCUMENTS }, (_, n) => String(n)).sort());
    const closed = await node.request('DELETE', '/_pit', { id });
    expect([closed.status, closed.json()]).toEqual([200, { succeeded: true, num_freed: 3 }]);
    expect((await node.request('DELETE', '/_pit', { id })).status).toBe(404);
    const gone = await node.post('/_search', { pit: { id } });
    expect([gone.status, gone.json().error.root_cause[0].type]).toEqual([404, 'search_context_missing_exception']);
  });

  it('sorts by `_shard_doc` alone, and is cut into slices', async () => {
    const { id } = (await node.post('/many/_pit?keep_alive=1m')).json();
    const sorted = (await node.post('/_search', { size: 100, sort: ['_shard_doc'], pit: { id } })).json();
    const keys = hitsOf(sorted).map(({ sort }) => sort[0]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.slice().sort((left, right) => left - right)).toEqual(keys);
    const slices = await Promise.all(
      [0, 1, 2, 3].map((slice) => node.post('/_search', { size: 100, slice: { id: slice, max: 4 }, pit: { id } })),
    );
    const ids = slices.flatMap((answer) => hitsOf(answer.json()).map(({ _id }) => _id));
    expect([ids.length, new Set(ids).size]).toEqual([keys.length, keys.length]);
    const all = (await node.post('/_msearch', `{}\n${JSON.stringify({ pit: { id }, size: 1 })}\n`)).json();
    expect(all.responses[0].hits.total.value).toBe(keys.length);
    await node.request('DELETE', '/_pit', { id });
  });

  it('has a second shape', async () => {
    const created = (await node.post('/many/_search/point_in_time?keep_alive=10m')).json();
    expect(created).toMatchObject({ _shards: { total: 3, successful: 3, failed: 0 } });
    const { pit_id, creation_time } = created;
    const found = (await node.post('/_search', { size: 1, sort: ['n'], pit: { id: pit_id } })).json();
    expect(hitsOf(found)[0].sort).toHaveLength(1);
    const listed = (await node.get('/_search/point_in_time/_all')).json();
    expect(listed.pits).toEqual([{ pit_id, creation_time: expect.any(Number), keep_alive: 600_000 }]);
    expect(Math.abs(listed.pits[0].creation_time - creation_time)).toBeLessThan(60_000);
    const stats = (await node.get('/many/_stats/search')).json()._all.total.search;
    expect(stats.point_in_time_current).toBe(3);
    const deleted = await node.request('DELETE', '/_search/point_in_time', { pit_id: [pit_id] });
    expect(deleted.json()).toEqual({ pits: [{ successful: true, pit_id }] });
    expect((await node.get('/_search/point_in_time/_all')).json()).toEqual({ pits: [] });
    await node.post('/many/_search/point_in_time?keep_alive=10m');
    const all = (await node.request('DELETE', '/_search/point_in_time/_all')).json();
    expect(all.pits).toHaveLength(1);
  });

  it('keeps the filter of the alias that it was opened through', async () => {
    const add = { index: 'many', alias: 'twos', filter: { term: { n: 2 } } };
    await node.post('/_aliases', { actions: [{ add }] });
    const { id } = (await node.post('/twos/_pit?keep_alive=1m')).json();
    const found = (await node.post('/_search', { size: 100, pit: { id } })).json();
    expect(new Set(hitsOf(found).map(({ _source }) => _source.n))).toEqual(new Set([2]));
    await node.request('DELETE', '/_pit', { id });
  });

  it.each<[string, unknown, string]>([
    ['/many/_pit', undefined, '[keep_alive] is not specified'],
    ['/many/_pit?keep_alive=2d', undefined, 'Keep alive for request (2d) is too large. It must be less than (1d)'],
    ['/many/_search', { pit: { id: 'x' } }, '[indices] cannot be used with point in time'],
    ['/_search?routing=a', { pit: { id: 'x' } }, '[routing] cannot be used with point in time'],
    ['/_search', { pit: { id: 'bm9uc2Vuc2U' } }, 'invalid id'],
    ['/_search', { pit: {} }, 'point in time id is not provided'],
    ['/many/_search', { sort: ['_shard_doc'] }, '[_shard_doc] sort field cannot be used without [point in time]'],
  ])('%s %j is refused', async (path, body, reason) => {
    const refused = await node.post(path, body);
    expect([refused.status, refused.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });
});
