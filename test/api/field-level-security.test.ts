/** Field level security: the fields of roles, through every endpoint that reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, TestNode } from './node-harness.js';
import { SearchMaker, told } from './random-searches.js';
import { leaks, untriedEndpoints } from './restricted-documents.js';
import { FIELD_IDS, FIELDS, putFields } from './restricted-fields.js';
import { attempts, HIDDEN, PREFIXES } from './restricted-reads.js';
import { ADMIN, askAs, basic, done, startSecured, type Ask } from './security-helpers.js';

const PASSWORD = 'users-password';
const INDEX = 'papers';
let node: TestNode;

const withHeader = (authorization: string): Ask => askAs(() => node, authorization);
const admin = withHeader(ADMIN);

async function user(name: string, indices: readonly Json[]): Promise<Ask> {
  await done(admin('PUT', `/_security/role/${name}`, { cluster: ['monitor', 'manage_own_api_key'], indices }));
  await done(admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] }));
  return withHeader(basic(name, PASSWORD));
}

const on = (names: string, fields?: Json, more: Json = {}): Json => ({
  names: [names],
  privileges: ['all'],
  ...(fields === undefined ? {} : { field_security: fields }),
  ...more,
});

const sourceOf = async (ask: Ask, path = ''): Promise<Json> => done(ask('GET', `/${INDEX}/_source/a1${path}`));

beforeAll(async () => {
  node = await startSecured();
  await putFields(admin, INDEX, { number_of_shards: 2, number_of_replicas: 0 });
}, 120_000);

afterAll(async () => {
  await node.stop();
});

describe('fields that a role does not let through', () => {
  it('are shown by no endpoint, and every endpoint that reads is tried', { timeout: 300_000 }, async () => {
    const reader = await user('reader', [on('papers*', FIELDS), on('copy-*')]);
    expect(untriedEndpoints(attempts(INDEX, '', FIELD_IDS))).toEqual([]);
    expect(await leaks(reader, INDEX, FIELD_IDS)).toEqual([]);
    expect((await leaks(admin, INDEX, FIELD_IDS)).length).toBeGreaterThan(60);
  });
});

describe('searches at random', () => {
  it('find what they find where the other fields are not there', { timeout: 300_000 }, async () => {
    const reader = await user('reader', [on('papers*', FIELDS), on('copy-*')]);
    await putFields(admin, 'papers-mixed', { number_of_shards: 2, number_of_replicas: 0 });
    await putFields(admin, 'papers-sorted', { number_of_shards: 2, number_of_replicas: 0 }, true);
    const maker = new SearchMaker(7, PREFIXES);
    for (let round = 0; round < 400; round++) {
      const body = maker.search();
      const text = JSON.stringify(body);
      expect(await told(reader, 'papers-mixed', body), text).toEqual(await told(admin, 'papers-sorted', body));
    }
  });
});

describe('names of hidden fields', () => {
  it('are told by no endpoint, nor by hits whose values were malformed', { timeout: 300_000 }, async () => {
    const reader = await user('reader', [on('papers*', FIELDS), on('copy-*')]);
    for (const attempt of attempts(INDEX, '', FIELD_IDS)) {
      for (const { text } of await attempt.run(reader)) {
        expect(/.{0,80}secret_.{0,40}/.exec(text)?.[0], attempt.name).toBeUndefined();
      }
    }
    const { hits } = await done(reader('POST', `/${INDEX}/_search`, { query: { ids: { values: ['a1'] } } }));
    expect(hits.hits[0]._ignored).toEqual(['odd']);
    for (const query of [
      { exists: {} },
      { prefix: { value: 'secret_' } },
      { wildcard: { value: '*' } },
      { term: { value: 'odd' } },
    ]) {
      const [[kind, how]] = Object.entries(query) as [[string, object]];
      const asked = kind === 'exists' ? { exists: { field: '_ignored' } } : { [kind]: { _ignored: how } };
      expect((await done(reader('POST', `/${INDEX}/_count`, { query: asked }))).count, kind).toBe(0);
      expect((await done(admin('POST', `/${INDEX}/_count`, { query: asked }))).count, kind).toBeGreaterThan(0);
    }
  });
});

describe('sources', () => {
  it('hold what is granted, whatever is asked for', async () => {
    const reader = await user('narrow', [on('papers*', { grant: ['title', 'box.*', 'n', 'kids.name', 'lo*'] })]);
    const whole = {
      ...{ title: 'plain1 common plain', n: 1, kids: [{ name: 'plain-kid-1' }], loose: 'plain-loose-1' },
      box: { inner: 'plain-inner-1', unmapped: 'plain-unmapped-1' },
    };
    expect(await sourceOf(reader)).toEqual(whole);
    expect(await sourceOf(reader, '?_source_includes=t*,secret_*,box.inner')).toEqual({
      title: whole.title,
      box: { inner: 'plain-inner-1' },
    });
    expect(await sourceOf(reader, '?_source_includes=secret_*')).toEqual({});
    expect(await sourceOf(reader, '?_source_includes=*o*e&_source_excludes=box')).toEqual({ loose: whole.loose });
    expect(await sourceOf(reader, '?_source_excludes=kids,box.unmapped')).toEqual({
      ...{ title: whole.title, n: 1, loose: whole.loose },
      box: { inner: 'plain-inner-1' },
    });
    const none = await user('none', [on('papers*', { grant: [] })]);
    expect(await sourceOf(none)).toEqual({});
    const found = await done(none('POST', `/${INDEX}/_search`, { _source: ['title'], query: { match_all: {} } }));
    expect([found.hits.total.value, found.hits.hits[0]._source]).toEqual([6, {}]);
  });

  it('hide what lies below an exception', async () => {
    const reader = await user('below', [on('papers*', { grant: ['*'], except: ['box', '*_kids', 'secret_*'] })]);
    const source = await sourceOf(reader);
    expect(Object.keys(source)).not.toContain('box');
    expect(source.title).toBe('plain1 common plain');
    const body = { size: 0, aggs: { a: { terms: { field: 'box.inner' } } } };
    const { aggregations } = await done(reader('POST', `/${INDEX}/_search`, body));
    expect(aggregations.a.buckets).toEqual([]);
  });
});

describe('several entries', () => {
  it('grant together what each of them does, and keys what their owner may read as well', async () => {
    const both = await user('both', [on(INDEX, { grant: ['title'] }), on('pap*', { grant: ['n*'], except: ['near'] })]);
    expect(Object.keys(await sourceOf(both)).sort()).toEqual(['n', 'title']);
    const whole = await user('whole', [on(INDEX, { grant: ['title'] }), on('pap*')]);
    expect(Object.keys(await sourceOf(whole))).toContain('secret_title');
    const descriptors = { r: { indices: [on('papers', { grant: ['n', 'secret_n', 'tag'] })] } };
    const make = { name: 'k', role_descriptors: descriptors };
    const { encoded } = await done(both('POST', '/_security/api_key', make));
    const key = withHeader(`ApiKey ${encoded as string}`);
    expect(await sourceOf(key)).toEqual({ n: 1 });
    const fields = await done(key('GET', `/${INDEX}/_field_caps?fields=*&filters=-metadata`));
    expect(Object.keys(fields.fields)).toEqual(['n']);
  });

  it('restrict documents by fields that are hidden', async () => {
    const query = { term: { secret_tag: 'hush-2' } };
    const reader = await user('by-hidden', [on(INDEX, FIELDS, { query })]);
    const { hits } = await done(reader('POST', `/${INDEX}/_search`, { query: { match_all: {} } }));
    expect((hits.hits as Json[]).map(({ _id }) => _id as string)).toEqual(['a2']);
    expect(JSON.stringify(hits)).not.toMatch(HIDDEN);
  });
});

describe('what fields are made of', () => {
  it('counts: copies, multi-fields, aliases, keys and scripts of the mapping', async () => {
    const reader = await user('reader', [on('papers*', FIELDS), on('copy-*')]);
    const grants = await user('granted', [
      on(INDEX, { grant: ['title.raw', 'both', 'flat', 'shown', 'secret_flat.key', 'loose'] }),
    ]);
    const buckets = async (ask: Ask, field: string): Promise<number> => {
      const { aggregations } = await done(
        ask('POST', `/${INDEX}/_search`, { size: 0, aggs: { a: { terms: { field } } } }),
      );
      return aggregations.a.buckets.length as number;
    };
    expect(await buckets(grants, 'title.raw')).toBe(6);
    expect(await buckets(grants, 'title')).toBe(0);
    // What was copied from a hidden field is hidden wherever it went.
    expect(await buckets(grants, 'both')).toBe(0);
    expect(await buckets(grants, 'flat.key')).toBe(6);
    expect(await buckets(grants, 'secret_flat.key')).toBe(0);
    expect(await buckets(grants, 'shown')).toBe(0);
    expect(await buckets(admin, 'shown')).toBe(6);
    expect(await sourceOf(grants)).toEqual({ flat: { key: 'plain-flat-1' } });
    const answer = await reader('POST', `/${INDEX}/_search`, { sort: ['secret_n'] });
    expect(answer.text).toContain('No mapping found for [secret_n] in order to sort on');
  });

  it('counts exceptions among the keys of a field: they hide the field as a whole as well', async () => {
    const properties = {
      labels: { type: 'flattened' },
      other: { type: 'alias', path: 'labels' },
      plain: { type: 'flattened' },
    };
    await done(admin('PUT', '/papers-keyed', { mappings: { properties } }));
    const labels = { open: 'seen', secret: 'hush', deep: { secret: 'hush', open: 'seen' } };
    await done(admin('PUT', '/papers-keyed/_doc/1?refresh=true', { labels, plain: { secret: 'seen' } }));
    const rules = { grant: ['*'], except: ['labels.secret', 'labels.deep.s*'] };
    const reader = await user('keyed', [on('papers-keyed', rules)]);
    const shows = async (ask: Ask, field: string): Promise<boolean> => {
      const terms = { size: 0, aggs: { a: { terms: { field } } } };
      const exists = { size: 0, query: { exists: { field } } };
      const { aggregations } = await done(ask('POST', '/papers-keyed/_search', terms));
      const { hits } = await done(ask('POST', '/papers-keyed/_search', exists));
      expect(aggregations.a.buckets.length > 0).toBe(hits.total.value > 0);
      return aggregations.a.buckets.length > 0;
    };
    for (const field of ['labels.open', 'labels.deep.open', 'plain.secret'])
      expect(await shows(reader, field), field).toBe(true);
    for (const field of ['labels.secret', 'labels.deep.secret', 'labels', 'other']) {
      expect([field, await shows(reader, field), await shows(admin, field)]).toEqual([field, false, true]);
    }
    expect(await shows(reader, 'other.secret')).toBe(false);
    for (const query of [
      { term: { labels: 'hush' } },
      { term: { 'labels.secret': 'hush' } },
      { exists: { field: 'labels' } },
    ]) {
      const { hits } = await done(reader('POST', '/papers-keyed/_search', { query }));
      expect(hits.total.value, JSON.stringify(query)).toBe(0);
    }
    const runtime = { labels: { type: 'keyword' }, 'labels.secret': { type: 'keyword' } };
    const fields = ['labels', 'labels.*', '*', 'other', 'labels.secret'];
    const text = JSON.stringify([
      await done(reader('POST', '/papers-keyed/_search', { fields, _source: false })),
      await done(reader('POST', '/papers-keyed/_search', { fields, runtime_mappings: runtime })),
      await done(reader('POST', '/papers-keyed/_search', { size: 0, aggs: { a: { terms: { field: 'labels' } } } })),
    ]);
    expect(text).not.toMatch(HIDDEN);
    const { _source } = await done(reader('GET', '/papers-keyed/_doc/1'));
    expect(_source).toEqual({ labels: { open: 'seen', deep: { open: 'seen' } }, plain: { secret: 'seen' } });
  });

  it('counts contexts of completions: one that is taken from a hidden field tells its values', async () => {
    const contexts = [{ name: 'c', type: 'category', path: 'secret_tag' }];
    const properties = { secret_tag: { type: 'keyword' }, done: { type: 'completion', contexts } };
    await done(admin('PUT', '/papers-told', { mappings: { properties } }));
    await done(admin('PUT', '/papers-told/_doc/1?refresh=true', { secret_tag: 'x', done: 'word' }));
    const body = { suggest: { s: { prefix: 'w', completion: { field: 'done', contexts: { c: ['x'] } } } } };
    const reader = await user('reader', [on('papers*', FIELDS), on('copy-*')]);
    expect((await done(admin('POST', '/papers-told/_search', body))).suggest.s[0].options).toHaveLength(1);
    const answer = await reader('POST', '/papers-told/_search', body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('no mapping found for field [done]')]);
  });
});

describe('writes', () => {
  it('of what was read in part are refused', async () => {
    const reader = await user('reader', [on('papers*', FIELDS), on('copy-*')]);
    const answer = await reader('POST', `/${INDEX}/_update_by_query`);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('update by query')]);
    expect((await reader('POST', `/${INDEX}/_update/a1`, { doc: {} })).status).toBe(400);
  });
});

describe('rules that roles may not have', () => {
  it.each([
    [{ grant: ['a'], except: ['b'] }, 'Exceptions for field permissions must be a subset of the granted fields'],
    [{ except: ['a'] }, '[field_security] requires [grant] if [except] is given'],
    [{ grant: ['/a.*/'] }, '[field_security.grant] takes names and patterns with [*], but not [/a.*/]'],
    [{ grant: ['*'], except: ['a?'] }, '[field_security.except] takes names and patterns with [*], but not [a?]'],
    [{ grant: 5 }, 'expected field [field_security.grant] value to be a string or an array of strings'],
    [{ grant: ['*'], more: [] }, 'unexpected field [field_security.more]'],
    [['a'], 'expected field [field_security] value to be an object, but found [START_ARRAY] instead'],
  ])('%j', async (fields, why) => {
    const answer = await admin('PUT', '/_security/role/refused', { indices: [on('x', fields)] });
    expect([answer.status, (answer.json() as Json).error.root_cause[0].reason]).toEqual([
      400,
      expect.stringContaining(why),
    ]);
  });
});

