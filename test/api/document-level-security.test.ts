/** Document level security: the queries of roles, through every endpoint that reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { IDS, leaks, putDocuments, untriedEndpoints } from './restricted-documents.js';
import { SearchMaker, told } from './random-searches.js';
import { attempts, PREFIXES } from './restricted-reads.js';
import { ADMIN, askAs, basic, done, startSecured, type Ask } from './security-helpers.js';

const PASSWORD = 'users-password';
const INDEX = 'papers';
const OPEN = { term: { dept: 'open' } };
let node: TestNode;

const withHeader = (authorization: string): Ask => askAs(() => node, authorization);
const admin = withHeader(ADMIN);
const as = (user: string): Ask => withHeader(basic(user, PASSWORD));

async function user(name: string, roles: Readonly<Record<string, Json>>, more: Json = {}): Promise<Ask> {
  for (const [role, indices] of Object.entries(roles)) {
    await done(admin('PUT', `/_security/role/${role}`, { cluster: ['monitor'], indices }));
  }
  await done(admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: Object.keys(roles), ...more }));
  return as(name);
}

const on = (names: string, query?: unknown, privileges: readonly string[] = ['all']): Json => ({
  names: [names],
  privileges,
  ...(query === undefined ? {} : { query }),
});

/** Ids of the documents that the user finds. */
async function found(ask: Ask, index = INDEX): Promise<readonly string[]> {
  const { hits } = await done(ask('POST', `/${index}/_search`, { size: 100, _source: false }));
  return (hits.hits as Json[]).map(({ _id }) => _id as string).sort();
}

const reason = (answer: Answer): string => (answer.json() as Json).error.root_cause[0].reason;

const VISIBLE = ['a1', 'a11', 'a12', 'a2', 'a3', 'a4', 'a5'];

beforeAll(async () => {
  node = await startSecured();
  await putDocuments(admin, INDEX, { number_of_shards: 3, number_of_replicas: 0 });
}, 120_000);

afterAll(async () => {
  await node.stop();
});

describe('documents that a role does not let through', () => {
  it('are shown by no endpoint, and every endpoint that reads is tried', { timeout: 300_000 }, async () => {
    const reader = await user('reader', { open: [on('papers*', OPEN), on('copy-*')] });
    expect(untriedEndpoints(attempts(INDEX, '', IDS))).toEqual([]);
    expect(await leaks(reader, INDEX, IDS)).toEqual([]);
    expect((await leaks(admin, INDEX, IDS)).length).toBeGreaterThan(100);
    expect(await found(reader)).toEqual(VISIBLE);
  });
});

describe('searches at random', () => {
  it('find what they find where the other documents are not there', { timeout: 300_000 }, async () => {
    const reader = await user('reader', { open: [on('papers*', OPEN), on('copy-*')] });
    const settings = { number_of_shards: 3, number_of_replicas: 0 };
    await putDocuments(admin, 'papers-mixed', settings);
    await putDocuments(admin, 'papers-sorted', settings, true);
    const maker = new SearchMaker(20_261_124, PREFIXES);
    for (let round = 0; round < 400; round++) {
      const body = maker.search();
      const text = JSON.stringify(body);
      expect(await told(reader, 'papers-mixed', body), text).toEqual(await told(admin, 'papers-sorted', body));
    }
  });
});

describe('several entries', () => {
  it('let through what one of them does, and everything where one has no query', async () => {
    const both = await user('both', { open: [on(INDEX, OPEN)], one: [on('papers*', { ids: { values: ['b1'] } })] });
    expect(await found(both)).toEqual([...VISIBLE, 'b1']);
    const whole = await user('whole', { open: [on(INDEX, OPEN)], all: [on('*', undefined, ['read'])] });
    expect(await found(whole)).toHaveLength(14);
    // That entry says nothing of reading.
    const writer = await user('writer', { open: [on(INDEX, OPEN)], writes: [on('*', undefined, ['index'])] });
    expect(await found(writer)).toEqual(VISIBLE);
  });

  it('of which one is empty let everything through, as consoles send them', async () => {
    for (const query of ['', null]) {
      const reader = await user('lenient', { lenient: [on(INDEX, query)] });
      expect(await found(reader)).toHaveLength(14);
    }
  });
});

