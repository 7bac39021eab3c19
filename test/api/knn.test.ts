import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitsOf, idsOf, ok } from './knn-answers.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

const search = (index: string, body: Json, parameters = ''): Promise<Json> =>
  ok(node.post(`/${index}/_search${parameters}`, body));

async function refusal(answer: Promise<Answer>): Promise<string> {
  const { status, text } = await answer;
  expect([status, text.slice(0, 400)]).toEqual([400, expect.anything()]);
  const { error } = JSON.parse(text);
  return [error.reason, error.caused_by?.reason, error.root_cause[0].reason].join(' | ');
}

const small = (more: Json): Json => ({
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: { properties: { v: { type: 'dense_vector', dims: 2, ...more }, n: { type: 'long' }, t: { type: 'text' } } },
});

async function fill(index: string, documents: Record<string, Json>): Promise<void> {
  const lines = Object.entries(documents).flatMap(([id, document]) => [{ index: { _id: id } }, document]);
  const answer = await ok(node.bulk(`/${index}/_bulk?refresh`, lines));
  expect(answer.errors).toBe(false);
}

describe('scores', () => {
  const DOCUMENTS = { a: { v: [3, 4] }, b: { v: [0, 2] }, c: { v: [-1, 0] }, d: { n: 1 } };

  it.each([
    [
      'cosine',
      [
        ['b', 1],
        ['a', 0.9],
        ['c', 0.5],
      ],
    ],
    [
      'l2_norm',
      [
        ['b', 0.5],
        ['c', 1 / 3],
        ['a', 1 / 19],
      ],
    ],
    [
      'max_inner_product',
      [
        ['a', 5],
        ['b', 3],
        ['c', 1],
      ],
    ],
  ] as const)('%s', async (similarity, expected) => {
    const index = `scores-${similarity}`;
    await ok(node.put(`/${index}`, small({ similarity })));
    await fill(index, DOCUMENTS);
    const close = expected.map(([id, score]) => [id, expect.closeTo(score, 5)]);
    const knn = { field: 'v', query_vector: [0, 1], k: 5, num_candidates: 10 };
    expect(hitsOf(await search(index, { knn }))).toEqual(close);
    expect(hitsOf(await search(index, { query: { knn } }))).toEqual(close);
    expect(hitsOf(await search(index, { knn: { ...knn, boost: 2, k: 1 } }))).toEqual([
      [expected[0][0], expect.closeTo(expected[0][1] * 2, 5)],
    ]);
  });

  it('dot_product takes vectors of length 1', async () => {
    await ok(node.put('/scores-dot', small({ similarity: 'dot_product' })));
    await fill('scores-dot', { a: { v: [0.6, 0.8] }, b: { v: [-1, 0] } });
    const knn = { field: 'v', query_vector: [1, 0], k: 2, num_candidates: 2 };
    expect(hitsOf(await search('scores-dot', { knn }))).toEqual([
      ['a', expect.closeTo(0.8, 5)],
      ['b', 0],
    ]);
    expect(await refusal(node.put('/scores-dot/_doc/c', { v: [3, 4] }))).toContain(
      'The [dot_product] similarity can only be used with unit-length vectors. Preview of invalid vector: [3.0, 4.0]',
    );
  });

  it('leaves out what is not similar enough', async () => {
    const knn = { field: 'v', query_vector: [0, 1], k: 5, num_candidates: 10 };
    expect(idsOf(await search('scores-cosine', { knn: { ...knn, similarity: 0.5 } }))).toBe('ba');
    expect(idsOf(await search('scores-l2_norm', { query: { knn: { ...knn, similarity: 1.5 } } }))).toBe('bc');
  });
});

