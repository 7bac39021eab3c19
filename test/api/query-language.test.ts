import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const FILMS = [
  { title: 'the quick red fox jumps', plot: 'a fox', year: 2001, likes: 10, at: '2020-01-01', tag: 'x', need: 1 },
  { title: 'red fox and lazy dog', plot: 'a dog and a fox', year: 2005, likes: 3, at: '2020-01-03', tag: 'y', need: 2 },
  { title: 'a dog story', plot: 'quick', year: 2010, likes: 0, at: '2020-01-09', tag: 'x', need: 1 },
  { title: 'fox red', plot: 'nothing', year: 2020, likes: 7, at: '2020-02-01', tag: 'z', need: 3 },
];

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/films', {
    settings: { number_of_shards: 1 },
    mappings: {
      properties: {
        title: { type: 'text', index_prefixes: {} },
        plot: { type: 'text' },
        year: { type: 'integer' },
        likes: { type: 'integer' },
        at: { type: 'date' },
        tag: { type: 'keyword' },
        need: { type: 'integer' },
        label: { type: 'alias', path: 'tag' },
        kind: { type: 'constant_keyword', value: 'film' },
        words: { type: 'token_count', analyzer: 'standard' },
        typed: { type: 'search_as_you_type' },
        line: { type: 'wildcard' },
        note: { type: 'match_only_text' },
        rank: { type: 'rank_feature' },
      },
    },
  });
  await node.bulk(
    '/films/_bulk?refresh',
    FILMS.flatMap((film, at) => [
      { index: { _id: String(at) } },
      { ...film, words: film.title, typed: film.title, line: film.title, note: film.title, rank: at + 1 },
    ]),
  );
});

afterAll(async () => {
  await node.stop();
});

