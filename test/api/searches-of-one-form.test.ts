/**
 * Searches that differ in nothing but their texts are answered as if each were understood anew. Requests with an escape in the body always are, so
 * each is asked once as it is and once with one. That forms are used at all is shown by test/actions/searches/search-forms-random.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const TEXTS = [
  ...[
    'quick fox',
    'lazy dog',
    'fox',
    'quick',
    'dog',
    'nothing',
    '',
    ' ',
    'or',
    'and',
    'title',
    '*',
    'a:b',
    '{}',
    '[],',
  ],
  ...['3', '3.0', '-0', '1e3', 'true', '2020-01-02', '2020-01-02||+1d', 'now', 'now-1d', 'Nowhere', '127.0.0.1'],
  ...['Über Grüße', '日本', '\u2028', 'say "fox"', 'back\\slash', 'tab\there', 'x'.repeat(2_000), 'fox '.repeat(1_500)],
];

const FORMS: Readonly<Record<string, (text: string) => Json>> = {
  match: (text) => ({ query: { match: { title: text } } }),
  'match with options': (query) => ({
    query: { match: { title: { query, operator: 'and', fuzziness: 'AUTO', boost: 2, _name: 'm' } } },
    highlight: { fields: { title: {} } },
    track_total_hits: 1,
  }),
  'match of a number': (text) => ({ query: { match: { n: text } } }),
  'match of a date': (query) => ({ query: { match: { at: { query, lenient: false } } } }),
  match_phrase: (text) => ({ query: { match_phrase: { title: text } }, _source: ['title'] }),
  match_phrase_prefix: (query) => ({ query: { match_phrase_prefix: { title: { query, slop: 1 } } } }),
  match_bool_prefix: (text) => ({ query: { match_bool_prefix: { title: text } }, explain: true }),
  multi_match: (query) => ({ query: { multi_match: { query, fields: ['title^2', 'tag'], type: 'best_fields' } } }),
  term: (text) => ({ query: { term: { tag: text } }, sort: ['n'] }),
  'term of a number': (value) => ({ query: { term: { n: { value } } } }),
  'term of an address': (value) => ({ query: { term: { ip: { value } } } }),
  'term without case': (value) => ({ query: { term: { tag: { value, case_insensitive: true } } } }),
  several: (text) => ({
    query: {
      bool: {
        must: [{ match: { title: text } }],
        filter: { terms: { tag: ['fox', 'dog'] } },
        must_not: { term: { tag: 'x' } },
      },
    },
  }),
  'several places': (text) => ({
    query: {
      bool: { should: [{ match: { title: text } }, { term: { tag: `${text}!` } }, { exists: { field: 'n' } }] },
    },
    post_filter: { match: { title: `${text} quick` } },
    aggs: { tags: { terms: { field: 'tag' } }, of: { filter: { term: { tag: `${text}?` } } } },
  }),
  'query twice': (text) => ({ query: { bool: { should: [{ match: { title: text } }, { match: { tag: text } }] } } }),
  rescore: (text) => ({
    query: { match_all: {} },
    rescore: { query: { rescore_query: { match_phrase: { title: text } } }, window_size: 5 },
  }),
  functions: (text) => ({
    query: {
      function_score: {
        query: { match: { title: 'fox' } },
        functions: [{ filter: { term: { tag: text } }, weight: 3 }],
      },
    },
  }),
  'highlighted otherwise': (text) => ({
    query: { match_all: {} },
    highlight: { fields: { title: { highlight_query: { match_phrase: { title: text } } } } },
  }),
  nested: (text) => ({
    query: { nested: { path: 'parts', query: { match: { 'parts.name': text } }, inner_hits: { size: 1 } } },
  }),
  'no hits': (text) => ({ size: 0, query: { match: { title: text } } }),
};

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    parts: { type: 'nested', properties: { name: { type: 'text' } } },
    title: { type: 'text' },
    tag: { type: 'keyword' },
    n: { type: 'long' },
    at: { type: 'date' },
    ip: { type: 'ip' },
  };
  for (const shards of [1, 3]) {
    const index = `forms-${shards}`;
    await node.put(`/${index}`, { settings: { number_of_shards: shards }, mappings: { properties } });
    for (let n = 0; n < 24; n++) {
      const title = ['The quick brown fox', 'lazy dog', 'quick dog, Über Grüße', '日本 fox'][n % 4];
      const at = `2020-01-0${1 + (n % 5)}`;
      await node.put(`/${index}/_doc/${n}`, {
        title,
        tag: ['fox', 'dog', 'Über', 'true'][n % 4],
        n,
        at,
        ip: `127.0.0.${n}`,
        parts: [{ name: title }, { name: 'fox' }],
      });
    }
    await node.post(`/${index}/_refresh`);
  }
  const add = { index: 'forms-1', alias: 'forms-alias', filter: { term: { tag: 'fox' } } };
  await node.post('/_aliases', { actions: [{ add }] });
});

afterAll(async () => {
  await node.stop();
});

async function answerTo(path: string, body: string): Promise<Json> {
  const { status, text } = await node.post(path, body);
  const answer = JSON.parse(text) as Json;
  delete answer['took'];
  return { status, answer };
}

describe.each(['forms-1', 'forms-3', 'forms-alias'])('searches of %s', (index) => {
  it.each(Object.keys(FORMS))('%s', async (name) => {
    for (const text of TEXTS) {
      const body = JSON.stringify(FORMS[name]?.(text));
      const [asItIs, anew] = [body, body.replace('"query"', String.raw`"qu\u0065ry"`)];
      const path = `/${index}/_search?preference=_local&pre_filter_shard_size=1`;
      expect(await answerTo(path, asItIs), `${name}: ${text}`).toEqual(await answerTo(path, anew));
    }
  });
});