describe('nested objects', () => {
  it('of which some fields may be read show these alone, also as hits of their own', async () => {
    const kids = { type: 'nested', properties: { name: { type: 'keyword' }, pin: { type: 'keyword' } } };
    await done(admin('PUT', '/papers-nested', { mappings: { properties: { kids } } }));
    const document = {
      kids: [
        { name: 'a', pin: 'hush-1' },
        { name: 'b', pin: 'hush-2', 'more.pin': 'hush-3' },
      ],
    };
    await done(admin('PUT', '/papers-nested/_doc/1?refresh=true', document));
    const nested = { path: 'kids', query: { match_all: {} }, inner_hits: { fields: ['*'], docvalue_fields: ['*'] } };
    const hits = { top_hits: { docvalue_fields: ['kids.*'], fields: ['kids.*'] } };
    const requests: Json[] = [
      { query: { nested }, fields: ['kids', 'kids.*'] },
      { aggs: { k: { nested: { path: 'kids' }, aggs: { hits, pins: { terms: { field: 'kids.pin' } } } } } },
      { query: { nested: { ...nested, inner_hits: { _source: ['kids.pin', 'pin', '*'] } } } },
      { query: { nested: { ...nested, query: { exists: { field: 'kids.pin' } } } } },
    ];
    const rules = [
      { grant: ['*'], except: ['kids.pin', 'kids.more*'] },
      { grant: ['kids.name'] },
      { grant: ['k*', 'kids.name'], except: ['kids.*pin'] },
    ];
    for (const [at, fields] of rules.entries()) {
      const reader = await user(`nested-${at}`, [on('papers-nested', fields)]);
      for (const body of requests) {
        const { status, text } = await reader('POST', '/papers-nested/_search', body);
        expect([status, HIDDEN.exec(text)?.[0]], `${JSON.stringify(fields)} ${JSON.stringify(body)} ${text}`).toEqual([
          200,
          undefined,
        ]);
      }
      const [first] = requests;
      expect((await reader('POST', '/papers-nested/_search', first)).text).toContain('"name":"b"');
    }
    expect((await admin('POST', '/papers-nested/_search', requests[0])).text).toMatch(HIDDEN);
  });
});

