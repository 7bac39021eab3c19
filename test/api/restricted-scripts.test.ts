/** Scripts and fields of requests, and of the mapping, where not every document may be read. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Json, TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, startSecured, type Ask } from './security-helpers.js';

const PASSWORD = 'users-password';
const INDEX = 'staff';
const HIDDEN = /hush/;
const NO_SCRIPTS = "scripts of queries, aggregations and sorts by texts aren't supported";
const NO_SCRIPTS_OF_FIELDS = "scripts aren't supported if field level security is enabled";
const NO_RUNTIME = "[runtime_mappings] isn't supported if document level security is enabled";
let node: TestNode;

const withHeader = (authorization: string): Ask => askAs(() => node, authorization);
const admin = withHeader(ADMIN);

function reader(name: string, query: Json): Promise<Ask> {
  return userOf(name, [{ names: ['*'], privileges: ['all'], query }]);
}

/** A user with one role of that name. */
async function userOf(name: string, indices: readonly Json[]): Promise<Ask> {
  await done(admin('PUT', `/_security/role/${name}`, { indices }));
  await done(admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] }));
  return withHeader(basic(name, PASSWORD));
}

/** Its script fails on every document, and says what it saw. */
const TELLING = { source: "throw new IllegalArgumentException(doc['secret'].value)" };
const FAILING = { type: 'keyword', script: TELLING };
const LEVELS = { level: { type: 'keyword' }, dept: { type: 'keyword' }, secret: { type: 'keyword' } };

beforeAll(async () => {
  node = await startSecured();
  const runtime = {
    failing: { type: 'keyword', script: "if (doc['dept'].value == 'closed') throw new Exception(doc['secret'].value)" },
    wrong: { type: 'ip', script: "emit(doc['secret'].value)" },
    shouted: { type: 'keyword', script: "emit(doc['dept'].value.toUpperCase())" },
  };
  const mappings = { properties: { ...LEVELS, n: { type: 'long' }, marks: { type: 'keyword' } }, runtime };
  await done(admin('PUT', `/${INDEX}`, { mappings, settings: { number_of_shards: 1, number_of_replicas: 0 } }));
  for (const [id, dept, level] of [
    ['1', 'closed', 10],
    ['2', 'open', 5],
    ['3', 'closed', 7],
  ] as const) {
    const document = {
      dept,
      level: String(level),
      n: level,
      marks: ['x'],
      secret: dept === 'open' ? 'seen' : `hush-${id}`,
    };
    await done(admin('PUT', `/${INDEX}/_doc/${id}?refresh=true`, document));
  }
}, 120_000);

afterAll(async () => {
  await node.stop();
});

test('fields of a mapping that could stand in the place of one that a role names are refused', async () => {
  const ask = await reader('mapping', { term: { dept: 'open' } });
  const runtime = { dept: { type: 'keyword', script: "emit('open')" } };
  const { status, text } = await ask('PUT', `/${INDEX}/_mapping`, { runtime });
  expect([status, text]).toEqual([400, expect.stringContaining('Runtime fields are not added to mappings by users')]);
  await done(ask('PUT', `/${INDEX}/_mapping`, { properties: { later: { type: 'keyword' } } }));
  await done(admin('PUT', '/unrestricted'));
  await done(admin('PUT', '/unrestricted/_mapping', { runtime }));
  const found = await done(ask('POST', `/${INDEX}/_search`, {}));
  expect(found.hits.hits.map(({ _id }: Json) => _id)).toEqual(['2']);
});