describe('mappings', () => {
  it('shows what it was given and what follows', async () => {
    await ok(node.put('/mapped', small({ index_options: { type: 'hnsw', m: 8 } })));
    const mapping = await ok(node.get('/mapped/_mapping'));
    expect(mapping.mapped.mappings.properties.v).toEqual({
      type: 'dense_vector',
      dims: 2,
      index: true,
      similarity: 'cosine',
      index_options: { type: 'hnsw', m: 8, ef_construction: 100 },
    });
    const capabilities = await ok(node.get('/mapped/_field_caps?fields=v'));
    expect(capabilities.fields.v.dense_vector).toMatchObject({ type: 'dense_vector', aggregatable: false });
  });

  it('takes the number of dimensions from the first document', async () => {
    await ok(node.put('/unsized', small({ dims: undefined })));
    const knn = { field: 'v', query_vector: [1, 2, 3], k: 2, num_candidates: 2 };
    expect(idsOf(await search('unsized', { knn }))).toBe('');
    await fill('unsized', { a: { v: [1, 2, 3] } });
    expect((await ok(node.get('/unsized/_mapping'))).unsized.mappings.properties.v.dims).toBe(3);
    expect(idsOf(await search('unsized', { knn }))).toBe('a');
    expect(await refusal(node.put('/unsized/_doc/b', { v: [1, 2] }))).toContain(
      "The [dense_vector] field [v] in doc [document with id 'b'] has a different number of dimensions [2] than defined in " +
        'the mapping [3]',
    );
  });

  it.each([
    [{ dims: 0 }, 'The number of dimensions should be in the range [1, 4096] but was [0]'],
    [{ dims: 4097 }, 'should be in the range [1, 4096] but was [4097]'],
    [
      { element_type: 'bfloat16' },
      '[element_type] on mapper [v] of type [dense_vector] does not support the value [bfloat16]',
    ],
    [{ element_type: 'bit', dims: 12 }, 'The number of dimensions for should be a multiple of 8 but was [12]'],
    [{ element_type: 'bit', dims: 4 }, 'should be in the range [8, 32768] but was [4]'],
    [
      { element_type: 'bit', dims: 8, similarity: 'cosine' },
      'The [l2_norm] similarity is the only supported similarity for bit vectors',
    ],
    [
      { element_type: 'byte', index_options: { type: 'int8_hnsw' } },
      '[element_type] cannot be [byte] when using index type [int8_hnsw]',
    ],
    [{ dims: 3, index_options: { type: 'int4_flat' } }, 'int4_flat only supports even dimensions; provided=3'],
    [{ index_options: { type: 'int8_flat', m: 4 } }, 'unsupported parameters:  [m : 4]'],
    [{ index_options: { type: 'hnsw', confidence_interval: 1 } }, 'unsupported parameters:  [confidence_interval : 1'],
    [
      { index_options: { type: 'int8_flat', confidence_interval: 0.5 } },
      '[confidence_interval] of [index_options] must be between [0.9] and [1] but was [0.5]',
    ],
    [{ index_options: { type: 'int8_flat', rescore_vector: { oversample: 0.5 } } }, '[oversample] must be >= 1.0'],
    [{ similarity: 'hamming' }, 'Unknown value [hamming] for field [similarity]'],
    [
      { index: false, similarity: 'cosine' },
      'Field [similarity] can only be specified for a field of type [dense_vector]',
    ],
    [{ index_options: { type: 'bbq_hnsw' } }, 'does not support the type [bbq_hnsw]'],
    [{ index_options: { type: 'ivf' } }, 'Unknown vector index options type [ivf] for field [v]'],
    [{ index_options: { type: 'flat', m: 4 } }, 'unsupported parameters:  [m : 4]'],
    [{ index_options: { type: 'hnsw', m: 1 } }, '[m] of [index_options] must be between [2] and [512]'],
    [{ fields: { x: { type: 'keyword' } } }, 'unknown parameter [fields]'],
    [{ copy_to: 't' }, '[copy_to] is not supported'],
    [{ doc_values: true }, 'unknown parameter [doc_values]'],
  ])('refuses %j', async (more, reason) => {
    expect(await refusal(node.put('/refused', small(more)))).toContain(reason);
  });

  it('refuses vectors as multi-fields', async () => {
    const vector = { type: 'dense_vector', dims: 2 };
    const multi = { mappings: { properties: { k: { type: 'keyword', fields: { v: vector } } } } };
    expect(await refusal(node.put('/refused', multi))).toContain("can't be used in multifields");
  });

  it('does not change what vectors are', async () => {
    const update = (v: Json): Promise<Answer> =>
      node.put('/mapped/_mapping', { properties: { v: { type: 'dense_vector', dims: 2, ...v } } });
    expect(await refusal(update({ dims: 3, index_options: { type: 'hnsw', m: 8 } }))).toContain(
      'Cannot update parameter [dims] from [2] to [3]',
    );
    expect(await refusal(update({ similarity: 'l2_norm' }))).toContain('Cannot update parameter [similarity]');
    await ok(update({ index_options: { type: 'hnsw', m: 8 }, meta: { of: 'us' } }));
  });
});