async function search(body: unknown): Promise<Json> {
  const answer = await node.post('/films/_search', body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return answer.json();
}

const ids = async (query: unknown): Promise<string[]> =>
  (await search({ query })).hits.hits.map((hit: Json) => hit._id);
const sorted = async (query: unknown): Promise<string[]> => (await ids(query)).sort();

describe('scores from numbers', () => {
  it('orders by functions', async () => {
    const functions = [{ field_value_factor: { field: 'likes', modifier: 'log1p' } }];
    expect(await ids({ function_score: { functions, boost_mode: 'replace' } })).toEqual(['0', '3', '1', '2']);
    const gauss = { at: { origin: '2020-01-08', scale: '2d' } };
    expect((await ids({ function_score: { gauss } }))[0]).toBe('2');
    expect(await sorted({ function_score: { functions, boost_mode: 'replace', min_score: 0.9 } })).toEqual(['0', '3']);
    const { hits } = await search({ query: { function_score: { random_score: { seed: 7, field: '_seq_no' } } } });
    expect(hits.hits.every((hit: Json) => hit._score >= 0 && hit._score < 1)).toBe(true);
  });

  it('draws the same numbers for a seed, and others each time without one', async () => {
    const drawn = async (seed: Json): Promise<Json> => {
      const { hits } = await search({
        query: { function_score: { random_score: seed } },
        sort: '_doc',
        track_scores: true,
      });
      return hits.hits.map((hit: Json) => hit._score);
    };
    const [seeded, unseeded] = [await drawn({ seed: 7 }), await drawn({})];
    await expect.poll(async () => drawn({})).not.toEqual(unseeded);
    expect(await drawn({ seed: 7 })).toEqual(seeded);
  });

  it('orders by distance, rank and pins', async () => {
    expect((await ids({ distance_feature: { field: 'at', origin: '2020-02-02', pivot: '1d' } }))[0]).toBe('3');
    expect(await ids({ rank_feature: { field: 'rank' } })).toEqual(['3', '2', '1', '0']);
    expect(await ids({ pinned: { ids: ['2', '3'], organic: { match: { title: 'fox' } } } })).toHaveLength(4);
    expect((await ids({ pinned: { ids: ['2', '3'], organic: { match: { title: 'fox' } } } })).slice(0, 2)).toEqual([
      '2',
      '3',
    ]);
  });

  it('multiplies by index', async () => {
    const answer = await search({ query: { match_all: {} }, indices_boost: [{ films: 3 }] });
    expect(answer.hits.max_score).toBe(3);
    const missing = await node.post('/films/_search', { indices_boost: [{ none: 2 }] });
    expect(missing.status).toBe(404);
  });
});

describe('places of words', () => {
  const term = (value: string) => ({ span_term: { title: value } });

  it('answers span queries', async () => {
    const near = (slop: number, in_order: boolean) => ({
      span_near: { clauses: [term('red'), term('fox')], slop, in_order },
    });
    expect(await sorted(near(0, true))).toEqual(['0', '1']);
    expect(await sorted(near(0, false))).toEqual(['0', '1', '3']);
    expect(await sorted({ span_first: { match: term('fox'), end: 2 } })).toEqual(['1', '3']);
    expect(await sorted({ span_not: { include: term('fox'), exclude: term('jumps'), post: 1 } })).toEqual(['1', '3']);
    expect(await sorted({ span_multi: { match: { prefix: { title: 'jum' } } } })).toEqual(['0']);
  });

  it('answers intervals', async () => {
    const match = (more: object) => ({ intervals: { title: { match: { query: 'fox red', ...more } } } });
    expect(await sorted(match({}))).toEqual(['0', '1', '3']);
    expect(await sorted(match({ ordered: true }))).toEqual(['3']);
    const filter = { not_containing: { match: { query: 'lazy' } } };
    const all = {
      intervals: {
        title: { all_of: { intervals: [{ match: { query: 'red' } }, { match: { query: 'dog' } }], filter } },
      },
    };
    expect(await sorted(all)).toEqual([]);
    const chosen = (script: unknown) => match({ filter: { script } });
    const places = { source: 'interval.start == params.first && interval.getEnd() == 1', params: { first: 0 } };
    expect(await sorted(chosen(places))).toEqual(['1', '3']);
    expect(await sorted(chosen('interval.start > 0'))).toEqual(['0']);
    expect(
      await sorted({ intervals: { title: { match: { query: 'fox dog', filter: { script: 'interval.gaps > 1' } } } } }),
    ).toEqual(['1']);
    const failing = await node.post('/films/_search', { query: chosen('interval.middle') });
    expect([failing.status, failing.json().error.root_cause[0].type]).toEqual([400, 'script_exception']);
    const uncompiled = await node.post('/films/_search', { query: chosen('interval.') });
    expect([uncompiled.status, uncompiled.json().error.root_cause[0].reason]).toEqual([400, 'compile error']);
  });
});

describe('texts and documents', () => {
  it('searches fields as one', async () => {
    const query = { combined_fields: { query: 'quick dog', fields: ['title', 'plot'], operator: 'and' } };
    expect(await sorted(query)).toEqual(['2']);
  });

  it('finds documents like others', async () => {
    const like = [{ _id: '0' }];
    const query = { more_like_this: { fields: ['title'], like, min_term_freq: 1, min_doc_freq: 1 } };
    expect(await sorted(query)).toEqual(['1', '3']);
    expect(await sorted({ more_like_this: { ...query.more_like_this, include: true } })).toContain('0');
  });

  it('looks terms up in a document', async () => {
    await node.put('/lists/_doc/1?refresh', { tags: [{ name: 'x' }, { name: 'z' }] });
    expect(await sorted({ terms: { tag: { index: 'lists', id: '1', path: 'tags.name' } } })).toEqual(['0', '2', '3']);
    expect(await sorted({ terms: { tag: { index: 'lists', id: '2', path: 'tags.name' } } })).toEqual([]);
    const terms = ['red', 'fox', 'dog'];
    expect(await sorted({ terms_set: { title: { terms, minimum_should_match_field: 'need' } } })).toEqual([
      '0',
      '1',
      '2',
    ]);
  });

  it('matches by regular expressions with all operators', async () => {
    expect(await sorted({ regexp: { tag: '~x' } })).toEqual(['1', '3']);
    expect(await sorted({ regexp: { tag: '[xyz]&~(y|z)' } })).toEqual(['0', '2']);
  });
});

describe('types that are special cases', () => {
  it('are searched by their own rules', async () => {
    expect(await sorted({ term: { label: 'x' } })).toEqual(['0', '2']);
    expect(await sorted({ term: { kind: 'film' } })).toEqual(['0', '1', '2', '3']);
    expect(await sorted({ term: { words: 5 } })).toEqual(['0', '1']);
    expect(await sorted({ wildcard: { line: '*fox*jumps' } })).toEqual(['0']);
    expect(await sorted({ match_phrase: { note: 'red fox' } })).toEqual(['0', '1']);
    const typing = { query: 'red fo', type: 'bool_prefix', fields: ['typed', 'typed._2gram', 'typed._3gram'] };
    expect((await ids({ multi_match: typing })).sort()).toEqual(['0', '1', '3']);
  });

  it('sort and aggregate by an alias', async () => {
    const answer = await search({ sort: [{ label: 'desc' }], size: 1, aggs: { t: { terms: { field: 'label' } } } });
    expect(answer.hits.hits[0]._id).toBe('3');
    expect(answer.aggregations.t.buckets[0]).toEqual({ key: 'x', doc_count: 2 });
  });

  it('refuse other values', async () => {
    expect((await node.put('/films/_doc/9', { kind: 'book' })).status).toBe(400);
    expect((await node.put('/films/_doc/9', { label: 'x' })).status).toBe(400);
  });
});

describe('what a query means', () => {
  it('is explained for a document', async () => {
    const answer = await node.post('/films/_explain/0', { query: { match: { title: 'fox' } } });
    expect(answer.json()).toMatchObject({ _index: 'films', _id: '0', matched: true });
    expect(answer.json().explanation.description).toBe('weight(title:fox in 0) [PerFieldSimilarity], result of:');
    const other = await node.post('/films/_explain/2?_source=title', { query: { match: { title: 'fox' } } });
    expect(other.json()).toMatchObject({ matched: false, get: { found: true, _source: { title: 'a dog story' } } });
    expect((await node.post('/films/_explain/none', { query: { match_all: {} } })).status).toBe(404);
  });

  it('has the score of the hit at the top of its explanation, whatever is put together', async () => {
    const fox = { match: { title: 'fox' } };
    const best = {
      dis_max: { queries: [fox, { match: { plot: 'fox' } }, { match: { title: 'red' } }], tie_breaker: 0.3 },
    };
    const limited = { function_score: { query: fox, weight: 2, min_score: 0.1 } };
    const functions = [{ weight: 2 }, { field_value_factor: { field: 'likes' } }, { filter: fox, weight: 3 }];
    const together = [
      best,
      { dis_max: { queries: [best, { bool: { must: [fox], should: [best] } }], boost: 2 } },
      { bool: { filter: [{ bool: { filter: [{ bool: { must: [fox] } }] } }], should: [best] } },
      { bool: { filter: [limited], must: [fox] } },
      { function_score: { query: best, functions, score_mode: 'sum' } },
      { boosting: { positive: best, negative: { match: { title: 'dog' } }, negative_boost: 0.4 } },
    ];
    for (const query of together) {
      const { hits } = await search({ query, explain: true });
      expect(hits.hits.length).toBeGreaterThan(0);
      for (const { _score, _explanation } of hits.hits) expect(_explanation.value).toBeCloseTo(_score, 6);
    }
  });

  it('is validated', async () => {
    const query = { bool: { must: { term: { tag: 'x' } }, must_not: { range: { year: { gt: 5 } } } } };
    const answer = await node.post('/films/_validate/query?explain', { query });
    expect(answer.json()).toMatchObject({
      valid: true,
      explanations: [{ index: 'films', valid: true, explanation: '+tag:x -year:[6 TO 2147483647]' }],
    });
    const wrong = await node.post('/films/_validate/query?explain', { query: { term: { year: 'abc' } } });
    expect(wrong.json()).toMatchObject({ valid: false, explanations: [{ valid: false }] });
    const unknown = await node.post('/films/_validate/query?explain', { query: { boool: {} } });
    expect(unknown.json()).toMatchObject({ valid: false, error: expect.stringContaining('did you mean [bool]?') });
  });

  it('is profiled', async () => {
    const answer = await search({ query: { match: { title: 'red fox' } }, profile: true });
    const [shard] = answer.profile.shards;
    expect(shard.searches[0].query[0]).toMatchObject({ type: 'BooleanQuery', description: 'title:red title:fox' });
    expect(shard.searches[0].query[0].children).toHaveLength(2);
  });

  it('is profiled with its aggregations', async () => {
    const best = { max: { field: 'likes' } };
    const kinds = { terms: { field: 'tag', collect_mode: 'breadth_first' }, aggs: { best } };
    const months = { date_histogram: { field: 'at', calendar_interval: 'month' } };
    const years = { filter: { range: { year: { gte: 2005 } } }, aggs: { months } };
    const answer = await search({ size: 0, profile: true, aggs: { kinds, years } });
    const [tags, filtered] = answer.profile.shards[0].aggregations;
    expect(answer.aggregations.kinds.buckets[0]).toMatchObject({ key: 'x', best: { value: 10 } });
    expect(tags).toMatchObject({
      type: 'GlobalOrdinalsStringTermsAggregator',
      description: 'kinds',
      breakdown: { initialize_count: 1, collect_count: 4, build_aggregation_count: 1, reduce_count: 0 },
      debug: { deferred_aggregators: ['best'], result_strategy: 'terms', has_filter: false },
      children: [{ type: 'MaxAggregator', description: 'best' }],
    });
    expect(filtered).toMatchObject({
      type: 'FilterAggregator',
      children: [{ type: 'DateHistogramAggregator', debug: { total_buckets: 2, leaf_visited: 1 } }],
    });
  });
});
