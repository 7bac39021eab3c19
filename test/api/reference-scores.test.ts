/** Scores, counts and cuts of the reference that its documentation does not tell: found by random requests (`npm run bench -- compare`). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const DOCUMENTS = [
  { title: 'amber stone', note: 'the amber and the amber stone', label: 'x', pattern: 'one', size: 3 },
  { title: 'stone', note: ['amber stone', 'stone of the river bank'], label: 'y', pattern: 'two', size: 1 },
  { title: 'the river', note: 'stone river', label: 'y', other: 'x', size: 2 },
  { title: 'jumped', note: 'a long way to the river and to the stone bridge behind it', size: 4 },
];

beforeAll(async () => {
  node = await TestNode.start();
  const english = { type: 'text', analyzer: 'english' };
  const keyword = { type: 'keyword' };
  const properties = {
    title: { type: 'text', fields: { english, exact: { type: 'text', analyzer: 'whitespace' } } },
    note: { type: 'text', term_vector: 'with_positions_offsets' },
    label: keyword,
    other: keyword,
    kind: { type: 'constant_keyword', value: 'thing' },
    pattern: { type: 'wildcard' },
    size: { type: 'integer' },
    day: { type: 'date' },
    parts: { type: 'nested', properties: { name: keyword } },
  };
  await node.put('/scores', { settings: { number_of_shards: 1 }, mappings: { properties } });
  const lines = DOCUMENTS.flatMap((document, at) => [{ index: { _id: String(at) } }, document]);
  await node.bulk('/scores/_bulk?refresh', lines);
});

afterAll(async () => {
  await node.stop();
});

async function search(body: unknown): Promise<Json> {
  const answer = await node.post('/scores/_search', body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json();
}

async function scores(query: unknown): Promise<Record<string, number>> {
  const { hits } = await search({ query });
  return Object.fromEntries(hits.hits.map((hit: Json) => [hit._id, hit._score]));
}

async function ids(query: unknown): Promise<string[]> {
  return Object.keys(await scores(query)).sort();
}

async function refusal(body: unknown): Promise<string> {
  const answer = await node.post('/scores/_search', body);
  expect(answer.status).toBe(400);
  return answer.json().error.root_cause[0].reason;
}

/** The weight of a term that so many of so many documents have. */
const idf = (docFreq: number, docCount: number): number => Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5));

/** What is left of a score when its inverse document frequency is divided out. */
async function termFrequency(field: string, word: string, docFreq: number): Promise<Record<string, number>> {
  const found = await scores({ term: { [field]: word } });
  return Object.fromEntries(Object.entries(found).map(([id, score]) => [id, score / idf(docFreq, 4)]));
}

it('takes rarer terms of cross_fields for more common ones', async () => {
  const found = await scores({ multi_match: { query: 'stone', fields: ['title', 'note'], type: 'cross_fields' } });
  // Four documents have it in their notes and two in their titles, which count for four as well: no field is in more.
  const [title, note] = [await termFrequency('title', 'stone', 2), await termFrequency('note', 'stone', 4)];
  for (const id of ['0', '1']) expect(found[id]).toBeCloseTo(Math.max(title[id] ?? 0, note[id] ?? 0) * idf(4, 4), 5);
  expect(found['3']).toBeCloseTo((note['3'] ?? 0) * idf(4, 4), 5);
});

it('counts keywords without a normalizer as one group of cross_fields', async () => {
  const fields = ['label', 'other', 'title'];
  const cross = (tie_breaker: number): unknown => ({
    multi_match: { query: 'x', fields, type: 'cross_fields', tie_breaker },
  });
  const [apart, together] = [await scores(cross(0)), await scores(cross(1))];
  expect(apart).toEqual(together);
  // One of three labels is x, and one of one other.
  const label = await scores({ term: { label: 'x' } });
  expect(together['0']).toBeCloseTo(label['0'] ?? 0, 6);
});

it('boosts liked terms by the least telling of them', async () => {
  const like = { like: 'stone jumped', fields: ['title'], min_term_freq: 1, min_doc_freq: 1 };
  const found = await scores({ more_like_this: { ...like, boost_terms: 2, minimum_should_match: 1 } });
  const weight = (docFreq: number): number => Math.log(5 / (docFreq + 1)) + 1;
  const [stone, jumped] = [await scores({ term: { title: 'stone' } }), await scores({ term: { title: 'jumped' } })];
  expect(found['1']).toBeCloseTo(2 * (stone['1'] ?? 0), 5);
  expect(found['3']).toBeCloseTo(((2 * weight(1)) / weight(2)) * (jumped['3'] ?? 0), 5);
});

it('normalizes fuzzy words of query strings and does not analyse them', async () => {
  for (const kind of ['query_string', 'simple_query_string']) {
    expect(await ids({ [kind]: { query: 'JUMPED~1', fields: ['title'] } })).toEqual(['3']);
    // The index has [jump], which is two edits away.
    expect(await ids({ [kind]: { query: 'jumped~1', fields: ['title.english'] } })).toEqual([]);
    expect(await ids({ [kind]: { query: 'jumped~2', fields: ['title.english'] } })).toEqual(['3']);
  }
});

