/** `retriever` of searches: the same documents as the members that it takes the place of find. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    t: { type: 'text' },
    k: { type: 'keyword' },
    n: { type: 'integer' },
    v: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' },
  };
  const settings = { number_of_shards: 2, number_of_replicas: 0 };
  expect((await node.put('/docs', { settings, mappings: { properties } })).status).toBe(200);
  const lines = Array.from({ length: 12 }, (_, n) => [
    { index: { _id: String(n) } },
    { t: `fox ${'and more '.repeat(n)}`, k: 'abc'[n % 3], n, v: [n, 1] },
  ]).flat();
  expect((await node.bulk('/docs/_bulk?refresh=true', lines)).json().errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

async function found(body: Json): Promise<Json> {
  const answer = await node.post('/docs/_search', body);
  expect(answer.text).toContain('"hits"');
  return answer.json();
}

async function refused(body: Json, parameters = ''): Promise<Json> {
  const answer = await node.post(`/docs/_search${parameters}`, body);
  expect(answer.status).toBe(400);
  return answer.json().error;
}

const FOX = { match: { t: 'fox' } };
const FEW = { range: { n: { lt: 7 } } };
const NEAREST = { field: 'v', query_vector: [4, 1], k: 3, num_candidates: 10 };

/** A retriever, and the members of a search that mean the same. */
const PAIRS: readonly (readonly [string, Json, Json])[] = [
  ['everything', { standard: {} }, { query: { match_all: {} } }],
  ['a query', { standard: { query: FOX } }, { query: FOX }],
  [
    'a query with filters',
    { standard: { query: FOX, filter: [FEW, { term: { k: 'a' } }] } },
    { query: { bool: { must: [FOX], filter: [FEW, { term: { k: 'a' } }] } } },
  ],
  ['a filter', { standard: { filter: FEW } }, { query: { bool: { filter: [FEW] } } }],
  [
    'a page of an order',
    { standard: { query: FOX, sort: [{ n: 'desc' }], search_after: [8] } },
    { query: FOX, sort: [{ n: 'desc' }], search_after: [8] },
  ],
  ['a least score', { standard: { query: FOX, min_score: 0.03 } }, { query: FOX, min_score: 0.03 }],
  ['a few', { standard: { query: FOX, terminate_after: 2 } }, { query: FOX, terminate_after: 2 }],
  [
    'the best of groups',
    { standard: { query: FOX, collapse: { field: 'k', inner_hits: { name: 'all', size: 2 } } } },
    { query: FOX, collapse: { field: 'k', inner_hits: { name: 'all', size: 2 } } },
  ],
  ['a name', { standard: { query: FOX, _name: 'foxes' } }, { query: { bool: { must: [FOX], _name: 'foxes' } } }],
  ['vectors', { knn: NEAREST }, { knn: NEAREST }],
  [
    'vectors that pass filters',
    { knn: { ...NEAREST, filter: [FEW, { term: { k: 'a' } }], similarity: 5, _name: 'near' } },
    { knn: { ...NEAREST, filter: [FEW, { term: { k: 'a' } }], similarity: 5, _name: 'near' } },
  ],
];