describe('documents', () => {
  beforeAll(async () => {
    await ok(node.put('/places', small({ similarity: 'cosine' })));
  });

  it.each([
    [{ v: [1] }, 'has a different number of dimensions [1] than defined in the mapping [2]'],
    [{ v: [1, 2, 3] }, 'has a different number of dimensions [3]'],
    [
      { v: [0, 0] },
      'The [cosine] similarity does not support vectors with zero magnitude. Preview of invalid vector: [0.0, 0.0]',
    ],
    [{ v: [1, 'x'] }, 'a vector is made of numbers, but there is something else at position [1] of the vector'],
    [{ v: [1, 1e39] }, 'there is [1e+39] at position [1]'],
    [
      {
        v: [
          [1, 2],
          [3, 4],
        ],
      },
      'a document has one vector, but there is an array at position [0]',
    ],
    [{ v: 3 }, '[dense_vector] field [v] takes an array of numbers'],
    [{ v: { x: 1 } }, '[dense_vector] field [v] takes an array of numbers'],
    [{ v: [1, 2], n: [1, 'y'] }, 'failed to parse field [n]'],
  ])('refuses %j', async (document, reason) => {
    expect(await refusal(node.put('/places/_doc/wrong', document))).toContain(reason);
    expect((await node.get('/places/_doc/wrong')).status).toBe(404);
  });

  it('come, change and go', async () => {
    const knn = { field: 'v', query_vector: [1, 0], k: 10, num_candidates: 10 };
    await fill('places', { a: { v: [1, 0.1] }, b: { v: [1, 1] }, c: { v: null, n: 3 } });
    expect(idsOf(await search('places', { knn }))).toBe('ab');
    await ok(node.post('/places/_update/b?refresh', { doc: { v: [1, 0] } }));
    expect(idsOf(await search('places', { knn }))).toBe('ba');
    await ok(node.delete('/places/_doc/a?refresh'));
    expect(idsOf(await search('places', { knn }))).toBe('b');
    await fill('places', { d: { v: [-1, 0] } });
    await ok(node.post('/places/_forcemerge?max_num_segments=1'));
    await ok(node.post('/places/_refresh'));
    expect(idsOf(await search('places', { knn }))).toBe('bd');
    expect(idsOf(await search('places', { query: { exists: { field: 'v' } }, sort: ['_doc'] }))).toBe('bd');
  });

  it('keep their vectors in indices that are sorted', async () => {
    const { mappings } = small({ similarity: 'cosine' });
    const sorted = { 'index.sort.field': 'n', number_of_replicas: 0, number_of_shards: 1 };
    await ok(node.put('/sorted', { settings: sorted, mappings }));
    const knn = { field: 'v', query_vector: [1, 0], k: 3, num_candidates: 10 };
    await fill('sorted', { a: { v: [1, 3], n: 9 }, b: { v: [1, 0.1], n: 5 }, c: { n: 7 }, d: { v: [2, 2], n: 1 } });
    expect(idsOf(await search('sorted', { knn }))).toBe('bda');
    await fill('sorted', { e: { v: [5, 0], n: 6 }, f: { v: [-1, 0], n: 0 } });
    await ok(node.post('/sorted/_forcemerge?max_num_segments=1'));
    await ok(node.post('/sorted/_refresh'));
    expect(idsOf(await search('sorted', { knn }))).toBe('ebd');
  });

  it('show their vectors', async () => {
    const answer = await search('places', { query: { ids: { values: ['d'] } }, fields: ['v'] });
    expect(answer.hits.hits[0]).toMatchObject({ _source: { v: [-1, 0] }, fields: { v: [-1, 0] } });
  });
});