describe('fields of a request', () => {
  const shadows: readonly [string, Json, Json][] = [
    ['a script', { term: { dept: 'open' } }, { dept: { type: 'keyword', script: "emit('open')" } }],
    ['another type', { range: { level: { gte: '5', lt: '6' } } }, { level: { type: 'long' } }],
    ['no relation to the query', { term: { dept: 'open' } }, { other: FAILING }],
  ];
  it.each(shadows)('that have %s are refused, by whatever way they come', async (_, query, fields) => {
    const ask = await reader('shadowing', query);
    const body = { query: { match_all: {} }, runtime_mappings: fields };
    const lines = `{"index":"${INDEX}"}\n${JSON.stringify(body)}\n`;
    const answers = [
      await ask('POST', `/${INDEX}/_search`, body),
      await ask('POST', `/${INDEX}/_search?scroll=1m`, body),
      await ask('POST', `/${INDEX}/_search`, { ...body, size: 0, aggs: { a: { terms: { field: 'secret' } } } }),
      await ask('POST', '/_msearch', lines),
      await ask('POST', `/${INDEX}/_async_search?wait_for_completion_timeout=10s`, body),
    ];
    for (const { text } of answers) {
      expect(text).toContain(NO_RUNTIME);
      expect(text).not.toMatch(HIDDEN);
    }
    for (const way of ['_count', '_delete_by_query?refresh=true', '_explain/1', '_validate/query?explain=true']) {
      const { status, text } = await ask('POST', `/${INDEX}/${way}`, body);
      expect(status === 400 || text.includes('"valid":false'), `${way}: ${text}`).toBe(true);
      expect(text).not.toMatch(HIDDEN);
    }
    const { count } = await done(admin('GET', `/${INDEX}/_count`));
    expect(count).toBe(3);
    // Who may read everything may shadow what he likes.
    expect(
      (await done(admin('POST', `/${INDEX}/_search`, { runtime_mappings: { dept: { type: 'keyword' } } }))).hits.total
        .value,
    ).toBe(3);
  });
});

describe('scripts of a request', () => {
  const script = { script: { script: TELLING } };
  const number = { source: "throw new IllegalArgumentException(doc['secret'].value)" };
  const refused: readonly [string, Json][] = [
    ['a filter', { query: script }],
    ['must_not', { query: { bool: { must_not: [script] } } }],
    ['should', { query: { bool: { should: [script, { match_all: {} }] } } }],
    ['a filter within', { query: { bool: { must: [{ bool: { filter: [script] } }] } } }],
    ['post_filter', { post_filter: script }],
    ['script_score', { query: { script_score: { query: { match_all: {} }, script: number } } }],
    ['a function', { query: { function_score: { functions: [{ script_score: { script: number } }] } } }],
    ['the filter of a function', { query: { function_score: { functions: [{ filter: script, weight: 2 }] } } }],
    ['terms_set', { query: { terms_set: { marks: { terms: ['x'], minimum_should_match_script: number } } } }],
    [
      'intervals',
      { query: { intervals: { dept: { match: { query: 'open', filter: { script: { source: 'true' } } } } } } },
    ],
    ['a rescore', { rescore: { window_size: 9, query: { rescore_query: script } } }],
    ['the filter of an aggregation', { aggs: { a: { filter: script } } }],
    ['filters of an aggregation', { aggs: { a: { filters: { filters: { script_fields: script } } } } }],
    ['values of an aggregation', { aggs: { a: { terms: { script: TELLING } } } }],
    ['a sort by texts', { sort: [{ _script: { type: 'string', script: TELLING } }] }],
    ['a highlight', { highlight: { fields: { dept: { highlight_query: script } } } }],
  ];
  it.each(refused)('are refused in %s', async (_, body) => {
    const ask = await reader('scripting', { term: { dept: 'open' } });
    const { status, text } = await ask('POST', `/${INDEX}/_search`, body);
    expect([status, text]).toEqual([400, expect.stringContaining(NO_SCRIPTS)]);
    expect(text).not.toMatch(HIDDEN);
  });

  it.each(refused)('are refused in %s where not every field may be read', async (_, body) => {
    const granted = { field_security: { grant: ['dept', 'level', 'n', 'marks'] } };
    const ask = await userOf('fields', [{ names: ['*'], privileges: ['all'], ...granted }]);
    const both = await userOf('both', [
      { names: ['*'], privileges: ['all'], query: { term: { dept: 'open' } }, ...granted },
    ]);
    for (const each of [ask, both]) {
      const { status, text } = await each('POST', `/${INDEX}/_search`, body);
      expect([status, text]).toEqual([400, expect.stringMatching(`${NO_SCRIPTS_OF_FIELDS}|${NO_SCRIPTS}`)]);
      expect(text).not.toMatch(/seen|hush/);
    }
  });

  it.each(refused)('are refused in %s where a pattern covers an index that is restricted', async (_, body) => {
    await done(admin('PUT', '/staffless/_doc/1?refresh=true', { dept: 'open', n: 1, secret: 'known' }));
    const ask = await userOf('patterns', [
      { names: ['staffless'], privileges: ['read'] },
      { names: [INDEX], privileges: ['read'], query: { term: { dept: 'open' } } },
    ]);
    for (const target of ['staff*', '*', `staffless,${INDEX}`, '_all']) {
      const { text } = await ask('POST', `/${target}/_search`, body);
      // Of the whole search, or of the shard where others have an answer.
      expect(text, target).toContain(NO_SCRIPTS);
      expect(text).not.toMatch(HIDDEN);
      expect(text).not.toContain(`"_index":"${INDEX}"`);
    }
    const { text } = await ask('POST', '/_msearch', `{"index":"staff*"}\n${JSON.stringify(body)}\n`);
    expect(text).toContain(NO_SCRIPTS);
    expect(text).not.toMatch(HIDDEN);
    // Where every document may be read, they are run.
    expect((await ask('POST', '/staffless/_search', body)).text).not.toContain(NO_SCRIPTS);
  });

  it('run on documents that were found', async () => {
    const ask = await reader('scripting', { term: { dept: 'open' } });
    const value = { source: "if (doc['dept'].value == 'closed') throw new Exception('hush'); return doc['n'].value" };
    const metric = {
      init_script: 'state.l = []',
      map_script: "state.l.add(doc['secret'].value)",
      combine_script: 'return state.l',
      reduce_script: 'return states',
    };
    const answer = await done(
      ask('POST', `/${INDEX}/_search`, {
        script_fields: { v: { script: value } },
        sort: [{ _script: { type: 'number', script: value } }],
        aggs: { m: { scripted_metric: metric } },
      }),
    );
    expect(answer.hits.hits.map(({ _id, fields }: Json) => [_id, fields.v])).toEqual([['2', [5]]]);
    expect(answer.aggregations.m.value).toEqual([['seen']]);
    expect(
      (await done(admin('POST', `/${INDEX}/_search`, { query: { script: { script: 'true' } } }))).hits.total.value,
    ).toBe(3);
  });

  it('do not tell what they met', async () => {
    const ask = await reader('scripting', { term: { dept: 'open' } });
    const { status, text } = await ask('POST', `/${INDEX}/_search`, { script_fields: { v: { script: TELLING } } });
    expect([status, text]).toEqual([400, expect.stringContaining('why is not told')]);
    expect(text).not.toMatch(/seen|hush/);
  });
});