describe('templates', () => {
  it('are made for the user who asks', async () => {
    const source = JSON.stringify({ term: { owner: '{{_user.username}}' } });
    const own = on(INDEX, { template: { source } });
    expect(await found(await user('user-a1', { own: [own] }))).toEqual(['a1']);
    expect(await found(await user('user-b2', { own: [own] }))).toEqual(['b2']);
    expect(await found(await user('user-"b3', { own: [own] }))).toEqual([]);
    const listed = on(INDEX, {
      template: {
        source: '{"terms":{"owner":{{#toJson}}_user.metadata.owners{{/toJson}}}}',
        params: { _user: 'other' },
      },
    });
    const lister = await user('lister', { listed: [listed] }, { metadata: { owners: ['user-a1', 'user-b1'] } });
    expect(await found(lister)).toEqual(['a1', 'b1']);
    const named = on(INDEX, { template: { source: { term: { dept: '{{_user.full_name}}' } } } });
    expect(await found(await user('named', { named: [named] }, { full_name: 'open' }))).toEqual(VISIBLE);
  });

  it('that make no query for a user let nothing through, and say so', async () => {
    const broken = on(INDEX, { template: { source: '{"terms":{"owner":{{#toJson}}_user.email{{/toJson}}}}' } });
    const reader = await user('broken', { broken: [broken] });
    for (const path of [`/${INDEX}/_search`, `/${INDEX}/_doc/a1`]) {
      const answer = await reader('GET', path);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('a role query of user [broken] is not valid');
    }
  });
});

describe('queries that roles may not have', () => {
  it.each([
    [{ terms: { a: { index: 'i', id: '1', path: 'p' } } }, "terms query with terms lookup isn't supported"],
    [
      { bool: { must: { geo_shape: { a: { indexed_shape: { index: 'i', id: '1', path: 'p' } } } } } },
      "geoshape query referring to indexed shapes isn't supported",
    ],
    [{ percolate: { field: 'q', document: {} } }, "percolate query isn't supported"],
    [{ has_child: { type: 'child', query: { match_all: {} } } }, "has_child query isn't supported"],
    [{ has_parent: { parent_type: 'p', query: { match_all: {} } } }, "has_parent query isn't supported"],
    [{ more_like_this: { like: { _index: 'i', _id: '1' } } }, 'more_like_this query with indexed documents'],
    [{ script: { script: { id: 'stored' } } }, "a stored script isn't supported"],
    [{ knn: { field: 'near', query_vector: [1, 1] } }, "knn query isn't supported"],
    [{ nonsense: {} }, 'unknown query [nonsense]'],
    ['{"term":', 'the query is not JSON'],
    ['"text"', 'the query must be an object'],
    [5, 'expected field [query] value to be an object or its text, but found [VALUE_NUMBER] instead'],
    [{ template: { id: 'stored' } }, '[template.id]: stored templates are not supported'],
    [{ template: { source: '{{#open}}' } }, 'Failed to compile template'],
    [{ template: {} }, '[template.source] must be a string or an object'],
  ])('%j', async (query, why) => {
    for (const [method, path, body] of [
      ['PUT', '/_security/role/refused', { indices: [on('x', query)] }],
      ['POST', '/_security/api_key', { name: 'refused', role_descriptors: { r: { indices: [on('x', query)] } } }],
    ] as const) {
      const answer = await admin(method, path, body);
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining('failed to parse indices privileges'),
      ]);
      expect(reason(answer)).toContain(why);
    }
  });

  it('are shown as they were given', async () => {
    await user('shown', { shown: [on(INDEX, OPEN)] });
    const { shown } = await done(admin('GET', '/_security/role/shown'));
    expect(shown.indices[0].query).toBe('{"term":{"dept":"open"}}');
  });

  it('leave out names and inner hits, which are for who asks', async () => {
    const query = { bool: { filter: [{ term: { dept: { value: 'open', _name: 'hidden-name' } } }] } };
    const reader = await user('nameless', { nameless: [on(INDEX, query)] });
    const { text } = await reader('POST', `/${INDEX}/_search`, { size: 100 });
    expect(text).not.toContain('hidden-name');
    expect(await found(reader)).toEqual(VISIBLE);
  });
});