describe('searches', () => {
  beforeAll(async () => {
    await ok(
      node.put('/films', {
        settings: { number_of_shards: 3, number_of_replicas: 0 },
        mappings: {
          properties: {
            v: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' },
            kind: { type: 'keyword' },
            title: { type: 'text' },
          },
        },
      }),
    );
    const letters = Array.from('abcdefghij');
    await fill(
      'films',
      Object.fromEntries(
        letters.map((id, at) => [id, { v: [at, 0], kind: at % 2 === 0 ? 'even' : 'odd', title: `film ${id}` }]),
      ),
    );
    await ok(
      node.post('/_aliases', {
        actions: [{ add: { index: 'films', alias: 'odd', filter: { term: { kind: 'odd' } } } }],
      }),
    );
  });

  const near = (at: number, more: Json = {}): Json => ({
    field: 'v',
    query_vector: [at, 0],
    k: 3,
    num_candidates: 10,
    ...more,
  });

  it('find the nearest of all shards', async () => {
    const answer = await search('films', { knn: near(0) });
    expect(idsOf(answer)).toBe('abc');
    expect(answer.hits.total).toEqual({ value: 3, relation: 'eq' });
    // A query finds as many in each shard.
    expect((await search('films', { query: { knn: near(0) } })).hits.total.value).toBeGreaterThan(3);
  });

  it('take their sizes from the number of hits', async () => {
    const { field, query_vector } = near(0);
    expect(idsOf(await search('films', { knn: { field, query_vector }, size: 4 }))).toBe('abcd');
    expect(idsOf(await search('films', { knn: { field, query_vector }, size: 2 }))).toBe('ab');
  });

  it('look among what filters let through', async () => {
    const odd = { term: { kind: 'odd' } };
    expect(idsOf(await search('films', { knn: near(0, { filter: odd }) }))).toBe('bdf');
    expect(idsOf(await search('films', { knn: near(0, { filter: [odd, { match: { title: 'f' } }] }) }))).toBe('f');
    expect(idsOf(await search('films', { query: { knn: near(0, { k: 1, filter: odd }) }, size: 1 }))).toBe('b');
    expect(idsOf(await search('odd', { knn: near(0) }))).toBe('bdf');
    expect(idsOf(await search('odd', { query: { knn: near(0, { k: 1 }) }, size: 1 }))).toBe('b');
    expect(idsOf(await search('films', { knn: near(0), post_filter: odd }))).toBe('b');
  });

  it('add their scores to those of a query', async () => {
    const query = { constant_score: { filter: { match: { title: 'c' } }, boost: 5 } };
    expect(hitsOf(await search('films', { query, knn: near(0, { k: 2 }) }))).toEqual([
      ['c', 5],
      ['a', 1],
      ['b', 0.5],
    ]);
    expect(hitsOf(await search('films', { query, knn: near(2, { k: 1 }) }))).toEqual([['c', 6]]);
    const several = await search('films', { knn: [near(0, { k: 1, _name: 'first' }), near(9, { k: 1, boost: 3 })] });
    expect(hitsOf(several)).toEqual([
      ['j', 3],
      ['a', 1],
    ]);
    expect(several.hits.hits[1].matched_queries).toEqual(['first']);
  });

  it('are aggregated, sorted, paged, explained and profiled', async () => {
    const answer = await search('films', {
      knn: near(0, { k: 4 }),
      size: 1,
      from: 1,
      sort: [{ _score: 'asc' }],
      aggs: { kinds: { terms: { field: 'kind' } } },
      profile: true,
      explain: true,
    });
    expect(idsOf(answer)).toBe('c');
    expect(answer.aggregations.kinds.buckets.map((bucket: Json) => [bucket.key, bucket.doc_count])).toEqual([
      ['even', 2],
      ['odd', 2],
    ]);
    expect(answer.hits.hits[0]._explanation.value).toBeCloseTo(0.2, 5);
    expect(answer.profile.shards.length).toBe(3);
    const told = answer.profile.shards.map((shard: Json) => shard.dfs.knn[0]);
    expect(told.map((knn: Json) => knn.query[0].type)).toEqual(Array(3).fill('KnnFloatVectorQuery'));
    expect(told.every((knn: Json) => knn.vector_operations_count > 0)).toBe(true);
    const explained = await ok(node.post('/films/_explain/a', { query: { knn: near(0, { k: 1 }) } }));
    expect(explained).toMatchObject({ matched: true, explanation: { value: 1 } });
    expect(
      (await ok(node.post('/films/_count', { query: { knn: near(0, { filter: { term: { kind: 'odd' } } }) } }))).count,
    ).toBe(5);
  });

  it('go on in scrolls, points in time and searches of several', async () => {
    const first = await search('films', { knn: near(0), size: 2 }, '?scroll=1m');
    const second = await ok(node.post('/_search/scroll', { scroll_id: first._scroll_id, scroll: '1m' }));
    expect(idsOf(first) + idsOf(second)).toBe('abc');
    const { id } = await ok(node.post('/films/_pit?keep_alive=1m'));
    await ok(node.delete('/films/_doc/a?refresh'));
    expect(idsOf(await ok(node.post('/_search', { pit: { id }, knn: near(0) })))).toBe('abc');
    expect(idsOf(await search('films', { knn: near(0) }))).toBe('bcd');
    await fill('films', { a: { v: [0, 0], kind: 'even', title: 'film a' } });
    const both = await ok(
      node.bulk('/_msearch', [
        { index: 'films' },
        { knn: near(9, { k: 1 }) },
        { index: 'odd' },
        { knn: near(0, { k: 1 }) },
      ]),
    );
    expect(both.responses.map(idsOf)).toEqual(['j', 'b']);
  });

  it.each([
    [{ k: 0 }, '[k] must be greater than 0'],
    [{ num_candidates: 2 }, '[num_candidates] cannot be less than [k]'],
    [{ num_candidates: 10_001 }, '[num_candidates] cannot exceed [10000]'],
    [{ field: undefined }, 'Required [field]'],
    [{ query_vector: undefined }, 'either [query_vector] or [query_vector_builder] must be provided'],
    [{ query_vector: [1, 'x'] }, '[query_vector] has no finite number at position [1]'],
    [{ query_vector: {} }, '[query_vector] must be an array of numbers'],
    [{ query_vector: '40af20a' }, 'failed to parse field [query_vector]'],
    [
      { query_vector: [1, 2, 3] },
      'The query vector has a different number of dimensions [3] than the document vectors [2].',
    ],
    [{ field: 'title' }, '[knn] queries are only supported on [dense_vector] fields'],
    [{ query_vector_builder: {} }, '[knn] does not support [query_vector_builder]'],
    [{ rescore_vector: { oversample: 0.5 } }, '[oversample] must be >= 1.0'],
    [{ rescore_vector: { factor: 2 } }, '[rescore_vector] unknown field [factor]'],
    [{ rescore_vector: {} }, 'Required [oversample]'],
    [{ colour: 1 }, '[knn] unknown field [colour]'],
  ])('refuse %j', async (more, reason) => {
    expect(await refusal(node.post('/films/_search', { knn: near(0, more) }))).toContain(reason);
    expect(await refusal(node.post('/films/_search', { query: { knn: near(0, more) } }))).toContain(reason);
  });

  it('refuse what vectors cannot do', async () => {
    const refused = (body: Json, parameters = ''): Promise<string> =>
      refusal(node.post(`/films/_search${parameters}`, body));
    expect(await refused({ sort: ['v'] })).toContain('fields of type [dense_vector]');
    expect(await refused({ aggs: { t: { terms: { field: 'v' } } } })).toContain('fields of type [dense_vector]');
    expect(await refused({ docvalue_fields: ['v'] })).toContain('fields of type [dense_vector]');
    expect(await refused({ query: { term: { v: 1 } } })).toContain("doesn't support term queries");
    expect(await refused({ query: { range: { v: { gt: 1 } } } })).toContain('dense_vector');
    expect(await refused({ query: { match: { v: 'x' } } })).toContain('dense_vector');
    expect(await refused({ knn: near(0) }, '?search_type=dfs_query_then_fetch')).toContain('cannot set [search_type]');
    await ok(node.put('/unindexed', small({ index: false })));
    await fill('unindexed', { a: { v: [0, 0] } });
    expect(await refusal(node.post('/unindexed/_search', { knn: near(0) }))).toContain(
      'to perform knn search on field [v], its mapping must have [index] set to [true]',
    );
    expect(idsOf(await search('unindexed', { query: { exists: { field: 'v' } } }))).toBe('a');
  });
});