describe('scripts of the mapping', () => {
  it.each([
    { query: { term: { failing: 'x' } } },
    { query: { bool: { must_not: [{ exists: { field: 'failing' } }] } } },
    { query: { term: { wrong: '10.0.0.1' } } },
    { aggs: { a: { terms: { field: 'wrong' } } } },
    { fields: ['failing', 'wrong'], sort: ['wrong'] },
  ])('show nothing of what they fail on: %j', async (body) => {
    const ask = await reader('mapped', { term: { dept: 'open' } });
    const count = { query: (body as Json)['query'] ?? { match_all: {} } };
    for (const [path, sent] of [
      [`/${INDEX}/_search`, body],
      [`/${INDEX}/_count`, count],
      [`/${INDEX}/_explain/2`, count],
    ] as const) {
      const { text } = await ask('POST', path, sent);
      expect(text).not.toMatch(HIDDEN);
    }
    expect((await admin('POST', `/${INDEX}/_search`, { query: { term: { failing: 'x' } } })).text).toMatch(HIDDEN);
  });

  it('count in queries of roles and of requests', async () => {
    const ask = await reader('mapped', { term: { shouted: 'OPEN' } });
    for (const query of [{ match_all: {} }, { prefix: { shouted: 'O' } }]) {
      const { hits } = await done(ask('POST', `/${INDEX}/_search`, { query }));
      expect(hits.hits.map(({ _id }: Json) => _id as string)).toEqual(['2']);
    }
  });
});