describe('filters of sources', () => {
  it('that take too long to be put together with the rules are refused', async () => {
    const reader = await user('many-stars', [on(INDEX, { grant: [`${'*a'.repeat(30)}*`, 'title'] })]);
    const answer = await reader('POST', `/${INDEX}/_search`, { _source: [`${'*b'.repeat(30)}*`] });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('the patterns of [_source] are too many'),
    ]);
    const docs = Array.from({ length: 1_000 }, (_, at) => ({ _id: `a${at}`, _source: `${'*b'.repeat(30)}*` }));
    const many = await reader('POST', `/${INDEX}/_mget`, { docs });
    expect(many.text).toContain('the patterns of [_source] are too many');
    // Each alone is let through; all of one `_mget` have one budget.
    const some = await user('some-stars', [on(INDEX, { grant: ['*t*i*', 'title'] })]);
    const others = docs.map(({ _id }) => ({ _id, _source: `*t*${_id}*i*` }));
    expect((await some('POST', `/${INDEX}/_mget`, { docs: others })).text).toContain('[_source] are too many');
    expect((await some('POST', `/${INDEX}/_mget`, { docs: others.slice(0, 4) })).text).not.toContain('too many');
    const plain = docs.map(({ _id }) => ({ _id, _source: '*t*t*e*' }));
    const few = await user('few-stars', [on(INDEX, { grant: ['tit*'] })]);
    const { docs: shown } = await done(few('POST', `/${INDEX}/_mget`, { docs: plain }));
    expect(Object.keys(shown[1]._source)).toEqual(['title']);
  });

  it('that are very many are refused', async () => {
    const reader = await user('many-names', [on(INDEX, { grant: ['title', 'n'] })]);
    // Each name means what lies below it too, on both sides.
    const names = Array.from({ length: 25_001 }, (_, at) => `x${at}`);
    const { hits } = await done(reader('POST', `/${INDEX}/_search`, { _source: names.slice(1) }));
    expect(hits.hits[0]._source).toEqual({});
    const answer = await reader('POST', `/${INDEX}/_search`, { _source: names });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('[_source] are too many')]);
  });
});