it('breaks ties of fuzzy words and phrases as the query string says', async () => {
  const of = async (query: string, tie_breaker: number): Promise<number> => {
    const found = await scores({ query_string: { query, fields: ['title', 'note'], tie_breaker } });
    return found['0'] ?? 0;
  };
  for (const [query, plain] of [
    ['ambe~1', { fuzzy: { title: { value: 'ambe', fuzziness: 1 } } }],
    ['"amber stone"', { match_phrase: { title: 'amber stone' } }],
  ] as const) {
    const [title = 0] = [(await scores(plain))['0']];
    expect(await of(query, 1)).toBeGreaterThan((await of(query, 0)) + 1e-3);
    expect(await of(query, 1)).toBeGreaterThan(title);
  }
});

it('takes the best field for a phrase of a simple query string', async () => {
  const fields = ['title', 'note'];
  const found = await scores({ simple_query_string: { query: '"amber stone"', fields } });
  const [title, note] = [
    await scores({ match_phrase: { title: 'amber stone' } }),
    await scores({ match_phrase: { note: 'amber stone' } }),
  ];
  expect(found['0']).toBeCloseTo(Math.max(title['0'] ?? 0, note['0'] ?? 0), 5);
});

it('asks for nothing where a word that is excluded analyses to nothing', async () => {
  const fields = ['title.english'];
  expect(await ids({ simple_query_string: { query: '-the', fields } })).toEqual([]);
  expect(await ids({ simple_query_string: { query: '-stone', fields } })).toEqual(['2', '3']);
  expect(await ids({ simple_query_string: { query: 'river + -the', fields } })).toEqual(['2']);
});

it('looks for quoted texts in fields with the suffix', async () => {
  const only = { fields: ['title', 'note'], quote_field_suffix: '.exact' };
  for (const kind of ['query_string', 'simple_query_string']) {
    const asked = { [kind]: { query: '"The river"', ...only } };
    expect(await ids({ [kind]: { query: '"The river"', fields: ['title'] } })).toEqual(['2']);
    expect(await ids(asked)).toEqual(['1', '3']);
  }
});

it('takes a repeated interval for as wide as one of its parts', async () => {
  const ordered = (query: string): unknown => ({ intervals: { note: { match: { query, ordered: true } } } });
  const found = await scores(ordered('amber amber'));
  expect(found).toEqual(await scores({ intervals: { note: { match: { query: 'amber amber' } } } }));
  // Four places wide where one is the least: 1 / (4 - 1 + 1), which is saturated at 1.
  expect(found['0']).toBeCloseTo(0.25 / 1.25, 6);
});

it('is a filter where the boost is nothing', async () => {
  const functions = [{ weight: 3 }];
  expect((await scores({ function_score: { functions, boost_mode: 'sum', boost: 0 } }))['0']).toBe(0);
  expect(await ids({ function_score: { functions, min_score: 2, boost: 0 } })).toEqual(['0', '1', '2', '3']);
});

it('tells the best score of a sort that begins with it alone', async () => {
  const best = async (sort: unknown, track_scores = false): Promise<unknown> => {
    const { hits } = await search({ query: { match: { note: 'river' } }, sort, track_scores });
    return hits.max_score;
  };
  expect(await best(['_score'])).toEqual(expect.any(Number));
  expect(await best([{ _score: 'asc' }])).toBeNull();
  expect(await best([{ size: 'asc' }, '_score'])).toBeNull();
  expect(await best([{ _score: 'asc' }], true)).toEqual(expect.any(Number));
});

it('sorts fields that are not mapped by what stands for missing numbers', async () => {
  const first = async (options: object): Promise<unknown> => {
    const { hits } = await search({ sort: [{ absent: options }], size: 1 });
    return hits.hits[0].sort[0];
  };
  expect(await first({ unmapped_type: 'keyword' })).toBeNull();
  expect(await first({ unmapped_type: 'long', missing: 5 })).toBe(5);
  expect(await first({ unmapped_type: 'date', order: 'desc' })).toBeLessThan(-9e18);
  expect(await first({ unmapped_type: 'double' })).toBe('Infinity');
});

it('takes the first keys of a shard for those of all', async () => {
  const terms = { field: 'size', order: { _key: 'asc' }, size: 1 };
  const { aggregations } = await search({ size: 0, aggs: { a: { terms: { ...terms, min_doc_count: 2 } } } });
  expect(aggregations.a).toMatchObject({ sum_other_doc_count: 3, buckets: [] });
});

it('tells of terms that no match has, also where nothing matches', async () => {
  const aggs = { a: { terms: { field: 'label', min_doc_count: 0 } } };
  for (const query of [{ match_none: {} }, { term: { label: 'z' } }]) {
    const { aggregations } = await search({ size: 0, query, aggs });
    expect(aggregations.a.buckets.map(({ key, doc_count }: Json) => [key, doc_count])).toEqual([
      ['x', 0],
      ['y', 0],
    ]);
  }
});

