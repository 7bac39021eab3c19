import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/one', {
    mappings: { properties: { t: { type: 'text' }, k: { type: 'keyword' }, n: { type: 'long' }, d: { type: 'date' } } },
  });
  await node.put('/one/_doc/1?refresh', { t: 'word', k: 'word', n: 1, d: '2020-01-01' });
});

afterAll(async () => {
  await node.stop();
});

describe('a search body', () => {
  it.each<[unknown, string, string]>([
    [{ qurey: {} }, 'parsing_exception', 'Unknown key for a START_OBJECT in [qurey].'],
    [{ query: {} }, 'illegal_argument_exception', 'query malformed, empty clause found'],
    [{ query: { mach: { t: 'x' } } }, 'parsing_exception', 'unknown query [mach] did you mean [match]?'],
    [
      { query: { match: { t: 'x', k: 'y' } } },
      'parsing_exception',
      "[match] query doesn't support multiple fields, found [t] and [k]",
    ],
    [
      { query: { match: { t: { query: 'x', oprator: 'and' } } } },
      'parsing_exception',
      '[match] query does not support [oprator]',
    ],
    [{ query: { match: { t: { operator: 'and' } } } }, 'parsing_exception', 'No text specified for text query'],
    [{ query: { term: { k: ['a', 'b'] } } }, 'parsing_exception', '[term] query does not support array of values'],
    [{ query: { terms: { k: 'a' } } }, 'parsing_exception', '[terms] query'],
    [{ query: { range: { n: { gte: 1, above: 3 } } } }, 'parsing_exception', '[range] query does not support [above]'],
    [{ query: { range: { n: 5 } } }, 'parsing_exception', '[range]'],
    [{ query: { bool: { musst: [] } } }, 'parsing_exception', '[musst]'],
    [{ query: { exists: {} } }, 'parsing_exception', '[exists] must be provided with a [field]'],
    [{ query: { ids: { values: [{}] } } }, 'parsing_exception', 'must be a string'],
    [{ query: { constant_score: {} } }, 'parsing_exception', "[constant_score] requires a 'filter' element"],
    [{ query: { match: { t: { query: 'x', fuzziness: 'MANY' } } } }, 'illegal_argument_exception', 'fuzziness'],
    [{ query: { match: { t: { query: 'x', boost: -1 } } } }, 'illegal_argument_exception', 'negative [boost]'],
    [{ size: -1 }, 'illegal_argument_exception', '[size] parameter cannot be negative, found [-1]'],
    [{ from: -1 }, 'illegal_argument_exception', '[from] parameter cannot be negative'],
    [
      { from: 9_999, size: 10 },
      'illegal_argument_exception',
      'Result window is too large, from + size must be less than or equal to: [10000] but was [10009]',
    ],
    [{ size: 2 ** 31 }, 'input_coercion_exception', 'Numeric value (2147483648) out of range of int'],
    [{ terminate_after: -1 }, 'illegal_argument_exception', 'terminateAfter must be > 0'],
    [{ timeout: 'soon' }, 'illegal_argument_exception', '[timeout]'],
    [{ sort: [{ n: 'upward' }] }, 'illegal_argument_exception', 'UPWARD'],
    [{ search_after: [1] }, 'illegal_argument_exception', 'Sort must contain at least one field.'],
    [
      { sort: ['n'], search_after: [1, 2] },
      'illegal_argument_exception',
      'search_after has 2 value(s) but sort has 1.',
    ],
    [{ sort: ['n'], search_after: [1], from: 1 }, 'illegal_argument_exception', '`from` parameter must be set to 0'],
    [
      { docvalue_fields: Array.from({ length: 101 }, (_, n) => `f${n}`) },
      'illegal_argument_exception',
      'Trying to retrieve too many docvalue_fields',
    ],
    [{ suggest: { a: {} } }, 'parse_exception', 'missing suggestion object'],
    [{ rescore: {} }, 'parsing_exception', 'missing rescore type'],
    [{ aggs: { a: { nonsense: {} } } }, 'parsing_exception', 'Unknown aggregation type [nonsense]'],
    [{ aggs: { 'a]': { max: { field: 'n' } } } }, 'parsing_exception', 'Invalid aggregation name [a]]'],
    [{ aggs: { a: {} } }, 'parsing_exception', 'Missing definition for aggregation [a]'],
  ])('%j is refused', async (body, type, reason) => {
    const refused = await node.post('/one/_search', body);
    const { error } = refused.json();
    expect([refused.status, error.root_cause[0].type, error.root_cause[0].reason]).toEqual([
      400,
      type,
      expect.stringContaining(reason),
    ]);
  });

  it('is refused with line and column', async () => {
    const body = '{\n  "query": {\n    "match": { "t": { "query": "x", "nope": 1 } }\n  }\n}';
    const refused = await node.post('/one/_search', body);
    expect(refused.json().error.root_cause[0]).toEqual({
      type: 'parsing_exception',
      reason: '[match] query does not support [nope]',
      line: 3,
      col: 45,
    });
  });

  it.each([
    '{"query":',
    '[]',
    '"x"',
    '{"query":{"match_all":{}}} x',
    '{"size":01}',
    '{"query":{"term":{"k":"\\ud800"}}}',
  ])('that is malformed is refused: %s', async (body) => {
    for (const path of ['/one/_search', '/one/_count']) {
      const refused = await node.post(path, body);
      expect([path, refused.status]).toEqual([path, 400]);
      expect(refused.json().error.reason).not.toBe('');
    }
  });

  it('of many clauses is bounded', async () => {
    const should = Array.from({ length: 1_025 }, (_, n) => ({ term: { k: `w${n}` } }));
    const refused = await node.post('/one/_search', { query: { bool: { should } } });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.json().error)).toMatch(/too many|maxClauseCount/i);
    const phrases = Array.from({ length: 600 }, (_, n) => ({ match_phrase: { t: `a word ${n}` } }));
    const counted = await node.post('/one/_search', { query: { bool: { should: phrases } } });
    expect([counted.status, counted.json().hits?.total.value]).toEqual([200, 0]);
    const values = Array.from({ length: 65_537 }, (_, n) => `w${n}`);
    const terms = await node.post('/one/_search', { query: { terms: { k: values } } });
    expect([terms.status, terms.json().error.root_cause[0].reason]).toEqual([
      400,
      expect.stringContaining('[index.max_terms_count]'),
    ]);
  });
});