describe('the same words', () => {
  it('from users with other restrictions find other things, over several indices too', async () => {
    await done(admin('PUT', '/others/_doc/1?refresh=true', { tag: 'plain-other', secret_tag: 'hush-other' }));
    const all = { allow_restricted_indices: true };
    const fields = await user('all-but-secrets', [on('*', FIELDS, all)]);
    const documents = await user('all-but-a1', [
      on('*', undefined, { ...all, query: { bool: { must_not: { ids: { values: ['a1'] } } } } }),
    ]);
    const mixed = await user('mixed', [on(INDEX, FIELDS), on('others')]);
    const path = `/${INDEX},others/_search?size=20&sort=_doc`;
    for (let round = 0; round < 4; round++) {
      expect(JSON.stringify(await done(fields('GET', path)))).not.toMatch(HIDDEN);
      const { hits } = await done(documents('GET', path));
      expect([hits.total.value, JSON.stringify(hits).includes('hush1 ')]).toEqual([6, false]);
      const found = JSON.stringify(await done(mixed('GET', path)));
      expect(found.match(/hush[-0-9a-z]*/g)).toEqual(['hush-other']);
      expect((await done(admin('GET', path))).hits.total.value).toBe(7);
    }
    for (let round = 0; round < 3; round++) {
      expect((await fields('GET', '/others/_doc/1')).text).not.toMatch(HIDDEN);
      expect((await mixed('GET', '/others/_doc/1')).text).toMatch(HIDDEN);
      expect((await documents('GET', `/${INDEX}/_doc/a1`)).status).toBe(404);
    }
    const body = { size: 0, aggs: { b: { terms: { field: 'secret_tag.keyword' } } } };
    const { aggregations } = await done(mixed('POST', `/${INDEX},others/_search`, body));
    expect(aggregations.b.buckets).toEqual([{ key: 'hush-other', doc_count: 1 }]);
  });
});