describe('API keys', () => {
  const key = async (ask: Ask, body: Json): Promise<Ask> => {
    const { encoded } = await done(ask('POST', '/_security/api_key', body));
    return withHeader(`ApiKey ${encoded as string}`);
  };

  it('find what their own roles and those of their owner let through', async () => {
    const owner = await user('owner', { open: [on(INDEX, OPEN)], keys: [] });
    await done(admin('PUT', '/_security/role/keys', { cluster: ['manage_own_api_key'] }));
    const ids = { ids: { values: ['a1', 'a2', 'b1'] } };
    expect(await found(await key(owner, { name: 'k1' }))).toEqual(VISIBLE);
    const narrow = { name: 'k2', role_descriptors: { r: { indices: [on('*', ids)] } } };
    expect(await found(await key(owner, narrow))).toEqual(['a1', 'a2']);
    expect(await found(await key(owner, { name: 'k3', role_descriptors: { r: { indices: [on('*')] } } }))).toEqual(
      VISIBLE,
    );
    expect(await found(await key(admin, narrow))).toEqual(['a1', 'a2', 'b1']);
  });
});

describe('other names', () => {
  it('of aliases and data streams lead to the same documents', async () => {
    await done(admin('PUT', `/${INDEX}/_alias/paper-alias`));
    await done(admin('PUT', `/${INDEX}/_alias/few`, { filter: { ids: { values: ['a1', 'b1'] } } }));
    const through = await user('through', { through: [on('paper-alias', OPEN)] });
    expect(await found(through, 'paper-alias')).toEqual(VISIBLE);
    expect(await found(through, '*')).toEqual(VISIBLE);
    expect((await through('GET', '/paper-alias/_doc/b1')).status).toBe(404);
    expect((await through('GET', '/paper-alias/_doc/a1')).status).toBe(200);
    expect((await through('GET', `/${INDEX}/_doc/a1`)).status).toBe(403);
    const filtered = await user('filtered', { open: [on(INDEX, OPEN)], few: [on('few')] });
    expect(await found(filtered, 'few')).toEqual(['a1']);
    // What two aliases let through counts both times.
    const two = await user('two', { two: [on('paper-alias', OPEN), on('few', { ids: { values: ['a1', 'b1'] } })] });
    expect(await found(two, 'paper-alias')).toEqual(['a1']);

    await done(admin('PUT', '/_index_template/events', { index_patterns: ['events*'], data_stream: {} }));
    for (const dept of ['open', 'closed']) {
      await done(admin('POST', '/events/_doc?refresh=true', { '@timestamp': 1, dept: { name: dept } }));
      await done(admin('POST', '/events/_rollover'));
    }
    const query = { match: { 'dept.name': 'open' } };
    const streamer = await user('streamer', { streamer: [on('events', query)] });
    const { hits } = await done(streamer('GET', '/events/_search'));
    expect(hits.total.value).toBe(1);
    const { count } = await done(streamer('GET', '/.ds-events-*/_count'));
    expect(count).toBe(1);
    await done(admin('DELETE', '/_data_stream/events'));
  });
});

