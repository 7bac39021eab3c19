/** `_security/_query`: users, roles and API keys by queries, sorted, in pages and summed up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, startSecured } from './security-helpers.js';

let node: TestNode;
const ask = askAs(() => node, ADMIN);

beforeAll(async () => {
  node = await startSecured();
  const users: readonly (readonly [string, readonly string[], string, boolean])[] = [
    ['anna', ['viewer'], 'Anna Berg', true],
    ['bert', ['editor', 'viewer'], 'Bert Anders', true],
    ['carl', ['superuser'], 'Carl Berg', false],
  ];
  for (const [name, roles, full_name, enabled] of users) {
    await done(ask('PUT', `/_security/user/${name}`, { password: 'a-password', roles, full_name, enabled }));
  }
  await done(ask('PUT', '/_security/role/reads-logs', { description: 'reads the logs', metadata: { team: 'red' } }));
  await done(ask('PUT', '/_security/role/keeps-own', { cluster: ['manage_own_api_key'], metadata: { team: 'blue' } }));
  await done(ask('PUT', '/_security/user/owner', { password: 'a-password', roles: ['keeps-own'] }));
  for (const [name, team, expiration] of [
    ['one', 'red', '1d'],
    ['two', 'red', '10d'],
    ['three', 'blue', undefined],
  ] as const) {
    const metadata = { team, 'dotted.name': { deep: name } };
    await done(
      ask('POST', '/_security/api_key', { name, metadata, ...(expiration === undefined ? {} : { expiration }) }),
    );
  }
  await done(askAs(() => node, basic('owner', 'a-password'))('POST', '/_security/api_key', { name: 'owned' }));
  await done(ask('DELETE', '/_security/api_key', { name: 'two' }));
});

afterAll(async () => {
  await node.stop();
});

async function users(body: Json): Promise<readonly string[]> {
  const found = await done(ask('POST', '/_security/_query/user', { sort: ['username'], size: 100, ...body }));
  return found.users.map(({ username }: Json) => username as string);
}

async function keys(query: Json): Promise<readonly string[]> {
  const found = await done(ask('POST', '/_security/_query/api_key', { query, sort: [{ creation: 'asc' }] }));
  return found.api_keys.map(({ name }: Json) => name as string);
}

describe('users', () => {
  it.each([
    [{ match_all: {} }, ['admin', 'anna', 'bert', 'carl', 'owner']],
    [{ term: { roles: 'viewer' } }, ['anna', 'bert']],
    [{ term: { username: { value: 'ANNA', case_insensitive: true } } }, ['anna']],
    [{ terms: { roles: ['editor', 'superuser'] } }, ['admin', 'bert', 'carl']],
    [{ prefix: { username: 'a' } }, ['admin', 'anna']],
    [{ wildcard: { username: '*r?' } }, ['bert', 'carl']],
    [{ match: { full_name: 'BERG anders' } }, ['anna', 'bert', 'carl']],
    [{ match: { full_name: { query: 'anna berg', operator: 'and' } } }, ['anna']],
    [{ exists: { field: 'full_name' } }, ['anna', 'bert', 'carl']],
    [{ range: { username: { gt: 'anna', lte: 'carl' } } }, ['bert', 'carl']],
    [{ ids: { values: ['bert', 'nobody'] } }, ['bert']],
    [{ term: { enabled: false } }, ['carl']],
    [{ simple_query_string: { query: 'ber* -carl' } }, ['anna', 'bert']],
    [{ simple_query_string: { query: '"carl berg"', fields: ['full_name'] } }, ['carl']],
    [{ bool: { filter: [{ term: { roles: 'viewer' } }], must_not: { term: { username: 'anna' } } } }, ['bert']],
    [{ bool: { should: [{ term: { username: 'anna' } }, { term: { username: 'carl' } }] } }, ['anna', 'carl']],
  ])('are found by %j', async (query, expected) => {
    expect(await users({ query })).toEqual(expected);
  });

  it('come in pages, from here or after that', async () => {
    const sort = [{ enabled: { order: 'desc' } }, 'username'];
    const page = await done(ask('GET', '/_security/_query/user'));
    expect(page).toMatchObject({ total: 5, count: 5 });
    const first = await done(ask('POST', '/_security/_query/user', { sort, size: 2 }));
    expect(first).toMatchObject({ total: 5, count: 2, users: [{ _sort: [true, 'admin'] }, { _sort: [true, 'anna'] }] });
    expect(first.users[1]).toEqual({
      username: 'anna',
      roles: ['viewer'],
      full_name: 'Anna Berg',
      email: null,
      metadata: {},
      enabled: true,
      _sort: [true, 'anna'],
    });
    expect(await users({ sort, size: 2, search_after: first.users[1]._sort })).toEqual(['bert', 'owner']);
    expect(await users({ sort, from: 3, size: 2 })).toEqual(['owner', 'carl']);
  });

  it.each([
    [{ query: { fuzzy: { username: 'a' } } }, 'Query type [fuzzy] is not currently supported in this context'],
    [{ query: { term: { password: 'a' } } }, 'Field [password] is not allowed for querying or aggregation'],
    [{ query: { term: { username: { value: 'a', other: 1 } } } }, '[term] of [username] needs [value]'],
    [{ query: { range: { username: { from: 1 } } } }, '[range] does not support [from] here'],
    [{ query: { simple_query_string: { query: 'a | b' } } }, '[simple_query_string] has the operators'],
    [{ sort: 'full_name' }, 'sorting is not supported for field [full_name]'],
    [{ size: -1 }, '[size] parameter cannot be negative but was [-1]'],
    [{ from: 1, size: 10_000 }, 'at most [10000] are possible'],
    [{ search_after: ['a'] }, '[search_after] has to be a list of [0] values'],
    [{ aggs: {} }, 'unexpected field [aggs]'],
  ])('are not asked for by %j', async (body, words) => {
    const { status, text } = await ask('POST', '/_security/_query/user', body);
    expect([status, JSON.parse(text).error.reason]).toEqual([400, expect.stringContaining(words)]);
  });

  it('are asked for with bounded queries only', async () => {
    const deep = (levels: number): Json => (levels === 0 ? { match_all: {} } : { bool: { must: deep(levels - 1) } });
    expect((await ask('POST', '/_security/_query/user', { query: deep(30) })).status).toBe(200);
    expect((await ask('POST', '/_security/_query/user', { query: deep(31) })).text).toContain(
      'nested deeper than [30]',
    );
    const wide = (count: number): Json => ({ bool: { should: Array(count).fill({ match_all: {} }) } });
    expect((await ask('POST', '/_security/_query/user', { query: wide(1_023) })).status).toBe(200);
    expect((await ask('POST', '/_security/_query/user', { query: wide(1_024) })).text).toContain('more than [1024]');
  });
});

it('roles that are not built in are found', async () => {
  const query = { term: { 'metadata.team': 'red' } };
  expect(await done(ask('POST', '/_security/_query/role', { query, sort: ['name'] }))).toMatchObject({
    total: 1,
    roles: [{ name: 'reads-logs', description: 'reads the logs', _sort: ['reads-logs'] }],
  });
  const all = await done(ask('GET', '/_security/_query/role'));
  expect(all.roles.map(({ name }: Json) => name as string).sort()).toEqual(['keeps-own', 'reads-logs']);
});

describe('API keys', () => {
  it.each([
    [{ term: { username: 'admin' } }, ['one', 'two', 'three']],
    [{ term: { invalidated: true } }, ['two']],
    [{ term: { 'metadata.team': 'red' } }, ['one', 'two']],
    [{ term: { 'metadata.dotted.name.deep': 'three' } }, ['three']],
    [{ prefix: { metadata: 'bl' } }, ['three']],
    [{ exists: { field: 'expiration' } }, ['one', 'two']],
    [{ range: { expiration: { gte: 'now+5d' } } }, ['two']],
    [{ range: { creation: { gte: 'now-1d/d', lt: 'now' } } }, ['one', 'two', 'three', 'owned']],
    [{ range: { creation: { lt: '2020-01-01||+1y' } } }, []],
    [{ term: { type: 'cross_cluster' } }, []],
  ])('are found by %j', async (query, expected) => {
    expect(await keys(query)).toEqual(expected);
  });

  it('are shown with what limits them, and those of others to who may see them', async () => {
    const path = '/_security/_query/api_key?with_limited_by=true&with_profile_uid=true';
    const { api_keys: found } = await done(ask('POST', path, { query: { term: { name: 'one' } } }));
    expect(found).toEqual([
      expect.objectContaining({ name: 'one', username: 'admin', limited_by: [{ superuser: expect.any(Object) }] }),
    ]);
    expect(JSON.stringify(found)).not.toContain('ecret');
    const own = askAs(() => node, basic('owner', 'a-password'));
    expect(await done(own('GET', '/_security/_query/api_key'))).toMatchObject({
      total: 1,
      api_keys: [{ name: 'owned' }],
    });
    const nobody = askAs(() => node, basic('anna', 'a-password'));
    expect((await nobody('GET', '/_security/_query/api_key')).status).toBe(403);
  });

  it('are summed up', async () => {
    const aggs = {
      teams: { terms: { field: 'metadata.team' }, aggs: { owners: { cardinality: { field: 'username' } } } },
      valid: { terms: { field: 'invalidated' } },
      eternal: { missing: { field: 'expiration' } },
      kinds: { filters: { filters: { red: { term: { 'metadata.team': 'red' } }, rest: { match_all: {} } } } },
      dead: { filter: { term: { invalidated: true } }, aggs: { count: { value_count: { field: 'name' } } } },
      ends: { date_range: { field: 'expiration', ranges: [{ to: 'now+5d' }, { key: 'late', from: 'now+5d' }] } },
    };
    const { aggregations } = await done(ask('POST', '/_security/_query/api_key?typed_keys=true', { size: 0, aggs }));
    expect(aggregations).toEqual({
      'sterms#teams': {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 0,
        buckets: [
          { key: 'red', doc_count: 2, 'cardinality#owners': { value: 1 } },
          { key: 'blue', doc_count: 1, 'cardinality#owners': { value: 1 } },
        ],
      },
      'lterms#valid': {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 0,
        buckets: [
          { key: 0, key_as_string: 'false', doc_count: 3 },
          { key: 1, key_as_string: 'true', doc_count: 1 },
        ],
      },
      'missing#eternal': { doc_count: 2 },
      'filters#kinds': { buckets: { red: { doc_count: 2 }, rest: { doc_count: 4 } } },
      'filter#dead': { doc_count: 1, 'value_count#count': { value: 1 } },
      'date_range#ends': {
        buckets: [
          {
            key: expect.stringMatching(/^\*-\d{4}-/),
            to: expect.any(Number),
            to_as_string: expect.any(String),
            doc_count: 1,
          },
          { key: 'late', from: expect.any(Number), from_as_string: expect.any(String), doc_count: 1 },
        ],
      },
    });
    const wrong = await ask('POST', '/_security/_query/api_key', { aggs: { a: { top_hits: {} } } });
    expect([wrong.status, JSON.parse(wrong.text).error.reason]).toEqual([
      400,
      expect.stringContaining('Unsupported aggregation type [top_hits] of [a]'),
    ]);
  });

  it('are summed up by several fields together, in pages', async () => {
    const terms = (field: string, more: Json = {}): Json => ({ terms: { field, ...more } });
    const sources = [
      { owner: terms('username') },
      { team: terms('metadata.team', { missing_bucket: true, order: 'desc' }) },
    ];
    const page = async (more: Json): Promise<Json> => {
      const aggs = {
        all: { composite: { sources, size: 2, ...more }, aggs: { names: { value_count: { field: 'name' } } } },
      };
      return (await done(ask('POST', '/_security/_query/api_key', { size: 0, aggs }))).aggregations.all;
    };
    const first = await page({});
    expect(first).toEqual({
      after_key: { owner: 'admin', team: 'blue' },
      buckets: [
        { key: { owner: 'admin', team: 'red' }, doc_count: 2, names: { value: 2 } },
        { key: { owner: 'admin', team: 'blue' }, doc_count: 1, names: { value: 1 } },
      ],
    });
    const second = await page({ after: first.after_key });
    expect(second.buckets).toEqual([{ key: { owner: 'owner', team: null }, doc_count: 1, names: { value: 1 } }]);
    expect(await page({ after: second.after_key })).toEqual({ buckets: [] });
    const wrong = { a: { composite: { sources: [{ day: { date_histogram: { field: 'creation' } } }] } } };
    const { status, text } = await ask('POST', '/_security/_query/api_key', { aggs: wrong });
    expect([status, text]).toEqual([400, expect.stringContaining('the source [day] has to be [terms] here')]);
  });

  it('are cloned by who has their credentials', async () => {
    const source = await done(
      ask('POST', '/_security/api_key', {
        name: 'source',
        role_descriptors: { r: { cluster: ['monitor'] } },
        metadata: { a: 1 },
      }),
    );
    const clone = await done(
      ask('POST', '/_security/api_key/clone', { api_key: source.encoded, name: 'copy', expiration: '1d' }),
    );
    expect(clone).toMatchObject({ name: 'copy', expiration: expect.any(Number), encoded: expect.any(String) });
    const { api_keys: shown } = await done(ask('GET', `/_security/api_key?id=${clone.id}`));
    expect(shown[0]).toMatchObject({
      username: 'admin',
      metadata: { a: 1 },
      role_descriptors: { r: { cluster: ['monitor'] } },
    });
    const own = askAs(() => node, `ApiKey ${clone.encoded}`);
    expect((await own('GET', '/_cluster/health')).status).toBe(200);
    expect((await own('GET', '/_security/user')).status).toBe(403);
    const wrong = Buffer.from(`${source.id}:wrong`).toString('base64');
    expect((await ask('POST', '/_security/api_key/clone', { api_key: wrong, name: 'copy' })).status).toBe(401);
    expect((await ask('POST', '/_security/api_key/clone', { name: 'copy' })).text).toContain('[api_key] is required');
  });

  it('are cloned with the time at which they end, unless another is given', async () => {
    const make = { name: 'ends', expiration: '1d' };
    const { encoded, expiration } = await done(ask('POST', '/_security/api_key', make));
    const clone = (more: Json): Promise<Json> =>
      done(ask('POST', '/_security/api_key/clone', { api_key: encoded, name: 'copy', ...more }));
    expect((await clone({})).expiration).toBe(expiration);
    expect((await clone({ expiration: '2d' })).expiration).toBeGreaterThan(expiration);
    const endless = await clone({ expiration: null });
    expect(endless.expiration).toBeUndefined();
    const shown = await done(ask('GET', `/_security/api_key?id=${endless.id}`));
    expect(shown.api_keys[0].expiration).toBeUndefined();
    const wrong = await ask('POST', '/_security/api_key/clone', { api_key: encoded, name: 'copy', expiration: '0' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('expiration must be more than zero')]);
    // Other requests take no null.
    expect((await ask('POST', '/_security/api_key', { ...make, expiration: null })).status).toBe(400);
  });
});

describe('more API keys', () => {
  it('are not shown to a key that is not one of them', async () => {
    const own = askAs(() => node, basic('owner', 'a-password'));
    const { encoded } = await done(own('POST', '/_security/api_key', { name: 'second' }));
    const byKey = askAs(() => node, `ApiKey ${encoded}`);
    expect(await done(byKey('GET', '/_security/_query/api_key'))).toMatchObject({
      total: 1,
      api_keys: [{ name: 'second' }],
    });
  });

  it('of enrolment tokens show no parcel, and cannot be cloned', async () => {
    const metadata = { enrollment: { scope: 'node', hosts: ['h'], sealed: 'the-parcel' } };
    const { id, encoded } = await done(ask('POST', '/_security/api_key', { name: 'joins', metadata }));
    const query = { term: { name: 'joins' } };
    const aggs = { a: { terms: { field: 'metadata.enrollment.sealed' } }, b: { terms: { field: 'metadata' } } };
    const answers = [
      await done(ask('GET', `/_security/api_key?id=${id}`)),
      await done(ask('POST', '/_security/_query/api_key', { query, aggs })),
    ];
    expect(answers.map(({ api_keys: [key] }) => key.metadata.enrollment.hosts)).toEqual([['h'], ['h']]);
    expect(JSON.stringify(answers)).not.toContain('the-parcel');
    const cloned = await ask('POST', '/_security/api_key/clone', { name: 'again', api_key: encoded });
    expect([cloned.status, cloned.text]).toEqual([400, expect.stringContaining('it cannot be cloned')]);
  });

  it('are grouped up to a limit, and have dates that there are', async () => {
    const sources = ['x', 'y'].map((each) => ({ [each]: { terms: { field: 'metadata.many' } } }));
    const grouped = (): ReturnType<typeof ask> =>
      ask('POST', '/_security/_query/api_key', { size: 0, aggs: { all: { composite: { sources } } } });
    const many = Array.from({ length: 100 }, (_, at) => `v${at}`);
    await done(ask('POST', '/_security/api_key', { name: 'many-1', metadata: { many } }));
    expect((await grouped()).status).toBe(200);
    await done(ask('POST', '/_security/api_key', { name: 'many-2', metadata: { many: ['another'] } }));
    const refused = await grouped();
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('more than [10000] groups')]);
    const ranged = (from: unknown): ReturnType<typeof ask> =>
      ask('POST', '/_security/_query/api_key', {
        aggs: { a: { date_range: { field: 'creation', ranges: [{ from }] } } },
      });
    expect((await ranged(8.64e15)).status).toBe(200);
    for (const beyond of [8.64e15 + 2, '8640000000000002', '8640000000000000||+1d']) {
      const answer = await ranged(beyond);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('failed to parse date field')]);
    }
  });
});
