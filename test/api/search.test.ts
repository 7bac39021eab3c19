import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const BOOKS = [
  {
    title: 'quick brown fox',
    tags: ['a', 'b'],
    price: 10.5,
    count: 3,
    published: '2020-01-01',
    ip: '10.0.0.1',
    ok: true,
  },
  { title: 'lazy brown dog', tags: ['b'], price: 7.25, count: 1, published: '2021-06-15T12:00:00Z', ip: '10.0.1.1' },
  { title: 'the quick quick fox jumps', tags: [], price: 99.99, published: '2019-12-31', ip: '2001:db8::1', ok: false },
  { title: 'nothing of note', count: 7, published: '2022-02-02', author: { name: 'Ann', born: 1970 } },
];

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/books', {
    settings: { number_of_shards: 1 },
    mappings: {
      properties: {
        title: { type: 'text', fields: { raw: { type: 'keyword' } } },
        tags: { type: 'keyword' },
        price: { type: 'scaled_float', scaling_factor: 100 },
        count: { type: 'integer' },
        published: { type: 'date' },
        ip: { type: 'ip' },
        ok: { type: 'boolean' },
        author: { properties: { name: { type: 'keyword', store: true }, born: { type: 'short' } } },
        columns: { type: 'keyword', index: false },
        hidden: { type: 'keyword', index: false, doc_values: false },
      },
    },
  });
  await node.bulk(
    '/books/_bulk?refresh',
    BOOKS.flatMap((book, at) => [{ index: { _id: String(at) } }, book]),
  );
});

afterAll(async () => {
  await node.stop();
});