describe('a retriever', () => {
  it.each(PAIRS)('finds %s', async (_name, retriever, members) => {
    const [mine, other] = [await found({ retriever }), await found(members)];
    expect({ ...mine, took: 0 }).toEqual({ ...other, took: 0 });
    expect(mine.hits.hits.length).toBeGreaterThan(0);
  });

  it('stands beside pages, aggregations, a later filter and a least score', async () => {
    const more = {
      from: 1,
      size: 2,
      aggs: { groups: { terms: { field: 'k' } } },
      post_filter: FEW,
      min_score: 0.01,
      track_total_hits: true,
      fields: ['n'],
    };
    const mine = await found({ ...more, retriever: { standard: { query: FOX } } });
    const other = await found({ ...more, query: FOX });
    expect({ ...mine, took: 0 }).toEqual({ ...other, took: 0 });
    expect(mine.aggregations.groups.buckets).toHaveLength(3);
  });

  it('is part of msearch, points in time, templates, scrolls and async searches', async () => {
    const retriever = { standard: { query: FOX, filter: FEW } };
    const multiple = await node.bulk('/docs/_msearch', [{}, { retriever }, {}, { retriever: { knn: NEAREST } }]);
    expect(multiple.json().responses.map((answer: Json) => answer.hits.total.value)).toEqual([7, 3]);
    const { id } = (await node.post('/docs/_pit?keep_alive=1m')).json();
    const pit = await node.post('/_search', { pit: { id }, retriever });
    expect(pit.json().hits.total.value).toBe(7);
    const source = '{"retriever":{"standard":{"query":{"match":{"t":"{{word}}"}}}}}';
    const templated = await node.post('/docs/_search/template', { source, params: { word: 'fox' } });
    expect(templated.json().hits.total.value).toBe(12);
    const scrolled = await node.post('/docs/_search?scroll=1m', { retriever, size: 2 });
    expect(scrolled.json().hits.hits).toHaveLength(2);
    const async = await node.post('/docs/_async_search?wait_for_completion_timeout=10s', { retriever });
    expect(async.json().response.hits.total.value).toBe(7);
  });

  it.each<[Json, string]>([
    [{ query: FOX }, 'query'],
    [{ knn: NEAREST, query: FOX }, 'query, knn'],
    [{ sort: ['n'], search_after: [1], terminate_after: 3 }, 'search_after, terminate_after, sort'],
    [{ rescore: { query: { rescore_query: FOX } } }, 'rescore'],
  ])('does not stand beside %j', async (members, names) => {
    const { type, reason } = await refused({ ...members, retriever: { standard: {} } });
    expect({ type, reason }).toEqual({
      type: 'action_request_validation_exception',
      reason: `Validation Failed: 1: cannot specify [retriever] and [${names}];`,
    });
  });

  it('does not stand beside a query of the query string', async () => {
    expect((await refused({ retriever: { standard: {} } }, '?q=fox')).reason).toContain('[retriever] and [query]');
  });

  it.each<[Json, string, string]>([
    [5, 'parsing_exception', 'Unknown key for a VALUE_NUMBER in [retriever].'],
    [{}, 'parsing_exception', 'retriever malformed, empty clause found'],
    [{ standard: 1 }, 'parsing_exception', '[standard] retriever malformed, no [START_OBJECT] after retriever name'],
    [{ standrad: {} }, 'parsing_exception', 'unknown retriever [standrad] did you mean [standard]?'],
    [
      { standard: {}, knn: NEAREST },
      'parsing_exception',
      '[standard] malformed retriever, expected [END_OBJECT] but found [FIELD_NAME]',
    ],
    [{ standard: { size: 3 } }, 'x_content_parse_exception', '[1:34] [standard] unknown field [size]'],
    [{ standard: { query: { mach: {} } } }, 'parsing_exception', 'unknown query [mach] did you mean [match]?'],
    [{ rrf: { retrievers: [] } }, 'illegal_argument_exception', '[rrf] retriever is not supported'],
    [{ linear: {} }, 'illegal_argument_exception', '[linear] retriever is not supported'],
    [{ rule: {} }, 'illegal_argument_exception', '[rule] retriever is not supported'],
    [{ text_similarity_reranker: {} }, 'illegal_argument_exception', '[text_similarity_reranker] retriever is not'],
    [{ knn: { field: 'v', query_vector: [1, 1] } }, 'illegal_argument_exception', 'Required [k, num_candidates]'],
    [{ knn: { ...NEAREST, boost: 2 } }, 'x_content_parse_exception', '[knn] unknown field [boost]'],
    [
      { knn: { ...NEAREST, query_vector_builder: {} } },
      'illegal_argument_exception',
      '[knn] does not support [query_vector_builder]',
    ],
  ])('is refused as %j', async (retriever, type, reason) => {
    const error = await refused({ retriever });
    expect(error.type).toBe(type);
    expect(error.reason).toContain(reason);
  });
});