describe('scripts', () => {
  const scored = (source: string): Json => ({
    query: {
      script_score: {
        query: { exists: { field: 'v' } },
        script: { source, params: { query: [0, 1], long: [1, 2, 3] } },
      },
    },
  });

  it.each([
    [
      "cosineSimilarity(params.query, 'v') + 1.0",
      [
        ['b', 2],
        ['a', 1.8],
        ['c', 1],
      ],
    ],
    [
      "1 / (1 + l2norm(params.query, 'v'))",
      [
        ['b', 0.5],
        ['c', 1 / (1 + Math.SQRT2)],
        ['a', 1 / (1 + Math.sqrt(18))],
      ],
    ],
    [
      "1 / (1 + l1norm(params.query, 'v'))",
      [
        ['b', 0.5],
        ['c', 1 / 3],
        ['a', 1 / 7],
      ],
    ],
    [
      "dotProduct(params.query, 'v')",
      [
        ['a', 4],
        ['b', 2],
        ['c', 0],
      ],
    ],
    [
      "doc['v'].magnitude + doc['v'].vectorValue[0] + 2",
      [
        ['a', 10],
        ['b', 4],
        ['c', 2],
      ],
    ],
  ] as const)('score by %s', async (source, expected) => {
    const close = expected.map(([id, score]) => [id, expect.closeTo(score, 4)]);
    expect(hitsOf(await search('scores-cosine', scored(source)))).toEqual(close);
    expect(hitsOf(await search('scores-l2_norm', scored(source)))).toEqual(close);
  });

  it('refuse what cannot be compared', async () => {
    const refused = async (source: string, query: Json = { exists: { field: 'v' } }): Promise<string> => {
      const body = scored(source);
      body.query.script_score.query = query;
      const { status, text } = await node.post('/scores-cosine/_search', body);
      expect(status).toBe(400);
      return text;
    };
    expect(await refused("dotProduct(params.long, 'v')")).toContain('different number of dimensions [3]');
    expect(await refused("dotProduct(params.query, 'w')")).toContain('No field found for [w] in mapping');
    expect(await refused("dotProduct(params.query, 'n')")).toContain('Field [n] is not a [dense_vector]');
    expect(await refused("dotProduct(params.query, 'v')", { match_all: {} })).toContain(
      "A document doesn't have a value for a vector field!",
    );
    expect(await refused("doc['v'].value")).toContain('ask for its [vectorValue]');
  });
});