async function search(body: unknown, query = ''): Promise<Json> {
  const answer = await node.post(`/books/_search?${query}`, body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return answer.json();
}

const idsOf = (answer: Json): string[] => answer.hits.hits.map((hit: Json) => hit._id);
const ids = async (body: unknown, query = ''): Promise<string[]> => idsOf(await search(body, query));
const sorted = async (query: unknown): Promise<string[]> => (await ids({ query })).sort();

describe('queries', () => {
  it.each<[unknown, string[]]>([
    [{ match_all: {} }, ['0', '1', '2', '3']],
    [{ match_none: {} }, []],
    [{ match: { title: 'quick dog' } }, ['0', '1', '2']],
    [{ match: { title: { query: 'quick fox', operator: 'and' } } }, ['0', '2']],
    [{ match: { title: { query: 'quick brown dog', minimum_should_match: 2 } } }, ['0', '1']],
    [{ match: { title: { query: 'quik', fuzziness: 'AUTO' } } }, ['0', '2']],
    [{ match_phrase: { title: 'brown fox' } }, ['0']],
    [{ match_phrase: { title: { query: 'quick jumps', slop: 1 } } }, ['2']],
    [{ multi_match: { query: 'lazy', fields: ['title', 'tags'] } }, ['1']],
    [{ term: { tags: 'b' } }, ['0', '1']],
    [{ term: { 'title.raw': 'lazy brown dog' } }, ['1']],
    [{ term: { price: 99.99 } }, ['2']],
    [{ term: { ok: false } }, ['2']],
    [{ term: { ip: '10.0.0.0/8' } }, ['0', '1']],
    [{ terms: { count: [1, 7, 9] } }, ['1', '3']],
    [{ range: { count: { gt: 1, lte: 7 } } }, ['0', '3']],
    [{ range: { published: { gte: '2020-01-01', lt: '2021-01-01||+1y' } } }, ['0', '1']],
    [{ range: { published: { gte: 'now+1d' } } }, []],
    [{ range: { ip: { gte: '10.0.0.2', lte: '10.255.255.255' } } }, ['1']],
    [{ exists: { field: 'tags' } }, ['0', '1']],
    [{ exists: { field: 'author' } }, ['3']],
    [{ prefix: { 'title.raw': 'the ' } }, ['2']],
    [{ wildcard: { tags: '?' } }, ['0', '1']],
    [{ ids: { values: ['3', '1', 'x'] } }, ['1', '3']],
    [{ bool: { must: [{ match: { title: 'fox' } }], must_not: [{ term: { tags: 'a' } }] } }, ['2']],
    [{ bool: { should: [{ term: { tags: 'a' } }, { term: { count: 1 } }], minimum_should_match: 1 } }, ['0', '1']],
    [{ bool: {} }, ['0', '1', '2', '3']],
    [{ constant_score: { filter: { term: { tags: 'b' } }, boost: 2 } }, ['0', '1']],
    [{ term: { absent: 1 } }, []],
  ])('%j', async (query, expected) => {
    expect(await sorted(query)).toEqual(expected);
    expect((await node.post('/books/_count', { query })).json().count).toBe(expected.length);
  });

  it('reaches fields that have only doc values, and refuses those that have nothing', async () => {
    await node.put('/columns', {
      mappings: {
        properties: {
          k: { type: 'keyword', index: false },
          ip: { type: 'ip', index: false },
          n: { type: 'long', index: false },
          none: { type: 'keyword', index: false, doc_values: false },
        },
      },
    });
    await node.put('/columns/_doc/1?refresh', { k: 'Word', ip: '10.0.0.1', n: 5, none: 'x' });
    for (const query of [
      { term: { k: 'Word' } },
      { term: { k: { value: 'wORD', case_insensitive: true } } },
      { terms: { k: ['a', 'Word'] } },
      { prefix: { k: 'Wo' } },
      { wildcard: { k: 'W*d' } },
      { range: { k: { gte: 'W', lt: 'X' } } },
      { term: { ip: '10.0.0.0/24' } },
      { range: { n: { gt: 4 } } },
    ]) {
      const { hits } = (await node.post('/columns/_search', { query })).json();
      expect([query, hits.total.value, hits.max_score]).toEqual([query, 1, 1]);
    }
    const refused = await node.post('/columns/_search', { query: { term: { none: 'x' } } });
    expect(refused.status).toBe(400);
    expect(refused.json().error.root_cause[0].reason).toContain(
      'Cannot search on field [none] since it is both not indexed, and does not have doc_values enabled.',
    );
  });
});

describe('paging and sorting', () => {
  it('pages with from and size', async () => {
    const sort = [{ published: 'asc' }];
    expect(await ids({ sort })).toEqual(['2', '0', '1', '3']);
    expect(await ids({ sort, from: 1, size: 2 })).toEqual(['0', '1']);
    expect(await ids({ sort, from: 9 })).toEqual([]);
    expect(await ids({ sort }, 'size=1&from=3')).toEqual(['3']);
    expect((await search({ size: 0 })).hits).toEqual({
      total: { value: 4, relation: 'eq' },
      max_score: null,
      hits: [],
    });
  });

  it.each<[unknown, string[]]>([
    [[{ count: 'desc' }], ['3', '0', '1', '2']],
    [[{ count: { order: 'asc', missing: '_first' } }], ['2', '1', '0', '3']],
    [[{ count: { order: 'asc', missing: 2 } }], ['1', '2', '0', '3']],
    [
      [{ tags: { order: 'desc', mode: 'max' } }, { _doc: 'desc' }],
      ['1', '0', '3', '2'],
    ],
    [
      [{ tags: { order: 'asc', missing: '_first' } }, '_doc'],
      ['2', '3', '0', '1'],
    ],
    [[{ 'title.raw': 'asc' }], ['1', '3', '0', '2']],
    [
      [{ absent: { order: 'asc', unmapped_type: 'long' } }, { count: 'asc' }],
      ['1', '0', '3', '2'],
    ],
    [
      [{ ip: 'desc' }, '_doc'],
      ['2', '1', '0', '3'],
    ],
    [
      [{ _index: 'asc' }, { price: 'asc' }],
      ['1', '0', '2', '3'],
    ],
  ])('sorts by %j', async (sort, expected) => {
    expect(await ids({ sort })).toEqual(expected);
  });

  it('reads a date of search_after in the format of its field', async () => {
    const sort = [{ published: 'asc' }];
    expect(await ids({ sort, search_after: ['2020-01-01T00:00:00.000Z'] })).toEqual(['1', '3']);
    expect(await ids({ sort, search_after: [1_577_836_800_000] })).toEqual(['1', '3']);
  });

  it('walks all hits with search_after, in any page size', async () => {
    const sort = [{ count: 'desc' }, { 'title.raw': 'asc' }];
    for (const size of [1, 2, 3]) {
      const seen: string[] = [];
      let after: unknown;
      for (;;) {
        const page = await search({ sort, size, ...(after === undefined ? {} : { search_after: after }) });
        if (page.hits.hits.length === 0) break;
        seen.push(...idsOf(page));
        after = page.hits.hits.at(-1).sort;
      }
      expect(seen).toEqual(['3', '0', '1', '2']);
    }
  });

  it('shows scores with sorts only when asked', async () => {
    const query = { match: { title: 'quick' } };
    const without = await search({ query, sort: ['count'] });
    expect([without.hits.max_score, without.hits.hits[0]._score]).toEqual([null, null]);
    const tracked = await search({ query, sort: ['count'], track_scores: true });
    expect(tracked.hits.max_score).toBeGreaterThan(0);
    expect(tracked.hits.hits[0]._score).toBeGreaterThan(0);
  });

  it('refuses to sort what has no one order, and what cannot be sorted by', async () => {
    await node.put('/other-type', { mappings: { properties: { count: { type: 'unsigned_long' } } } });
    await node.put('/other-type/_doc/1?refresh', { count: 5 });
    const mixed = await node.post('/books,other-type/_search', { sort: ['count'] });
    expect([mixed.status, mixed.json().error]).toMatchObject([
      400,
      {
        type: 'search_phase_execution_exception',
        caused_by: {
          type: 'illegal_argument_exception',
          reason:
            "Can't do sort across indices, as a field has [unsigned_long] type in one index, and different type in another index!",
        },
      },
    ]);
    for (const [sort, reason] of [
      ['nowhere', 'No mapping found for [nowhere] in order to sort on'],
      ['title', 'Text fields are not optimised for operations that require per-document field data'],
      ['_id', 'Fielddata access on the _id field is disallowed'],
      ['hidden', "Can't load fielddata on [hidden]"],
    ] as const) {
      const refused = await node.post('/books/_search', { sort: [sort] });
      expect([refused.status, refused.json().error.root_cause[0].reason]).toEqual([
        400,
        expect.stringContaining(reason),
      ]);
    }
  });
});

describe('what hits show', () => {
  it.each<[unknown, unknown]>([
    [false, undefined],
    [['author.*'], { author: { name: 'Ann', born: 1970 } }],
    [{ includes: ['author'], excludes: ['*.born'] }, { author: { name: 'Ann' } }],
    ['count', { count: 7 }],
    [[], BOOKS[3]],
  ])('_source: %j', async (source, expected) => {
    const answer = await search({ query: { ids: { values: ['3'] } }, _source: source });
    expect(answer.hits.hits[0]._source).toEqual(expected);
  });

  it('doc values in the formats asked for', async () => {
    const answer = await search({
      query: { ids: { values: ['0'] } },
      _source: false,
      docvalue_fields: ['tags', 'price', { field: 'published', format: 'yyyy/MM' }, 'ip', 'ok', 'author.born'],
    });
    expect(answer.hits.hits[0]).toEqual({
      _index: 'books',
      _id: '0',
      _score: 1,
      fields: { tags: ['a', 'b'], price: [10.5], published: ['2020/01'], ip: ['10.0.0.1'], ok: [true] },
    });
    const epoch = await search({
      query: { ids: { values: ['0'] } },
      docvalue_fields: [{ field: 'published', format: 'epoch_millis' }],
    });
    expect(epoch.hits.hits[0].fields.published).toEqual(['1577836800000']);
  });

  it('stored fields, versions and sequence numbers', async () => {
    const answer = await search({
      query: { ids: { values: ['3'] } },
      stored_fields: ['author.name'],
      version: true,
      seq_no_primary_term: true,
    });
    expect(answer.hits.hits[0]).toEqual({
      _index: 'books',
      _id: '3',
      _version: 1,
      _seq_no: 3,
      _primary_term: 1,
      _score: 1,
      fields: { 'author.name': ['Ann'] },
    });
  });
});

describe('totals and early ends', () => {
  it.each<[unknown, string, unknown]>([
    [{}, '', { value: 4, relation: 'eq' }],
    [{ track_total_hits: 2 }, '', { value: 2, relation: 'gte' }],
    [{ track_total_hits: 4 }, '', { value: 4, relation: 'eq' }],
    [{ track_total_hits: true }, '', { value: 4, relation: 'eq' }],
    [{ track_total_hits: false }, '', undefined],
    [{}, 'track_total_hits=3', { value: 3, relation: 'gte' }],
    [{}, 'rest_total_hits_as_int=true', 4],
    [{ track_total_hits: false }, 'rest_total_hits_as_int=true', -1],
  ])('%j %s', async (body, query, total) => {
    expect((await search(body as object, query)).hits.total).toEqual(total);
  });

  it('leaves out what scores too little', async () => {
    const query = { match: { title: 'quick' } };
    const all = await search({ query });
    const [best, second] = all.hits.hits.map((hit: Json) => hit._score);
    expect(best).toBeGreaterThan(second);
    const answer = await search({ query, min_score: (best + second) / 2 });
    expect([answer.hits.total.value, answer.hits.hits[0]._score]).toEqual([1, best]);
    expect((await node.post(`/books/_count?min_score=${best + 1}`, { query })).json().count).toBe(0);
  });

  it('stops after some documents', async () => {
    const answer = await search({ terminate_after: 2, query: { match_all: {} } });
    expect([answer.terminated_early, answer.hits.total.value]).toEqual([true, 2]);
    expect((await search({ terminate_after: 100 })).terminated_early).toBe(false);
    expect((await node.post('/books/_count?terminate_after=1', {})).json()).toMatchObject({
      count: 1,
      terminated_early: true,
    });
  });

  it('ends in time when asked to, and answers what there is', async () => {
    expect((await search({ timeout: '10s' })).timed_out).toBe(false);
    expect((await search({ timeout: '-1' })).timed_out).toBe(false);
  });
});

describe('which shards', () => {
  it('counts shards of all indices named, and ignores missing ones by leave', async () => {
    await node.put('/sharded', { settings: { number_of_shards: 3 } });
    expect((await node.get('/books,sharded/_search')).json()._shards).toEqual({
      total: 4,
      successful: 4,
      skipped: 0,
      failed: 0,
    });
    expect((await node.get('/books,absent/_search')).json().error.type).toBe('index_not_found_exception');
    expect((await node.get('/books,absent/_search?ignore_unavailable=true')).json().hits.total.value).toBe(4);
    expect((await node.get('/absent*/_search')).json()).toMatchObject({ _shards: { total: 0 }, hits: { hits: [] } });
    expect((await node.get('/absent*/_search?allow_no_indices=false')).status).toBe(404);
  });

  it('gives the same answer from one shard and from many', async () => {
    await node.put('/few', { settings: { number_of_shards: 1 } });
    await node.put('/lots', { settings: { number_of_shards: 5 } });
    const lines = Array.from({ length: 300 }, (_, n) => [
      { index: { _id: String(n) } },
      { n: (n * 7919) % 101, word: `w${n % 13}`, at: new Date(1.6e12 + n * 1e7).toISOString() },
    ]).flat();
    for (const index of ['few', 'lots'])
      expect((await node.bulk(`/${index}/_bulk?refresh`, lines)).json().errors).toBe(false);
    for (const body of [
      { sort: [{ n: 'desc' }, { at: 'asc' }], from: 10, size: 20 },
      { sort: [{ 'word.keyword': 'asc' }, { at: 'desc' }], query: { range: { n: { gte: 50 } } } },
      {
        size: 0,
        aggs: { words: { terms: { field: 'word.keyword', size: 5 }, aggs: { top: { max: { field: 'n' } } } } },
      },
    ]) {
      const [one, many] = await Promise.all(['few', 'lots'].map((index) => node.post(`/${index}/_search`, body)));
      const shown = (answer: Json): unknown => [
        answer.hits.total,
        answer.hits.hits.map((hit: Json) => [hit._id, hit.sort]),
        answer.aggregations,
      ];
      expect(shown(many?.json())).toEqual(shown(one?.json()));
    }
  });

  it('groups by the index that documents are in', async () => {
    const aggs = {
      indices: { terms: { field: '_index', order: { _key: 'asc' } } },
      none: { missing: { field: '_index' } },
    };
    const answer = (await node.post('/few,books/_search', { size: 0, aggs })).json();
    expect(answer.aggregations.indices.buckets).toEqual([
      { key: 'books', doc_count: 4 },
      { key: 'few', doc_count: 300 },
    ]);
    expect(answer.aggregations.none.doc_count).toBe(0);
  });
});

describe('a default timeout', () => {
  it('holds for searches that name none', async () => {
    const set = async (value: string | null): Promise<void> => {
      const answer = await node.put('/_cluster/settings', { transient: { 'search.default_search_timeout': value } });
      expect(answer.status).toBe(200);
    };
    await set('1ms');
    expect((await node.get('/books/_search')).status).toBe(200);
    await set(null);
  });
});

describe('limits of analysis', () => {
  it('can be widened for an index', async () => {
    const analysis = { tokenizer: { grams: { type: 'ngram', min_gram: 2, max_gram: 5 } } };
    const refused = await node.put('/grams', { settings: { analysis } });
    expect([refused.status, refused.json().error.reason]).toEqual([
      400,
      expect.stringContaining('[index.max_ngram_diff]'),
    ]);
    const settings = { 'index.max_ngram_diff': 3, analysis: { ...analysis, analyzer: { g: { tokenizer: 'grams' } } } };
    const mappings = { properties: { t: { type: 'text', analyzer: 'g' } } };
    expect((await node.put('/grams', { settings, mappings })).status).toBe(200);
    await node.put('/grams/_doc/1?refresh', { t: 'hello' });
    expect((await node.post('/grams/_count', { query: { term: { t: 'ello' } } })).json().count).toBe(1);
    const tokens = (await node.post('/grams/_analyze', { analyzer: 'g', text: 'abcd' })).json().tokens;
    expect(tokens.map((token: Json) => token.token)).toContain('abcd');
  });
});