describe('writes', () => {
  it('by query change what may be read alone, and updates are refused', async () => {
    await putDocuments(admin, 'papers-written', { number_of_shards: 2, number_of_replicas: 0 });
    const writer = await user('writer', { written: [on('papers-written', OPEN)] });
    const script = { source: "ctx._source.dept = 'left'" };
    const query = { prefix: { id: 'a1' } };
    const changed = await done(writer('POST', '/papers-written/_update_by_query?refresh=true', { script, query }));
    expect([changed.total, changed.updated]).toEqual([3, 3]);
    const deleted = await done(
      writer('POST', '/papers-written/_delete_by_query?refresh=true', { query: { match_all: {} } }),
    );
    expect([deleted.total, deleted.deleted]).toEqual([4, 4]);
    expect(await found(admin, 'papers-written')).toEqual([
      'a1',
      'a11',
      'a12',
      'b1',
      'b11',
      'b12',
      'b2',
      'b3',
      'b4',
      'b5',
    ]);
    const update = await writer('POST', '/papers-written/_update/a1', { doc: { dept: 'open' } });
    expect([update.status, reason(update)]).toEqual([
      400,
      "Can't execute an update request if field or document level security is enabled",
    ]);
    const lines =
      '{"update":{"_index":"papers-written","_id":"a1"}}\n{"doc":{"x":1}}\n{"index":{"_index":"papers-written","_id":"n"}}\n{}\n';
    const { items } = await done(writer('POST', '/_bulk', lines));
    expect(items[0].update.error.reason).toBe(
      "Can't execute a bulk item request with update requests embedded if field or document level security is enabled",
    );
    expect(items[1].index.status).toBe(201);
  });
});

describe('what changes', () => {
  it('is seen at once: roles, and documents that come to match or no more', async () => {
    const reader = await user('changing', { changing: [on(INDEX, OPEN)] });
    const scrolled = await done(reader('POST', `/${INDEX}/_search?scroll=1m`, { size: 1 }));
    await user('changing', { changing: [on(INDEX, { ids: { values: ['b1'] } })] });
    expect(await found(reader)).toEqual(['b1']);
    expect((await reader('GET', `/${INDEX}/_doc/a1`)).status).toBe(404);
    expect((await reader('GET', `/${INDEX}/_doc/b1`)).status).toBe(200);
    // A scroll has the documents of its beginning.
    const next = await reader('POST', '/_search/scroll', { scroll_id: scrolled._scroll_id });
    expect(next.status).toBe(404);

    await user('changing', { changing: [on('moving', OPEN)] });
    await done(admin('PUT', '/moving', { mappings: { properties: { dept: { type: 'keyword' } } } }));
    for (const dept of ['open', 'closed', 'open', 'closed']) {
      await done(admin('PUT', '/moving/_doc/1?refresh=true', { dept }));
      const answer = await reader('GET', '/moving/_source/1');
      expect([answer.status, answer.status === 200 ? answer.text : '']).toEqual(
        dept === 'open' ? [200, '{"dept":"open"}'] : [404, ''],
      );
    }
    // What is not refreshed yet has no terms that a query could look at.
    await done(admin('PUT', '/moving/_doc/2', { dept: 'open' }));
    expect((await reader('GET', '/moving/_doc/2')).status).toBe(404);
    expect((await reader('GET', '/moving/_doc/2?refresh=true')).status).toBe(200);
    const conflict = await reader('GET', '/moving/_doc/2?version=7');
    expect(conflict.status).toBe(409);
    expect((await reader('GET', '/moving/_doc/1?version=7')).status).toBe(404);
  });
});

describe('the request cache', () => {
  it('keeps an answer for each restriction', async () => {
    const body = { size: 0, aggs: { a: { terms: { field: 'dept' } } } };
    const readers = [
      await user('cached-open', { 'cached-open': [on(INDEX, OPEN)] }),
      await user('cached-closed', { 'cached-closed': [on(INDEX, { term: { dept: 'closed' } })] }),
      admin,
    ];
    for (let round = 0; round < 3; round++) {
      const buckets = [];
      for (const ask of readers) {
        const { aggregations } = await done(ask('POST', `/${INDEX}/_search?request_cache=true`, body));
        buckets.push(aggregations.a.buckets.map(({ key }: Json) => key as string));
      }
      expect(buckets).toEqual([['open'], ['closed'], ['closed', 'open']]);
    }
  });
});
