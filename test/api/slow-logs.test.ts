/** What slow logs tell of searches and documents, by the reference's names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';
import { ADMIN, basic, done, PASSWORD, startSecured } from './security-helpers.js';

const QUERY = 'index.search.slowlog.threshold.query';
const FETCH = 'index.search.slowlog.threshold.fetch';
const INDEXING = 'index.indexing.slowlog';
const OTHER = basic('other', PASSWORD);

let node: TestNode;

beforeAll(async () => {
  node = await startSecured({ 'index.number_of_replicas': '0' });
  await done(as(ADMIN, 'PUT', '/_security/role/reader', { indices: [{ names: ['*'], privileges: ['all'] }] }));
  const user = { password: PASSWORD, roles: ['reader'], full_name: 'Other One' };
  await done(as(ADMIN, 'PUT', '/_security/user/other', user));
});

afterAll(async () => {
  await node.stop();
});

function as(
  authorization: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return node.request(method, path, body, { authorization, ...headers });
}

type Line = Readonly<Record<string, unknown>> & { readonly msg: string };

/** Lines about an index, once there are so many. */
async function lines(index: string, count: number, of: TestNode = node): Promise<readonly Line[]> {
  return of.until(async () => {
    const all = (await of.logged()) as readonly Line[];
    const found = all.filter((line) => line.msg.startsWith('slow ') && line['index'] === index);
    return found.length >= count ? found : undefined;
  });
}

/** Without its time, which is checked. */
function essence(line: Line): unknown {
  const told: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(line)) {
    if (name === 'plan' || name === 'elasticsearch.slowlog.took' || name === 'elasticsearch.slowlog.took_millis')
      continue;
    if (name.includes('slowlog.') || name.startsWith('user.') || name.startsWith('auth.')) told[name] = value;
  }
  expect(line['elasticsearch.slowlog.took']).toMatch(/^[\d.]+(nanos|micros|ms|s|m)$/);
  expect(line['elasticsearch.slowlog.took_millis']).toBeTypeOf('number');
  return told;
}

describe('the slow log of searches', () => {
  it('tells hits, shards, groups, the body and the X-Opaque-Id of a search of one shard', async () => {
    await done(as(ADMIN, 'PUT', '/one', { settings: { [`${QUERY}.warn`]: '0', [`${FETCH}.info`]: '0' } }));
    for (const id of [1, 2]) await done(as(ADMIN, 'PUT', `/one/_doc/${id}?refresh=true`, { a: 'x' }));
    const body = { query: { term: { 'a.keyword': 'x' } }, stats: ['a-group'] };
    await done(as(ADMIN, 'POST', '/one/_search', body, { 'x-opaque-id': 'mine' }));
    const [line] = await lines('one', 1);
    expect(line).toMatchObject({ level: 40, msg: 'slow query', index: 'one', shard: 0 });
    expect(essence(line as Line)).toEqual({
      'elasticsearch.slowlog.message': '[one][0]',
      'elasticsearch.slowlog.total_hits': '2 hits',
      'elasticsearch.slowlog.stats': '["a-group"]',
      'elasticsearch.slowlog.search_type': 'QUERY_THEN_FETCH',
      'elasticsearch.slowlog.total_shards': 1,
      'elasticsearch.slowlog.source': JSON.stringify(body),
      'elasticsearch.slowlog.id': 'mine',
    });
    expect(line?.['plan']).toContain('a.keyword');
  });

  it('does so for both phases of several shards, a scroll and a point in time', async () => {
    const settings = { number_of_shards: 2, [`${QUERY}.info`]: '0', [`${FETCH}.info`]: '0' };
    await done(as(ADMIN, 'PUT', '/two', { settings }));
    for (let id = 0; id < 12; id++) await done(as(ADMIN, 'PUT', `/two/_doc/${id}?refresh=true`, { a: id }));
    const aggregated = { aggs: { a: { sum: { field: 'a' } } }, track_total_hits: 1 };
    await done(as(ADMIN, 'POST', '/two/_search?search_type=dfs_query_then_fetch', aggregated));
    const first = await lines('two', 4);
    expect(first.map(({ msg }) => msg).sort()).toEqual(['slow fetch', 'slow fetch', 'slow query', 'slow query']);
    for (const line of first) {
      expect(essence(line)).toMatchObject({
        'elasticsearch.slowlog.total_hits': '1+ hits',
        'elasticsearch.slowlog.search_type': 'DFS_QUERY_THEN_FETCH',
        'elasticsearch.slowlog.total_shards': 2,
        'elasticsearch.slowlog.id': null,
      });
    }
    const { _scroll_id: id } = await done(as(ADMIN, 'POST', '/two/_search?scroll=1m', { size: 1 }));
    await done(as(ADMIN, 'POST', '/_search/scroll', { scroll_id: id }, { 'x-opaque-id': 'next' }));
    const paged = (await lines('two', 9)).filter((line) => line['elasticsearch.slowlog.id'] === 'next');
    expect(paged.length).toBeGreaterThanOrEqual(2);
    for (const line of paged) expect(line).toMatchObject({ 'elasticsearch.slowlog.total_shards': 2 });
    const { id: pit } = await done(as(ADMIN, 'POST', '/two/_pit?keep_alive=1m'));
    await done(as(ADMIN, 'POST', '/_search', { pit: { id: pit } }, { 'x-opaque-id': 'pit' }));
    const held = await node.until(async () => {
      const all = (await lines('two', 1)).filter((line) => line['elasticsearch.slowlog.id'] === 'pit');
      return all.length === 4 ? all : undefined;
    });
    const hits = held.map((line) => Number.parseInt(line['elasticsearch.slowlog.total_hits'] as string, 10));
    expect(hits.reduce((sum, count) => sum + count, 0)).toBe(24);
  });

  it('tells who asked where it is told to', async () => {
    const settings = { [`${QUERY}.info`]: '0', 'index.search.slowlog.include.user': true };
    await done(as(ADMIN, 'PUT', '/user', { settings }));
    await done(as(OTHER, 'GET', '/user/_search'));
    const run = { 'es-security-runas-user': 'other' };
    await done(as(ADMIN, 'GET', '/user/_search?size=1', undefined, run));
    const [own, ran] = await lines('user', 2);
    const other = { name: 'other', realm: expect.any(String) as string, full_name: 'Other One' };
    expect(own).toMatchObject({ 'user.name': other.name, 'user.full_name': other.full_name, 'auth.type': 'REALM' });
    expect(own?.['user.effective.name']).toBeUndefined();
    expect(ran).toMatchObject({
      'user.name': 'admin',
      'user.effective.name': 'other',
      'user.effective.realm': other.realm,
    });
    await done(as(ADMIN, 'PUT', '/user/_settings', { 'index.search.slowlog.include.user': null }));
    await done(as(OTHER, 'GET', '/user/_search?size=2'));
    expect((await lines('user', 3))[2]?.['user.name']).toBeUndefined();
  });
});