it('prints bounds in an object of their own, and no sums of nothing', async () => {
  const extended_stats = { field: 'size', format: '0.0' };
  const { aggregations } = await search({ size: 0, aggs: { a: { extended_stats } } });
  expect(aggregations.a.std_deviation_bounds_as_string.upper).toMatch(/^\d\.\d$/);
  expect(Object.keys(aggregations.a.std_deviation_bounds)).not.toContain('upper_as_string');
  const nothing = await search({ size: 0, aggs: { a: { stats: { field: 'day' } } } });
  expect(nothing.aggregations.a).toEqual({ count: 0, min: null, max: null, avg: null, sum: 0 });
});

it('sorts and buckets by wildcard fields', async () => {
  const { hits, aggregations } = await search({
    sort: [{ pattern: 'desc' }],
    aggs: { a: { terms: { field: 'pattern', order: { _key: 'asc' } } } },
  });
  expect(hits.hits.map(({ sort }: Json) => sort[0])).toEqual(['two', 'one', null, null]);
  expect(aggregations.a.buckets.map(({ key }: Json) => key)).toEqual(['one', 'two']);
});

it.each(['label', 'kind', 'size'])('refuses the beginnings of phrases in %s, which is no text', async (field) => {
  const reason = `Can only use phrase prefix queries on text fields - not on [${field}]`;
  expect(await refusal({ query: { match_phrase_prefix: { [field]: '1' } } })).toContain(reason);
  const multi_match = { query: '1', fields: [field], type: 'phrase_prefix' };
  expect(await refusal({ query: { multi_match } })).toContain(reason);
  expect(await ids({ multi_match: { ...multi_match, lenient: true } })).toEqual([]);
});

it('shows a field once that is asked for in two ways', async () => {
  const { hits } = await search({ query: { ids: { values: ['0'] } }, fields: ['size'], docvalue_fields: ['size'] });
  expect(hits.hits[0].fields).toEqual({ size: [3] });
});

it('tells of queries that rescore, and of the last of several with one name', async () => {
  const rescore_query = { match: { note: { query: 'bridge', _name: 'again' } } };
  const named = (note: string): unknown => ({ match: { note: { query: note, _name: 'one' } } });
  const { hits } = await search({
    query: { bool: { should: [named('river'), named('bridge')] } },
    sort: ['_score'],
    size: 4,
  });
  const shown = Object.fromEntries(hits.hits.map((hit: Json) => [hit._id, hit.matched_queries]));
  expect(shown).toEqual({ 1: undefined, 2: undefined, 3: ['one'] });
  const again = await search({ query: { match: { note: 'river' } }, rescore: { query: { rescore_query } } });
  const names = Object.fromEntries(again.hits.hits.map((hit: Json) => [hit._id, hit.matched_queries]));
  expect(names).toEqual({ 1: undefined, 2: undefined, 3: ['again'] });
});

async function highlight(id: string, query: unknown, options: object): Promise<unknown> {
  const { hits } = await search({
    query: { bool: { must: query, filter: { ids: { values: [id] } } } },
    highlight: { fields: { note: options }, pre_tags: '<', post_tags: '>', highlight_query: query },
  });
  return hits.hits[0].highlight?.note;
}

it('marks phrases as one and keeps to values with term vectors', async () => {
  const phrase = { match_phrase: { note: 'stone bridge' } };
  expect(await highlight('3', phrase, { type: 'fvh', fragment_size: 30 })).toEqual([
    'and to the <stone bridge> behind it',
  ]);
  const words = { match: { note: 'stone' } };
  expect(await highlight('1', words, { type: 'fvh' })).toEqual(['amber <stone>', '<stone> of the river bank']);
  expect(await highlight('1', words, { type: 'fvh', number_of_fragments: 0 })).toEqual([
    'amber <stone>',
    '<stone> of the river bank',
  ]);
});

it('refuses fragments with no room before what was found', async () => {
  const fields = { note: { type: 'fvh', fragment_size: 17 } };
  const reason = 'fragCharSize(17) is too small. It must be 18 or higher.';
  expect(await refusal({ query: { match: { note: 'stone' } }, highlight: { fields } })).toBe(reason);
});

it('shows whole words where nothing was found', async () => {
  const nothing = { match: { note: 'nowhere' } };
  const found = async (options: object): Promise<unknown> => {
    const highlighted = { fields: { note: { ...options, no_match_size: 8 } }, highlight_query: nothing };
    const { hits } = await search({ query: { ids: { values: ['3'] } }, highlight: highlighted });
    return hits.hits[0].highlight?.note;
  };
  expect(await found({ type: 'fvh' })).toEqual(['a long way']);
  expect(await found({ type: 'fvh', boundary_scanner: 'word' })).toEqual(['a long way']);
  expect(await found({ type: 'plain' })).toEqual(['a long']);
});

it('orders plain fragments by value, and by score where it is asked to', async () => {
  const query = { match: { note: 'stone river bank' } };
  const plain = { type: 'plain', number_of_fragments: 5 };
  expect(await highlight('1', query, plain)).toEqual(['amber <stone>', '<stone> of the <river> <bank>']);
  expect(await highlight('1', query, { ...plain, order: 'score' })).toEqual([
    '<stone> of the <river> <bank>',
    'amber <stone>',
  ]);
});
