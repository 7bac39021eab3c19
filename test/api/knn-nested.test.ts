import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, ok } from './knn-answers.js';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const search = (body: Json, index = 'books'): Promise<Json> => ok(node.post(`/${index}/_search`, body));

const PASSAGES: Record<string, Json> = {
  a: {
    name: 'cow',
    passages: [
      { at: 0, v: [230, 300, -34] },
      { at: 1, v: [240, 300, -3] },
    ],
  },
  b: {
    name: 'moose',
    passages: [
      { at: 0, v: [-1, 100, -13] },
      { at: 1, v: [0, 100, 0] },
      { at: 2, v: [0, 1, 0] },
    ],
  },
  c: { name: 'rabbit', passages: [{ at: 0, v: [1, 111, -13] }] },
  d: { name: 'stone' },
};

beforeAll(async () => {
  node = await TestNode.start();
  const v = { type: 'dense_vector', dims: 3, similarity: 'l2_norm' };
  await ok(
    node.put('/books', {
      settings: { number_of_shards: 2, number_of_replicas: 0 },
      mappings: {
        properties: {
          name: { type: 'keyword' },
          whole: v,
          passages: { type: 'nested', properties: { at: { type: 'long' }, v } },
        },
      },
    }),
  );
  const lines = Object.entries(PASSAGES).flatMap(([id, document]) => [{ index: { _id: id } }, document]);
  expect((await ok(node.bulk('/books/_bulk?refresh', lines))).errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

const near = (more: Json = {}): Json => ({
  field: 'passages.v',
  query_vector: [-1, 90, -10],
  k: 2,
  num_candidates: 3,
  ...more,
});

const score = (...differences: readonly number[]): unknown =>
  expect.closeTo(1 / (1 + differences.reduce((sum, value) => sum + value * value, 0)), 6);

describe('knn of nested vectors', () => {
  it('finds each document once, by its nearest', async () => {
    const answer = await search({ knn: near() });
    expect(answer.hits.total.value).toBe(2);
    expect(answer.hits.hits.map((hit: Json) => [hit._id, hit._score])).toEqual([
      ['b', score(0, 10, 3)],
      ['c', score(2, 21, 3)],
    ]);
    expect(idsOf(await search({ knn: near({ k: 3 }) }))).toBe('bca');
    expect(idsOf(await search({ query: { knn: near({ k: 3 }) } }))).toBe('bca');
  });

  it('looks among whole documents that a filter lets through', async () => {
    expect(idsOf(await search({ knn: near({ filter: { term: { name: 'rabbit' } } }) }))).toBe('c');
    const nested = { nested: { path: 'passages', query: { term: { 'passages.at': 2 } } } };
    expect(idsOf(await search({ knn: near({ filter: nested }) }))).toBe('b');
    const actions = [{ add: { index: 'books', alias: 'cows', filter: { term: { name: 'cow' } } } }];
    await ok(node.post('/_aliases', { actions }));
    expect(idsOf(await search({ knn: near() }, 'cows'))).toBe('a');
  });

  it('looks among nested objects that a filter is about', async () => {
    const at = (place: number): Json => ({ term: { 'passages.at': place } });
    expect(idsOf(await search({ knn: near({ filter: at(2) }) }))).toBe('b');
    const first = await search({ knn: near({ k: 3, filter: [{ range: { 'passages.at': { gte: 1 } } }] }) });
    expect(first.hits.hits.map((hit: Json) => [hit._id, hit._score])).toEqual([
      ['b', score(1, 10, 10)],
      ['a', expect.any(Number)],
    ]);
    const both = { filter: [{ terms: { name: ['cow', 'moose'] } }, { bool: { must: at(1), must_not: at(0) } }] };
    expect(idsOf(await search({ knn: near({ k: 3, ...both }) }))).toBe('ba');
    expect(idsOf(await search({ knn: near({ k: 3, filter: [{ term: { name: 'cow' } }, at(2)] }) }))).toBe('');
    const nested = { nested: { path: 'passages', query: { knn: near({ k: 3, filter: at(1) }) } } };
    expect(idsOf(await search({ query: nested }))).toBe('ba');
  });

  it('shows all nested objects of what it found', async () => {
    const inner_hits = { size: 2, _source: false, fields: ['passages.at'] };
    const answer = await search({ knn: near({ k: 3, boost: 2, inner_hits }), _source: false });
    const shown = answer.hits.hits.map((hit: Json) => [
      hit._id,
      hit.inner_hits.passages.hits.total.value,
      hit.inner_hits.passages.hits.hits.map((inner: Json) => inner.fields.passages[0].at[0]),
      hit.inner_hits.passages.hits.max_score === hit._score,
    ]);
    expect(shown).toEqual([
      ['b', 3, [0, 1], true],
      ['c', 1, [0], true],
      ['a', 2, [0, 1], true],
    ]);
    const several = await search({
      knn: [near({ inner_hits: { name: 'first' } }), near({ query_vector: [240, 300, 0], inner_hits: {} })],
    });
    expect(Object.keys(several.hits.hits[0].inner_hits)).toEqual(['first', 'passages']);
    const beside = near({ field: 'whole', inner_hits: {} });
    await ok(node.put('/books/_doc/e?refresh', { name: 'egg', whole: [-1, 90, -10] }));
    const { status, text } = await node.post('/books/_search', { knn: beside });
    await ok(node.delete('/books/_doc/e?refresh'));
    expect([status, text]).toEqual([
      400,
      expect.stringContaining('[inner_hits] of [knn] need a field of nested objects'),
    ]);
  });

  it('is part of nested queries', async () => {
    const nested = (more: Json, knn: Json = near({ k: 3 })): Json => ({
      nested: { path: 'passages', query: { knn }, ...more },
    });
    expect(idsOf(await search({ query: nested({}) }))).toBe('bca');
    const shown = await search({ query: nested({ score_mode: 'max', inner_hits: { size: 5 } }) });
    const inner = shown.hits.hits[0].inner_hits.passages.hits;
    expect(inner.hits.map((hit: Json) => [hit._nested.offset, hit._score])).toEqual([
      [0, score(0, 10, 3)],
      [1, score(1, 10, 10)],
      [2, score(1, 89, 10)],
    ]);
    const { status, text } = await node.post('/books/_search', { query: nested({}, near({ field: 'whole' })) });
    expect([status, text]).toEqual([400, expect.stringContaining('cannot be within a [nested] query')]);
    const filtered = near({ k: 3, filter: { term: { name: 'cow' } } });
    expect(idsOf(await search({ query: nested({}, filtered) }))).toBe('a');
    const explained = await ok(node.post('/books/_explain/b', { query: nested({ score_mode: 'max' }) }));
    expect(explained.explanation.value).toEqual(score(0, 10, 3));
  });

  it('follows documents that change and go', async () => {
    await ok(node.post('/books/_update/a?refresh', { doc: { passages: [{ at: 5, v: [-1, 90, -10] }] } }));
    expect(idsOf(await search({ knn: near({ k: 3 }) }))).toBe('abc');
    await ok(node.delete('/books/_doc/b?refresh'));
    await ok(node.post('/books/_forcemerge?max_num_segments=1'));
    await ok(node.post('/books/_refresh'));
    expect(idsOf(await search({ knn: near({ k: 3 }) }))).toBe('ac');
  });
});