describe('the slow log of indexing', () => {
  it('tells documents whose indexing took long, with as much of the source as is asked for', async () => {
    const settings = { [`${INDEXING}.threshold.index.info`]: '0', [`${INDEXING}.source`]: '6' };
    await done(as(ADMIN, 'PUT', '/slow', { settings: { ...settings, [`${INDEXING}.include.user`]: 'true' } }));
    const text = { 'content-type': 'application/json' };
    await done(as(OTHER, 'PUT', '/slow/_doc/1?routing=r', '{\n  "a": "text"\n}', text));
    const [first] = await lines('slow', 1);
    expect(first).toMatchObject({ level: 30, msg: 'slow index', shard: 0, 'user.name': 'other', 'auth.type': 'REALM' });
    expect(essence(first as Line)).toMatchObject({
      'elasticsearch.slowlog.message': expect.stringMatching(/^\[slow\/[\w-]{22}\]$/) as string,
      'elasticsearch.slowlog.id': '1',
      'elasticsearch.slowlog.routing': 'r',
      'elasticsearch.slowlog.source': '{"a":"',
    });
    const plain = {
      [`${INDEXING}.source`]: 'true',
      [`${INDEXING}.reformat`]: false,
      [`${INDEXING}.include.user`]: null,
    };
    await done(as(ADMIN, 'PUT', '/slow/_settings', plain));
    const bulk = '{"index":{"_id":"2"}}\n{ "a":1 }\n{"delete":{"_id":"3"}}\n';
    await done(as(OTHER, 'POST', '/slow/_bulk', bulk, { 'content-type': 'application/x-ndjson' }));
    const second = (await lines('slow', 2))[1];
    expect(second).toMatchObject({ 'elasticsearch.slowlog.source': '{ "a":1 }' });
    expect([second?.['user.name'], second?.['elasticsearch.slowlog.routing']]).toEqual([undefined, undefined]);
    // Only what is as severe as that is told from now on.
    const severe = { [`${INDEXING}.level`]: 'warn', [`${INDEXING}.threshold.index.warn`]: '1h' };
    await done(as(ADMIN, 'PUT', '/slow/_settings', severe));
    await done(as(ADMIN, 'PUT', '/slow/_doc/4', {}));
    await done(as(ADMIN, 'PUT', '/slow/_settings', { [`${INDEXING}.level`]: 'trace' }));
    await done(as(ADMIN, 'PUT', '/slow/_doc/5', {}));
    expect((await lines('slow', 3)).map((line) => line['elasticsearch.slowlog.id'])).toEqual(['1', '2', '5']);
    expect((await as(ADMIN, 'PUT', '/slow/_settings', { [`${INDEXING}.source`]: 'much' })).status).toBe(400);
  });
});

describe('slow logs of a node that answers as OpenSearch', () => {
  it('have its names', async () => {
    const other = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
    try {
      await other.put('/named', { settings: { [`${QUERY}.warn`]: '0', [`${INDEXING}.threshold.index.warn`]: '0' } });
      await other.put('/named/_doc/1?refresh=true', { a: 1 });
      await other.request('GET', '/named/_search?size=3', undefined, { 'x-opaque-id': 'mine' });
      const told = await lines('named', 2, other);
      expect(told.find(({ msg }) => msg === 'slow index')).toMatchObject({ id: '1', source: '{"a":1}' });
      expect(told.find(({ msg }) => msg === 'slow query')).toMatchObject({
        ...{ message: '[named][0]', total_hits: '1 hits', stats: '[]', total_shards: 1, source: '{}', id: 'mine' },
        search_type: 'QUERY_THEN_FETCH',
      });
    } finally {
      await other.stop();
    }
  });
});
