/** Fields of type `search_as_you_type`: their parts, and the queries that are put to these. Expected answers are OpenSearch's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    f: { type: 'search_as_you_type' },
    s: { type: 'search_as_you_type', analyzer: 'stop', max_shingle_size: 4 },
  };
  expect((await node.put('/typed', { mappings: { properties } })).status).toBe(200);
  const document = { f: ['a b c', 'd e f'] };
  expect((await node.put('/typed/_doc/1?refresh=true', document)).status).toBe(201);
});

afterAll(async () => {
  await node.stop();
});

async function tokens(field: string, text: readonly string[]): Promise<[string, number][]> {
  const answer = await node.post('/typed/_analyze', { field, text });
  expect(answer.status, answer.text).toBe(200);
  return answer.json().tokens.map(({ token, position }: Json) => [token, position]);
}

describe('_analyze', () => {
  it('shows words of several words', async () => {
    expect(await tokens('f._2gram', ['The Quick brown', 'fox jum'])).toEqual([
      ['the quick', 0],
      ['quick brown', 1],
      ['fox jum', 2],
    ]);
    expect(await tokens('f._3gram', ['The Quick brown', 'fox jum'])).toEqual([['the quick brown', 0]]);
    expect(await tokens('s._3gram', ['The Quick brown'])).toEqual([]);
  });

  it('shows their beginnings', async () => {
    expect(await tokens('f._index_prefix', ['ab c', 'd'])).toEqual([
      ['a', 0],
      ['ab', 0],
      ['ab ', 0],
      ['ab c', 0],
      ['ab c ', 0],
      ['c', 1],
      ['c ', 1],
      ['c  ', 1],
      ['d', 2],
      ['d ', 2],
      ['d  ', 2],
    ]);
  });

  it('tells of the analyzer of the field', async () => {
    const answer = await node.post('/typed/_analyze', { field: 'f._2gram', text: 'a b', explain: true });
    const [token] = answer.json().detail.analyzer.tokens;
    expect(token).toMatchObject({ token: 'a b', type: 'shingle', positionLength: 1 });
    expect(answer.json().detail.custom_analyzer).toBe(false);
  });

  it('takes no part from the request', async () => {
    const answer = await node.post('/typed/_analyze', { field: 'f', text: 'a', shingle: { size: 2, prefixes: false } });
    expect(answer.status).toBe(400);
  });
});

describe('queries', () => {
  it.each([
    ['a term among beginnings', { term: { 'f._index_prefix': 'a b' } }, 1],
    ['a prefix of several words', { prefix: { f: 'a b' } }, 1],
    ['a prefix of a part', { prefix: { 'f._2gram': 'b c' } }, 1],
    ['no prefix over the end of a value', { prefix: { f: 'c d' } }, 0],
    ['a prefix in upper case', { prefix: { f: { value: 'A B', case_insensitive: true } } }, 1],
    ['a long prefix', { prefix: { f: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' } }, 0],
    ['every prefix', { prefix: { f: '' } }, 1],
    ['as many words as the longest has', { match: { 'f._index_prefix': 'a b c' } }, 1],
    ['fewer', { match: { 'f._index_prefix': 'a b' } }, 0],
    ['parts of two values', { match_phrase: { 'f._2gram': 'a b c' } }, 1],
    ['a phrase', { match_phrase: { f: 'a b c' } }, 1],
    ['a phrase that is none', { match_phrase: { f: 'a c' } }, 0],
    ['a phrase over values', { match_phrase: { f: 'c d' } }, 0],
    ['a phrase with a slop', { match_phrase: { f: { query: 'a c', slop: 1 } } }, 1],
    ['the beginning of a phrase', { match_phrase_prefix: { f: 'd e f' } }, 1],
    ['no beginning of a phrase', { match_phrase_prefix: { f: 'd f' } }, 0],
    ['the beginning of a long phrase', { match_phrase_prefix: { f: 'a b c d' } }, 0],
    ['a last word that is too long', { match_phrase_prefix: { f: 'a b internationalizationxxxx' } }, 0],
    ['words of which the last begins one', { match_bool_prefix: { f: 'b a' } }, 1],
    [
      'positions of the parts go on behind a value',
      { span_near: { slop: 0, clauses: [{ span_term: { 'f._2gram': 'b c' } }, { span_term: { 'f._2gram': 'd e' } }] } },
      1,
    ],
  ])('%s', async (_, query, found) => {
    const answer = await node.post('/typed/_search', { query });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json().hits.total.value).toBe(found);
  });

  it.each([
    [{ match_phrase: { f: 'a b' } }, 0.13076457],
    [{ match_phrase_prefix: { f: 'a b' } }, 0.21508941],
    [{ match_phrase_prefix: { f: 'a b c' } }, 0.21508941],
    [{ match_phrase: { 'f._2gram': 'a b c' } }, 0.26152915],
    [{ prefix: { f: 'a b' } }, 1],
    [{ prefix: { 'f._index_prefix': 'a b' } }, 1],
    [{ prefix: { f: { value: 'a b', rewrite: 'scoring_boolean' } } }, 0.21508941],
    [{ match_bool_prefix: { f: 'b a' } }, 1.1307646],
  ])('%j scores %d', async (query, score) => {
    const answer = await node.post('/typed/_search', { query });
    expect(answer.json().hits.hits[0]._score).toBeCloseTo(score, 5);
  });

  it('no phrase among beginnings', async () => {
    const answer = await node.post('/typed/_search', { query: { match_phrase: { 'f._index_prefix': 'a b' } } });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(
      'Can only use phrase queries on text fields - not on [f._index_prefix] which is of type [prefix]',
    );
  });

  it('mark what they found in the part that they looked in', async () => {
    const highlight = { fields: { f: {}, 'f._2gram': {}, 'f._index_prefix': {} } };
    const marked = async (query: Json): Promise<unknown> =>
      (await node.post('/typed/_search', { query, highlight })).json().hits.hits[0].highlight;
    expect(await marked({ match_phrase: { f: 'a b' } })).toEqual({ 'f._2gram': ['<em>a b</em> c'] });
    expect(await marked({ match_bool_prefix: { f: 'b a' } })).toEqual({
      f: ['a <em>b</em> c'],
      'f._index_prefix': ['<em>a b c</em>'],
    });
  });

  it('fields tell their types', async () => {
    const { fields } = (await node.get('/typed/_field_caps?fields=f*')).json();
    const types = Object.entries(fields as Json).map(([name, types]) => [name, Object.keys(types as Json)]);
    expect(Object.fromEntries(types)).toMatchObject({
      f: ['search_as_you_type'],
      'f._2gram': ['search_as_you_type'],
      'f._3gram': ['search_as_you_type'],
      'f._index_prefix': ['prefix'],
    });
  });
});
