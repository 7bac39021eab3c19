/** Searches written as mustache templates, and the evaluation of rankings that may be written so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/books', { mappings: { properties: { title: { type: 'text' }, year: { type: 'integer' } } } });
  const books = [
    ['1', 'sea of stars', 1990],
    ['2', 'stars and stripes', 2000],
    ['3', 'deep sea', 2010],
  ] as const;
  const lines = books.flatMap(([_id, title, year]) => [{ index: { _id } }, { title, year }]);
  await node.bulk('/books/_bulk?refresh=true', lines);
});
afterAll(() => node.stop());

function ids(answer: Json): readonly string[] {
  return answer.hits.hits.map((hit: Json) => hit._id).sort();
}

const byTitle = { query: { match: { title: '{{title}}' } }, size: '{{size}}{{^size}}10{{/size}}' };

describe('_search/template', () => {
  test('carries out what a template makes', async () => {
    const answer = await node.post('/books/_search/template', { source: byTitle, params: { title: 'stars' } });
    expect(answer.status).toBe(200);
    expect(ids(answer.json())).toEqual(['1', '2']);
    const one = await node.post('/_search/template?rest_total_hits_as_int=true', {
      source: byTitle,
      params: { title: 'stars', size: 1 },
    });
    expect(one.json().hits.total).toBe(2);
    expect(one.json().hits.hits).toHaveLength(1);
  });

  test('takes a template as text, with conditions and lists', async () => {
    const source =
      '{"query":{"bool":{"must":[{"match":{"title":"{{title}}"}}]{{#since}},"filter":[{"range":{"year":{"gte":{{since}}}}}]{{/since}}}},' +
      '"sort":{{#toJson}}order{{/toJson}}}';
    const params = { title: 'stars', order: [{ year: 'desc' }] };
    const all = await node.post('/books/_search/template', { source, params });
    expect(all.json().hits.hits.map((hit: Json) => hit._id)).toEqual(['2', '1']);
    const some = await node.post('/books/_search/template', { source, params: { ...params, since: 1995 } });
    expect(ids(some.json())).toEqual(['2']);
  });

  test('explains and profiles on demand, and scrolls', async () => {
    const template = { source: byTitle, params: { title: 'sea', size: 1 }, explain: true };
    const answer = (await node.post('/books/_search/template?profile=true&scroll=1m', template)).json();
    expect(answer.hits.hits[0]._explanation.value).toBeGreaterThan(0);
    expect(answer.profile.shards).toHaveLength(1);
    const next = await node.post('/_search/scroll', { scroll_id: answer._scroll_id });
    expect(next.json().hits.hits).toHaveLength(1);
  });

  test('refuses templates by their fault', async () => {
    const refused = async (body: unknown): Promise<Json> => {
      const answer = await node.post('/books/_search/template', body);
      return [answer.status, answer.json().error.type, answer.json().error.reason];
    };
    expect(await refused({ source: '{{#a}}' })).toEqual([400, 'illegal_argument_exception', expect.any(String)]);
    expect(await refused({ source: '{"nope":1}' })).toEqual([
      400,
      'parsing_exception',
      'Unknown key for a VALUE_NUMBER in [nope].',
    ]);
    expect(await refused({ id: 'gone' })).toEqual([
      404,
      'resource_not_found_exception',
      'unable to find script [gone] in cluster state',
    ]);
    expect((await refused({}))[1]).toBe('action_request_validation_exception');
    expect((await node.post('/books/_search/template')).status).toBe(400);
  });
});

describe('stored templates', () => {
  test('are searched by, rendered and evaluated under their names', async () => {
    await node.put('/_scripts/by-title', {
      script: { lang: 'mustache', source: byTitle, params: { title: 'My title' } },
    });
    const asked = { id: 'by-title', params: { title: 'deep' } };
    expect(ids((await node.post('/books/_search/template', asked)).json())).toEqual(['3']);
    const rendered = await node.post('/_render/template/by-title', { params: { title: 'deep', size: 2 } });
    expect(rendered.json()).toEqual({ template_output: { query: { match: { title: 'deep' } }, size: '2' } });
    const evaluated = await node.post('/books/_rank_eval', {
      templates: [{ id: 't', template: { id: 'by-title' } }],
      requests: [
        { id: 'r', template_id: 't', params: { title: 'deep' }, ratings: [{ _index: 'books', _id: '3', rating: 1 }] },
      ],
      metric: { precision: {} },
    });
    expect(evaluated.json().metric_score).toBe(1);
  });

  test('must be templates', async () => {
    await node.put('/_scripts/painless', { script: { lang: 'painless', source: '1' } });
    const answer = await node.post('/books/_search/template', { id: 'painless' });
    expect([answer.status, answer.json().error.reason]).toEqual([
      400,
      'painless does not know how to handle context [template]',
    ]);
  });
});

describe('_render/template', () => {
  test('shows the search without carrying it out', async () => {
    const answer = await node.post('/_render/template', { source: byTitle, params: { title: 'a "b"' } });
    expect(answer.json()).toEqual({ template_output: { query: { match: { title: 'a "b"' } }, size: '10' } });
    expect((await node.get('/_render/template/gone')).status).toBe(404);
  });
});

describe('_msearch/template', () => {
  test('answers each search in its place; a template that fails, fails alone', async () => {
    const answer = await node.bulk('/books/_msearch/template', [
      {},
      { source: byTitle, params: { title: 'deep' } },
      { index: 'gone' },
      { source: byTitle, params: { title: 'deep' } },
      {},
      { id: 'gone' },
      {},
      { source: { query: { nope: {} } } },
    ]);
    expect(answer.json().responses.map(({ status }: Json) => status)).toEqual([200, 404, 404, 400]);
    expect(ids(answer.json().responses[0])).toEqual(['3']);
  });
});

describe('_rank_eval', () => {
  const ratings = [
    { _index: 'books', _id: '1', rating: 2 },
    { _index: 'books', _id: '3', rating: 1 },
  ];
  const sea = { id: 'sea', request: { query: { match: { title: 'sea' } }, sort: [{ year: 'asc' }] }, ratings };
  const stars = { id: 'stars', request: { query: { match: { title: 'stars' } }, sort: [{ year: 'desc' }] }, ratings };

  async function evaluate(metric: object, requests: readonly object[] = [sea, stars], more = {}): Promise<Json> {
    const answer = await node.post('/books/_rank_eval', { requests, metric, ...more });
    expect(answer.status, answer.text).toBe(200);
    return answer.json();
  }

  test('shows hits, ratings and what is not rated', async () => {
    const answer = await evaluate({ precision: { relevant_rating_threshold: 1 } });
    expect(answer.metric_score).toBe(0.75);
    expect(answer.failures).toEqual({});
    expect(answer.details.stars).toEqual({
      metric_score: 0.5,
      unrated_docs: [{ _index: 'books', _id: '2' }],
      hits: [
        { hit: { _index: 'books', _id: '2', _score: null, sort: [2000] }, rating: null },
        { hit: { _index: 'books', _id: '1', _score: null, sort: [1990] }, rating: 2 },
      ],
      metric_details: { precision: { relevant_docs_retrieved: 1, docs_retrieved: 2 } },
    });
  });

  test.each<[string, object, number]>([
    ['recall', { recall: {} }, (1 + 0.5) / 2],
    ['mean_reciprocal_rank', { mean_reciprocal_rank: { relevant_rating_threshold: 2 } }, (1 + 0.5) / 2],
    ['dcg', { dcg: {} }, (3 + 1 / Math.log2(3) + 3 / Math.log2(3)) / 2],
    ['k', { precision: { k: 1 } }, 0.5],
    [
      'expected_reciprocal_rank',
      { expected_reciprocal_rank: { maximum_relevance: 2 } },
      (0.75 + (0.25 * 0.25) / 2 + 0.75 / 2) / 2,
    ],
  ])('%s', async (_name, metric, score) => {
    expect((await evaluate(metric)).metric_score).toBeCloseTo(score, 8);
  });

  test('takes searches from templates; one that fails is told and not counted', async () => {
    const templates = [{ id: 'by-title', template: { source: byTitle } }];
    const templated = {
      id: 'deep',
      template_id: 'by-title',
      params: { title: 'deep' },
      ratings,
      summary_fields: ['year'],
    };
    const broken = { id: 'broken', request: { query: { match: { year: 'never' } } }, ratings };
    const answer = await evaluate({ precision: {} }, [templated, broken], { templates });
    expect(answer.metric_score).toBe(1);
    expect(answer.details.deep.hits[0].hit._source).toEqual({ year: 2010 });
    expect(answer.failures.broken.error.type).toBe('search_phase_execution_exception');
  });

  test.each<[object, string]>([
    [{ requests: [], metric: { precision: {} } }, 'no search requests with rated results'],
    [{ requests: [sea] }, 'no evaluation metric is provided'],
    [{ requests: [sea], metric: { nope: {} } }, 'unknown field [nope]'],
    [{ requests: [sea], metric: { precision: { normalize: true } } }, '[precision] unknown field [normalize]'],
    [{ requests: [sea], metric: { expected_reciprocal_rank: {} } }, 'Required [maximum_relevance]'],
    [{ requests: [{ ...sea, template_id: 'x' }], metric: { precision: {} } }, 'Ambiguous rated request'],
    [
      { requests: [{ ...sea, ratings: [ratings[0], ratings[0]] }], metric: { precision: {} } },
      'duplicate rated document key',
    ],
    [
      { requests: [{ ...sea, request: { aggs: { a: { max: { field: 'year' } } } } }], metric: { precision: {} } },
      'should not contain aggregations',
    ],
    [{ requests: [{ ...sea, request: { query: { nope: {} } } }], metric: { precision: {} } }, 'unknown query [nope]'],
  ])('refuses %j', async (body, reason) => {
    const answer = await node.post('/books/_rank_eval', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason);
  });
});