describe('values that do not fit their field', () => {
  it.each<[unknown, string]>([
    [{ term: { n: 'x' } }, 'For input string: "x"'],
    [{ range: { n: { gte: 'x' } } }, 'For input string: "x"'],
    [{ term: { d: 'soon' } }, 'failed to parse date field [soon]'],
    [{ match: { n: 'many words' } }, 'For input string: "many words"'],
    [
      { prefix: { n: '1' } },
      'Can only use prefix queries on keyword, text and wildcard fields - not on [n] which is of type [long]',
    ],
    [
      { wildcard: { d: '2*' } },
      'Can only use wildcard queries on keyword, text and wildcard fields - not on [d] which is of type [date]',
    ],
    [{ match_phrase: { n: { query: 'x', slop: 1 } } }, 'x'],
  ])('%j is a shard failure with status 400', async (query, reason) => {
    const refused = await node.post('/one/_search', { query });
    expect([refused.status, refused.json().error]).toMatchObject([
      400,
      {
        type: 'search_phase_execution_exception',
        reason: 'all shards failed',
        failed_shards: [{ index: 'one', shard: 0 }],
      },
    ]);
    expect(JSON.stringify(refused.json().error)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  it('fail only the shards that they do not fit', async () => {
    await node.put('/two', { mappings: { properties: { n: { type: 'keyword' } } } });
    await node.put('/two/_doc/1?refresh', { n: 'x' });
    const answer = (await node.post('/one,two/_search', { query: { term: { n: 'x' } } })).json();
    expect(answer._shards).toMatchObject({ total: 2, successful: 1, failed: 1, failures: [{ index: 'one' }] });
    expect(answer.hits.total.value).toBe(1);
    const strict = await node.post('/one,two/_search?allow_partial_search_results=false', {
      query: { term: { n: 'x' } },
    });
    expect(strict.status).toBe(400);
  });
});

describe('query parameters', () => {
  it.each([
    ['siz=1', 'unrecognized parameter: [siz] -> did you mean [size]?'],
    ['size=x', 'Failed to parse int parameter [size] with value [x]'],
    ['size=-1', '[size] parameter cannot be negative'],
    ['search_type=count', 'No search type for [count]'],
    ['batched_reduce_size=1', 'batchedReduceSize must be >= 2'],
    ['preference=_nowhere', 'no Preference for [_nowhere]'],
    ['track_total_hits=maybe', 'maybe'],
    ['q=t:(word', 'Failed to parse query [t:(word]'],
    [
      'rest_total_hits_as_int=true&track_total_hits=3',
      '[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got 3',
    ],
    ['expand_wildcards=most', 'most'],
  ])('%s is refused', async (query, reason) => {
    const refused = await node.get(`/one/_search?${query}`);
    expect([refused.status, JSON.stringify(refused.json().error)]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('searches by q', async () => {
    for (const [q, found] of [
      ['t:word', 1],
      ['word', 1],
      ['t:word AND n:[2 TO *]', 0],
      ['k:wor*', 1],
    ] as const) {
      const answer = await node.get(`/one/_search?q=${encodeURIComponent(q)}`);
      expect([q, answer.json().hits.total.value]).toEqual([q, found]);
    }
  });

  it('refuses closed indices', async () => {
    await node.put('/shut');
    await node.post('/shut/_close');
    const refused = await node.get('/shut/_search');
    expect([refused.status, refused.json().error.type]).toEqual([400, 'index_closed_exception']);
  });
});
