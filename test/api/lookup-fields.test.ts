/** Runtime fields of type `lookup`: what hits show of documents of other indices. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

const AUTHOR = {
  type: 'lookup',
  target_index: 'authors',
  input_field: 'author_id',
  target_field: 'author',
  fetch_fields: ['first_name', 'last_name'],
};
const AUTHORS = [
  { author: 'john', first_name: 'John', last_name: 'New York', joined: '2020-03-01' },
  { author: 'mike', first_name: 'Mike', last_name: 'Boston', joined: '2010-06-20' },
  { author: 'jack', first_name: 'Jack', last_name: 'Austin', joined: '1999-11-03' },
];
const BOOKS = [
  { title: 'first', genre: 'fiction', author_id: 'john', publisher_id: 'p1', at: '2020-01-05' },
  { title: 'second', genre: 'science', author_id: 'mike', publisher_id: 'p2', at: '2020-02-10' },
  { title: 'third', genre: 'science', author_id: ['mark', 'mike'], publisher_id: 'p1', at: '2021-04-20' },
  { title: 'fourth', genre: 'fiction', author_id: ['mike', 'jack'], publisher_id: 'p1', at: '2021-05-11' },
  { title: 'fifth', genre: 'science', author_id: 'mike', publisher_id: 'p2', at: '2021-06-30' },
  { title: 'sixth', genre: 'science', at: '2021-07-01' },
];
const JOHN = { first_name: ['John'], last_name: ['New York'] };
const MIKE = { first_name: ['Mike'], last_name: ['Boston'] };
const JACK = { first_name: ['Jack'], last_name: ['Austin'] };
/** By the title of the book. */
const SHOWN: Readonly<Record<string, readonly object[] | undefined>> = {
  first: [JOHN],
  second: [MIKE],
  third: [MIKE],
  fourth: [MIKE, JACK],
  fifth: [MIKE],
  sixth: undefined,
};

const keyword = { type: 'keyword' };
const date = { type: 'date', format: 'yyyy-MM-dd' };

async function load(index: string, documents: readonly object[]): Promise<void> {
  const lines = documents.flatMap((document, id) => [{ index: { _id: String(id) } }, document]);
  const answer = await node.bulk(`/${index}/_bulk?refresh`, lines);
  expect(answer.json().errors, answer.text).toBe(false);
}

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/authors', {
    settings: { number_of_shards: 3 },
    mappings: { properties: { author: keyword, joined: date } },
    aliases: { people: {}, youngsters: { filter: { range: { joined: { gte: '2015-01-01' } } } } },
  });
  await load('authors', AUTHORS);
  await node.put('/publishers', { settings: { number_of_shards: 2 } });
  await node.put('/publishers/_doc/p1', { name: 'The first publisher', city: ['Montreal', 'Vancouver'], size: 3 });
  await node.put('/publishers/_doc/p2?refresh', { name: 'The second publisher', city: 'Toronto', size: 1 });
  const properties = { title: keyword, genre: keyword, author_id: keyword, publisher_id: keyword, at: date };
  for (const [index, shards] of Object.entries({ books: 1, volumes: 4 })) {
    const mappings = { properties, runtime: { author: AUTHOR } };
    const made = await node.put(`/${index}`, { settings: { number_of_shards: shards }, mappings });
    expect(made.status, made.text).toBe(200);
    await load(index, BOOKS);
  }
});

afterAll(async () => {
  await node.stop();
});

