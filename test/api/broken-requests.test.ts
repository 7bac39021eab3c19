/** Searches with one thing wrong: each is refused with a sentence that names it. Found by `npm run bench -- compare`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    title: { type: 'text' },
    tag: { type: 'keyword' },
    kind: { type: 'constant_keyword', value: 'thing' },
    line: { type: 'wildcard' },
    small: { type: 'short' },
    large: { type: 'long' },
    half: { type: 'half_float' },
    place: { type: 'geo_point' },
  };
  await node.put('/broken', { mappings: { properties } });
  await node.put('/broken/_doc/1?refresh', { title: 'amber', tag: 'x', small: 1, large: 2, half: 0.5 });
});

afterAll(async () => {
  await node.stop();
});

const MATCH = { term: { tag: 'x' } };
const TERM = { span_term: { title: 'amber' } };
const HUGE = 98_765_432_109;

it.each<[string, unknown, string]>([
  ['a window below nothing', { rescore: { window_size: -7, query: { rescore_query: MATCH } } }, 'window_size'],
  ['a highlighted field without options', { highlight: { fields: { title: null } } }, 'highlight_field'],
  [
    'nothing for what is missing',
    { aggs: { a: { avg: { field: 'small', missing: null } } } },
    '[missing] must not be null',
  ],
  ['terms that are nothing', { query: { terms_set: { tag: { terms: [null], minimum_should_match: 1 } } } }, 'No value'],
  [
    'an unknown query in a span',
    { query: { span_or: { clauses: [{ unheard_of: {} }] } } },
    'unknown query [unheard_of]',
  ],
  ['another query in a span', { query: { span_or: { clauses: [MATCH] } } }, 'must be of type span query'],
  [
    'something beside a span',
    { query: { span_or: { clauses: [{ ...TERM, unheard_of: 1 }] } } },
    '[span_term] malformed query, expected [END_OBJECT]',
  ],
  ['an operator in a name', { query: { query_string: { query: 't*:amber' } } }, 't*:amber'],
  ['an end beyond a short', { query: { range: { small: { gt: HUGE } } } }, `[${HUGE}] is out of range for an integer`],
  ['an end beyond a long', { query: { range: { large: { lte: 1e30 } } } }, 'is out of range for a long'],
  ['an end beyond half a float', { query: { range: { half: { gt: 65_520 } } } }, 'is out of range for a half_float'],
  ['a collapse by a constant', { collapse: { field: 'kind' } }, 'constant_keyword'],
  ['a collapse by lines', { collapse: { field: 'line' } }, 'wildcard'],
  [
    'a latitude that is none',
    { query: { geo_distance: { distance: '1km', place: { lat: 'unheard_of', lon: 1 } } } },
    'lat',
  ],
])('%s', async (_name, body, told) => {
  const answer = await node.post('/broken/_search', body);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(told)]);
  expect((answer.json() as Json).error.root_cause).toHaveLength(1);
});

it('counts to more than an int can', async () => {
  const aggs = { a: { terms: { field: 'tag', min_doc_count: HUGE } } };
  const answer = await node.post('/broken/_search', { size: 0, aggs });
  expect(answer.json().aggregations.a.buckets).toEqual([]);
  const beyond = await node.post('/broken/_search', { aggs: { a: { terms: { field: 'tag', min_doc_count: 1e18 } } } });
  expect([beyond.status, beyond.text]).toEqual([400, expect.stringContaining('out of range of long')]);
});