async function search(body: object, index = 'books', parameters = ''): Promise<Json> {
  const answer = await node.post(`/${index}/_search${parameters}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json();
}

const PAGE = { fields: ['title', 'author'], _source: false, sort: [{ at: 'desc' }], size: 10 };

/** Titles and authors of hits. */
function shown(hits: readonly Json[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(hits.map(({ fields }) => [fields.title[0], fields.author]));
}

/** Type, status and reason of the failure that an answer tells. */
function refusal(answer: Answer): string {
  const { status, error } = answer.json();
  const { type, reason } = error.root_cause[0] ?? error;
  return `${status} ${type}: ${reason}`;
}

describe.each(['books', 'volumes'])('a field of the mapping of [%s]', (index) => {
  it('is shown as objects, one for each value that finds something', async () => {
    const { hits } = await search(PAGE, index);
    expect(hits.hits.map(({ fields }: Json) => fields.title[0])).toEqual(BOOKS.map(({ title }) => title).reverse());
    expect(shown(hits.hits)).toEqual(SHOWN);
    expect(hits.total).toEqual({ value: 6, relation: 'eq' });
    expect(hits.hits[0]._source).toBeUndefined();
  });

  it('is all that some hits show, and then they show nothing', async () => {
    const { hits } = await search({ ...PAGE, fields: ['author'], size: 2 }, index);
    expect(hits.hits.map(({ fields }: Json) => fields)).toEqual([undefined, { author: [MIKE] }]);
  });

  it('is met by patterns, and has no format', async () => {
    const { hits } = await search({ ...PAGE, fields: ['a*', { field: 'author', format: 'x' }], size: 2 }, index);
    expect(hits.hits[1].fields).toEqual({ at: ['2021-06-30'], author: [MIKE], author_id: ['mike'] });
  });

  it('is not asked for where the request does not name it', async () => {
    const { hits } = await search({ fields: ['title'], size: 1 }, index);
    expect(Object.keys(hits.hits[0].fields)).toEqual(['title']);
  });

  it('is shown by every page of a scroll', async () => {
    let page = await search({ ...PAGE, size: 4 }, index, '?scroll=1m');
    const first = shown(page.hits.hits);
    page = (await node.post('/_search/scroll', { scroll_id: page._scroll_id, scroll: '1m' })).json();
    expect({ ...first, ...shown(page.hits.hits) }).toEqual(SHOWN);
    await node.request('DELETE', '/_search/scroll', { scroll_id: page._scroll_id });
  });

  it('is shown by searches of points in time', async () => {
    const { id } = (await node.post(`/${index}/_pit?keep_alive=1m`)).json();
    const answer = await node.post('/_search', { ...PAGE, pit: { id } });
    expect(shown(answer.json().hits.hits)).toEqual(SHOWN);
    await node.request('DELETE', '/_pit', { id });
  });

  it('is shown by _msearch and by searches that go on', async () => {
    const lines = [{ index }, PAGE, { index }, { ...PAGE, size: 1, from: 1 }];
    const { responses } = (await node.bulk('/_msearch', lines)).json();
    expect(responses.map(({ hits }: Json) => shown(hits.hits))).toEqual([SHOWN, { fifth: [MIKE] }]);
    const submitted = await node.post(`/${index}/_async_search?wait_for_completion_timeout=30s`, PAGE);
    expect(shown(submitted.json().response.hits.hits)).toEqual(SHOWN);
  });

  it('is shown by hits that stand for others, and by those', async () => {
    const inner = { name: 'newest', size: 2, sort: [{ at: 'desc' }], fields: ['title', 'author'], _source: false };
    const collapse = { field: 'genre', inner_hits: inner };
    const { hits } = await search({ ...PAGE, size: 3, collapse }, index);
    expect(shown(hits.hits)).toEqual({ sixth: undefined, fourth: [MIKE, JACK] });
    const newest = hits.hits.map(({ inner_hits }: Json) => shown(inner_hits.newest.hits.hits));
    expect(newest).toEqual([
      { sixth: undefined, fifth: [MIKE] },
      { fourth: [MIKE, JACK], first: [JOHN] },
    ]);
  });

  it('is left out by top_hits, as the reference has it', async () => {
    const top = { top_hits: { size: 1, fields: ['title', 'author'], _source: false, sort: [{ at: 'desc' }] } };
    const answer = await search({ size: 0, aggs: { genres: { terms: { field: 'genre' }, aggs: { top } } } }, index);
    const [science] = answer.aggregations.genres.buckets;
    expect(science.top.hits.hits[0].fields).toEqual({ title: ['sixth'] });
  });
});

describe('fields of a request', () => {
  const publisher = {
    type: 'lookup',
    target_index: 'publishers',
    input_field: 'publisher_id',
    target_field: '_id',
    fetch_fields: ['name', 'city'],
  };

  it('look up by ids, beside those of the mapping', async () => {
    const body = { ...PAGE, runtime_mappings: { publisher }, fields: ['title', 'author', 'publisher'], size: 3 };
    const { hits } = await search(body);
    expect(hits.hits[1].fields).toEqual({
      title: ['fifth'],
      author: [MIKE],
      publisher: [{ name: ['The second publisher'], city: ['Toronto'] }],
    });
    expect(hits.hits[2].fields.publisher).toEqual([{ name: ['The first publisher'], city: ['Montreal', 'Vancouver'] }]);
    expect(hits.hits[0].fields).toEqual({ title: ['sixth'] });
  });

  it('hide those of the mapping, and print in formats', async () => {
    const author = { ...AUTHOR, fetch_fields: ['first_name', { field: 'joined', format: 'MM/yyyy' }] };
    const body = { ...PAGE, runtime_mappings: { author }, sort: [{ at: 'asc' }], size: 1 };
    expect((await search(body)).hits.hits[0].fields.author).toEqual([{ first_name: ['John'], joined: ['03/2020'] }]);
    const title = { ...AUTHOR, fetch_fields: ['last_name'] };
    const hidden = await search({ ...body, runtime_mappings: { title } });
    expect(hidden.hits.hits[0].fields.title).toEqual([{ last_name: ['New York'] }]);
  });

  it('look up by what scripts compute, by ids, and by the index', async () => {
    const script = { source: "emit(doc['author_id'].size() == 0 ? 'jack' : doc['author_id'][0])" };
    const runtime_mappings = {
      whose: { type: 'keyword', script },
      by_script: { ...AUTHOR, input_field: 'whose', fetch_fields: ['first_name'] },
      by_id: { ...publisher, target_index: 'books', input_field: '_id', fetch_fields: ['title'] },
      by_index: { ...publisher, input_field: '_index' },
    };
    const fields = ['by_script', 'by_id', 'by_index'];
    const { hits } = await search({ ...PAGE, runtime_mappings, fields, size: 1 });
    expect(hits.hits[0].fields).toEqual({ by_script: [{ first_name: ['Jack'] }], by_id: [{ title: ['sixth'] }] });
  });

  it('look up numbers, dates and booleans by their texts', async () => {
    const properties = { n: { type: 'long' }, d: date, b: { type: 'boolean' }, x: { type: 'double' } };
    await node.put('/typed', { mappings: { properties } });
    await load('typed', [
      { n: 7, d: '2024-02-29', b: true, x: 1.5 },
      { n: 8, d: '2024-03-01', b: false, x: 2 },
    ]);
    const by = (field: string): object => ({
      type: 'lookup',
      target_index: 'typed',
      input_field: field,
      target_field: field,
      fetch_fields: ['n'],
    });
    const runtime_mappings = Object.fromEntries(Object.keys(properties).map((field) => [`by_${field}`, by(field)]));
    const { hits } = await search({ runtime_mappings, fields: ['by_*'], _source: false }, 'typed');
    const all = (n: number): object => ({
      by_n: [{ n: [n] }],
      by_d: [{ n: [n] }],
      by_b: [{ n: [n] }],
      by_x: [{ n: [n] }],
    });
    expect(hits.hits.map(({ fields }: Json) => fields)).toEqual([all(7), all(8)]);
  });

  it('go through aliases and their filters, and patterns of names', async () => {
    const runtime_mappings = {
      of_alias: { ...AUTHOR, target_index: 'people', fetch_fields: ['first_name'] },
      filtered: { ...AUTHOR, target_index: 'youngsters', fetch_fields: ['first_name'] },
      of_pattern: { ...AUTHOR, target_index: 'auth*', fetch_fields: ['first_name'] },
      of_nothing: { ...AUTHOR, target_index: 'nothing*', fetch_fields: ['first_name'] },
      elsewhere: { ...AUTHOR, target_field: 'no_such_field' },
    };
    const body = { ...PAGE, runtime_mappings, fields: Object.keys(runtime_mappings), sort: [{ at: 'asc' }], size: 2 };
    const [first, second] = (await search(body)).hits.hits;
    const found = (name: string): object => [{ first_name: [name] }];
    expect(first.fields).toEqual({ of_alias: found('John'), filtered: found('John'), of_pattern: found('John') });
    expect(second.fields).toEqual({ of_alias: found('Mike'), of_pattern: found('Mike') });
  });

  it('lead on to others, as far as a limit', async () => {
    const link = (field: string): object => ({
      type: 'lookup',
      target_index: 'chain',
      input_field: 'next',
      target_field: '_id',
      fetch_fields: ['name', field],
    });
    const properties = { name: keyword, next: keyword };
    const runtime = { one: link('two'), two: link('name'), endless: link('endless') };
    await node.put('/chain', { mappings: { properties, runtime } });
    await load('chain', [
      { name: 'a', next: '1' },
      { name: 'b', next: '2' },
      { name: 'c', next: '0' },
    ]);
    const body = (field: string): object => ({ query: { term: { name: 'a' } }, fields: [field], _source: false });
    const { hits } = await search(body('one'), 'chain');
    expect(hits.hits[0].fields).toEqual({ one: [{ name: ['b'], two: [{ name: ['c'] }] }] });
    const refused = await node.post('/chain/_search', body('endless'));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('fields of type [lookup] may lead to others at most [5] times');
  });

  it('ask for every value of a page once, and for no more than a limit', async () => {
    const values = Array.from({ length: 10_001 }, (_, n) => `v${n}`);
    await node.put('/many', { mappings: { properties: { v: keyword } } });
    await load('many', [{ v: values.slice(1) }, { v: values }, { v: ['john', 'john'] }, { v: 'john' }]);
    const author = { ...AUTHOR, input_field: 'v', fetch_fields: ['first_name'] };
    const body = { runtime_mappings: { author }, fields: ['author'], _source: false };
    const before = (await node.get('/authors/_stats/search')).json().indices.authors.total.search.query_total;
    const found = await search({ ...body, query: { term: { v: 'john' } } }, 'many');
    const JOHNS = [{ first_name: ['John'] }];
    expect(found.hits.hits.map(({ fields }: Json) => fields.author)).toEqual([[...JOHNS, ...JOHNS], JOHNS]);
    const after = (await node.get('/authors/_stats/search')).json().indices.authors.total.search.query_total;
    // One of each of the three shards.
    expect(after - before).toBe(3);
    const refused = await node.post('/many/_search', { ...body, query: { ids: { values: ['1'] } } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('at most [10000] may be looked up, but there are [10001]');
  });
});

describe('failures', () => {
  const body = (author: object): object => ({
    runtime_mappings: { author: { ...AUTHOR, ...author } },
    fields: ['author'],
  });

  it.each([
    ['a missing index', { target_index: 'no_such_index' }, 404, 'index_not_found_exception'],
    ['another cluster', { target_index: 'far:authors' }, 404, 'no_such_remote_cluster_exception'],
    ['a value that the target cannot have', { target_field: 'joined' }, 400, 'search_phase_execution_exception'],
  ])('of %s fail the search', async (_, author, status, cause) => {
    const answer = await node.post('/books/_search', body(author));
    expect([answer.status, answer.json().error]).toMatchObject([
      status,
      {
        type: 'search_phase_execution_exception',
        reason: 'failed to fetch lookup fields',
        phase: 'fetch_lookup_fields',
        caused_by: { type: cause },
      },
    ]);
  });

  it('of a field to look up by that is not mapped', async () => {
    const answer = await node.post('/books/_search', body({ input_field: 'barbaz' }));
    const why = '400 query_shard_exception: No field mapping can be found for the field with name [barbaz]';
    expect(refusal(answer)).toBe(why);
  });

  it('where expensive queries are not allowed', async () => {
    const settings = (value: boolean | null): Promise<Answer> =>
      node.put('/_cluster/settings', { persistent: { 'search.allow_expensive_queries': value } });
    await settings(false);
    const answer = await node.post('/books/_search', { fields: ['author'] });
    await settings(null);
    expect(refusal(answer)).toBe(
      '400 illegal_argument_exception: cannot be executed against lookup field [author] while [search.allow_expensive_queries] is set to [false].',
    );
  });

  it('of definitions', async () => {
    const { target_field: _, ...without } = AUTHOR;
    const answer = await node.post('/books/_search', { runtime_mappings: { author: without } });
    expect(refusal(answer)).toBe('400 illegal_argument_exception: [target_field] parameter must be specified');
    const made = await node.put('/refused', { mappings: { runtime: { author: { ...AUTHOR, boost: 2 } } } });
    expect(made.status).toBe(400);
    expect(made.text).toContain('unknown parameter [boost] on runtime field [author] of type [lookup]');
  });
});

describe('whatever else names such a field', () => {
  const query = (name: string, value: unknown): object => ({ query: { [name]: { author: value } } });
  const ILLEGAL = '400 illegal_argument_exception';
  const FAILED = '400 query_shard_exception: failed to create query';
  const NO_VALUES = `${ILLEGAL}: Fielddata is not supported on field [author] of type [lookup]`;
  const not = (kind: string, kinds: string): string =>
    `Can only use ${kind} queries on ${kinds} fields - not on [author] which is of type [lookup]`;

  it.each([
    [query('term', 'mike'), `${FAILED}: Cannot search on field [author] since it is a lookup field.`],
    [query('terms', ['mike']), `${FAILED}: Cannot search on field [author] since it is a lookup field.`],
    [query('match', 'mike'), `${FAILED}: Field [author] of type [lookup] does not support match queries`],
    [query('match_phrase', 'mike'), `${FAILED}: Field [author] of type [lookup] does not support match queries`],
    [query('range', { gte: 'a' }), `${FAILED}: Field [author] of type [lookup] does not support range queries`],
    [query('prefix', 'm'), `400 query_shard_exception: ${not('prefix', 'keyword, text and wildcard')}`],
    [query('wildcard', 'm*'), `400 query_shard_exception: ${not('wildcard', 'keyword, text and wildcard')}`],
    [query('regexp', 'm.*'), `400 query_shard_exception: ${not('regexp', 'keyword and text')}`],
    [{ sort: ['author'] }, NO_VALUES],
    [{ aggs: { a: { terms: { field: 'author' } } } }, NO_VALUES],
    [{ aggs: { a: { cardinality: { field: 'author' } } } }, NO_VALUES],
    [{ docvalue_fields: ['author'] }, NO_VALUES],
    [
      { collapse: { field: 'author' } },
      `${ILLEGAL}: collapse is not supported for the field [author] of the type [lookup]`,
    ],
  ])('%j is refused', async (body, why) => {
    expect(refusal(await node.post('/books/_search', body))).toBe(why);
    expect(refusal(await node.post('/books/_search', { ...body, runtime_mappings: { author: AUTHOR } }))).toBe(why);
  });

  it('scripts are refused', async () => {
    const answer = await node.post('/books/_search', { script_fields: { x: { script: "doc['author'].size()" } } });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Fielddata is not supported on field [author] of type [lookup]');
  });

  it('no document has it, and searches over all fields pass it over', async () => {
    const count = async (body: object): Promise<number> => (await node.post('/books/_count', body)).json().count;
    expect(await count({ query: { exists: { field: 'author' } } })).toBe(0);
    expect(await count({ query: { query_string: { query: 'mike' } } })).toBe(4);
    expect(await count({ query: { multi_match: { query: 'mike', fields: ['author*'] } } })).toBe(4);
    expect((await search({ docvalue_fields: ['auth*'], size: 1 })).hits.hits[0].fields).toEqual({
      author_id: ['john'],
    });
  });

  it('_validate tells it', async () => {
    const answer = (await node.post('/books/_validate/query?explain', query('term', 'mike'))).json();
    expect(answer.valid).toBe(false);
    expect(answer.explanations[0].error).toContain('Cannot search on field [author] since it is a lookup field.');
  });
});

describe('the mapping', () => {
  it('shows definitions and capabilities', async () => {
    const runtime = (await node.get('/books/_mapping')).json().books.mappings.runtime;
    expect(runtime).toEqual({
      author: { ...AUTHOR, fetch_fields: [{ field: 'first_name' }, { field: 'last_name' }] },
    });
    const { fields } = (await node.get('/books/_field_caps?fields=author')).json();
    expect(fields.author).toEqual({
      lookup: { type: 'lookup', metadata_field: false, searchable: false, aggregatable: false },
    });
    const asked = await node.post('/publishers/_field_caps?fields=author', { runtime_mappings: { author: AUTHOR } });
    expect(Object.keys(asked.json().fields.author)).toEqual(['lookup']);
  });

  it('changes while documents come, whose own values are passed over', async () => {
    await node.put('/changing', { mappings: { properties: { author_id: keyword } } });
    await node.put('/changing/_doc/1?refresh', { author_id: 'john' });
    const names = async (): Promise<unknown> =>
      (await search({ fields: ['author'], sort: ['_doc'] }, 'changing')).hits.hits.map(({ fields }: Json) => fields);
    const change = async (author: object | null): Promise<void> => {
      const answer = await node.put('/changing/_mapping', { runtime: { author } });
      expect(answer.status, answer.text).toBe(200);
    };
    await change(AUTHOR);
    expect(await names()).toEqual([{ author: [JOHN] }]);
    expect((await node.put('/changing/_doc/2?refresh', { author_id: 'jack', author: 'text' })).status).toBe(201);
    expect(await names()).toEqual([{ author: [JOHN] }, { author: [JACK] }]);
    await change({ ...AUTHOR, fetch_fields: ['last_name'] });
    expect(await names()).toEqual([{ author: [{ last_name: ['New York'] }] }, { author: [{ last_name: ['Austin'] }] }]);
    await change(null);
    expect((await node.get('/changing/_mapping')).json().changing.mappings.runtime).toBeUndefined();
    expect(await names()).toEqual([undefined, undefined]);
    expect((await node.put('/changing/_doc/3?refresh', { author_id: 'mike', author: 'text' })).status).toBe(201);
  });
});
