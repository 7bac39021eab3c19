import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { hitsOf, idsOf, ok } from './knn-answers.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

async function refusal(answer: Promise<Answer>): Promise<string> {
  const { status, text } = await answer;
  expect([status, text.slice(0, 400)]).toEqual([400, expect.anything()]);
  return text;
}

const search = (index: string, body: Json): Promise<Json> => ok(node.post(`/${index}/_search`, body));

const create = (index: string, v: Json): Promise<Json> =>
  ok(
    node.put(`/${index}`, {
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: { properties: { v: { type: 'dense_vector', ...v } } },
    }),
  );

async function fill(index: string, documents: Record<string, Json>): Promise<void> {
  const lines = Object.entries(documents).flatMap(([id, v]) => [{ index: { _id: id } }, { v }]);
  expect((await ok(node.bulk(`/${index}/_bulk?refresh`, lines))).errors).toBe(false);
}

describe('bytes', () => {
  const near = (more: Json = {}): Json => ({
    knn: { field: 'v', query_vector: [64, 10, -30], k: 10, num_candidates: 100, ...more },
  });

  it('come as numbers and as digits', async () => {
    await create('bytes', { element_type: 'byte', similarity: 'l2_norm' });
    await fill('bytes', { a: '807f0a', b: [0, 1.0, 0], c: '40F6e2' });
    const mapping = (await ok(node.get('/bytes/_mapping'))).bytes.mappings.properties.v;
    expect(mapping).toMatchObject({ element_type: 'byte', dims: 3, similarity: 'l2_norm' });
    expect(idsOf(await search('bytes', near()))).toBe('cba');
    const digits = await search('bytes', near({ query_vector: '400ae2' }));
    expect(hitsOf(digits)).toEqual([
      ['c', expect.closeTo(1 / 401, 6)],
      ['b', expect.closeTo(1 / (1 + 64 ** 2 + 9 ** 2 + 30 ** 2), 6)],
      ['a', expect.closeTo(1 / (1 + 192 ** 2 + 117 ** 2 + 40 ** 2), 6)],
    ]);
    expect(idsOf(await search('bytes', near({ similarity: 25 })))).toBe('c');
    expect(idsOf(await search('bytes', { query: near(), size: 1 }))).toBe('c');
    const shown = await search('bytes', { query: { ids: { values: ['c'] } }, fields: ['v'] });
    expect(shown.hits.hits[0]._source.v).toBe('40F6e2');
    expect(shown.hits.hits[0].fields).toEqual({ v: ['40F6e2'] });
    await ok(node.post('/bytes/_forcemerge?max_num_segments=1'));
    await ok(node.post('/bytes/_refresh'));
    expect(idsOf(await search('bytes', near()))).toBe('cba');
  });

  it.each([
    ['cosine', [1, 0.5]],
    ['dot_product', [0.5 + 5 / (2 * 32_768), 0.5 - 2 / (2 * 32_768)]],
    ['max_inner_product', [6, 1 / 3]],
  ] as const)('are scored by %s', async (similarity, scores) => {
    const index = `bytes-${similarity}`;
    await create(index, { element_type: 'byte', dims: 2, similarity });
    await fill(index, { a: [1, 2], b: similarity === 'cosine' ? [2, -1] : [2, -2] });
    const answer = await search(index, near({ query_vector: [1, 2] }));
    expect(hitsOf(answer)).toEqual([
      ['a', expect.closeTo(scores[0], 6)],
      ['b', expect.closeTo(scores[1], 6)],
    ]);
  });

  it('refuse what is no byte', async () => {
    const put = (v: Json): Promise<string> => refusal(node.put('/bytes/_doc/x', { v }));
    expect(await put([1, 2.5, 3])).toContain(
      'element_type [byte] vectors only support non-decimal values but found decimal value [2.5] at dim [1];',
    );
    expect(await put([1, 2, 128])).toContain(
      'element_type [byte] vectors only support integers between [-128, 127] but found [128] at dim [2];',
    );
    expect(await put('80')).toContain('a different number of dimensions [1] than defined in the mapping [3]');
    expect(await put('807f0')).toContain('an even number of hexadecimal digits');
    expect(await put('807fzz')).toContain('not a hexadecimal digit at position [4]');
    expect(await put({ x: 1 })).toContain('takes an array of numbers or a string of hexadecimal digits');
    expect(await refusal(node.put('/bytes-cosine/_doc/x', { v: [0, 0] }))).toContain(
      'The [cosine] similarity does not support vectors with zero magnitude.',
    );
    const asked = (query_vector: Json): Promise<string> => refusal(node.post('/bytes/_search', near({ query_vector })));
    expect(await asked([1, 2, 300])).toContain('between [-128, 127] but found [300] at dim [2];');
    expect(await asked('400ae20a')).toContain('different number of dimensions [4] than the document vectors [3]');
    await create('floats', { dims: 3 });
    expect(await refusal(node.put('/floats/_doc/x', { v: '807f0a' }))).toContain('takes an array of numbers');
  });

  it('are compared in scripts', async () => {
    const score = async (source: string): Promise<number> => {
      const script = { source, params: { q: [1, 2], text: '0102' } };
      const query = { script_score: { query: { ids: { values: ['b'] } }, script } };
      return hitsOf(await search('bytes-dot_product', { query }))[0]?.[1] ?? NaN;
    };
    expect(await score("l2norm(params.q, 'v')")).toBeCloseTo(Math.sqrt(17), 5);
    expect(await score("hamming(params.text, 'v')")).toBe(8);
    expect(await score("doc['v'].vectorValue[1] + 5")).toBe(3);
  });
});

describe('bits', () => {
  beforeAll(async () => {
    await create('bits', { element_type: 'bit', dims: 16 });
    await fill('bits', { a: [0, 0], b: 'ff00', c: [-1, 1] });
  });

  it('are scored by how many differ', async () => {
    const mapping = (await ok(node.get('/bits/_mapping'))).bits.mappings.properties.v;
    expect(mapping).toMatchObject({ element_type: 'bit', dims: 16, similarity: 'l2_norm' });
    const knn = { field: 'v', query_vector: [-1, 3], k: 3, num_candidates: 10 };
    expect(hitsOf(await search('bits', { knn }))).toEqual([
      ['c', 15 / 16],
      ['b', 14 / 16],
      ['a', 6 / 16],
    ]);
    expect(idsOf(await search('bits', { knn: { ...knn, similarity: 2 } }))).toBe('cb');
    expect(await refusal(node.post('/bits/_search', { knn: { ...knn, query_vector: [1] } }))).toContain(
      'different number of dimensions [8] than the document vectors [16]',
    );
    expect(await refusal(node.put('/bits/_doc/x', { v: [1, 2, 3] }))).toContain(
      'number of dimensions [24] than defined',
    );
  });

  it('are compared in scripts', async () => {
    const score = async (source: string): Promise<number> => {
      const script = { source, params: { q: [-1, 3], floats: Array.from({ length: 16 }, (_, at) => at) } };
      const query = { script_score: { query: { ids: { values: ['b'] } }, script } };
      return hitsOf(await search('bits', { query }))[0]?.[1] ?? NaN;
    };
    expect(await score("hamming(params.q, 'v')")).toBe(2);
    expect(await score("l1norm(params.q, 'v')")).toBe(2);
    expect(await score("l2norm(params.q, 'v')")).toBeCloseTo(Math.SQRT2, 5);
    expect(await score("dotProduct(params.q, 'v')")).toBe(8);
    expect(await score("dotProduct(params.floats, 'v')")).toBe(28);
  });
});

describe('quantised vectors', () => {
  const DIMS = 32;
  const MANY = 300;
  const random = seededRandom(11);
  const draw = (): number[] => Array.from({ length: DIMS }, () => random.below(2_001) / 1_000 - 1);
  const vectors = Array.from({ length: MANY }, draw);

  const score = (left: readonly number[], right: readonly number[]): number =>
    1 / (1 + left.reduce((sum, value, at) => sum + (value - (right[at] ?? 0)) ** 2, 0));

  it.each([
    [{ type: 'int8_hnsw' }, { m: 16, ef_construction: 100 }],
    [{ type: 'int8_flat', confidence_interval: 0.99 }, {}],
    [{ type: 'int4_hnsw', m: 8, rescore_vector: { oversample: 4 } }, { ef_construction: 100 }],
    [{ type: 'int4_flat', confidence_interval: 0 }, {}],
  ])('%j find what is near, with the scores of the vectors themselves', async (options, defaults) => {
    const index = `coded-${options.type}`;
    await create(index, { dims: DIMS, similarity: 'l2_norm', index_options: options });
    const shown = (await ok(node.get(`/${index}/_mapping`)))[index].mappings.properties.v.index_options;
    expect(shown).toEqual({ ...options, ...defaults });
    await fill(index, Object.fromEntries(vectors.map((vector, at) => [String(at), vector])));
    for (const rescore of [{}, { rescore_vector: { oversample: 5 } }]) {
      const query = draw();
      const knn = { field: 'v', query_vector: query, k: 10, num_candidates: 50, ...rescore };
      const hits = hitsOf(await search(index, { knn }));
      const all = vectors.map((vector, at) => [String(at), score(vector, query)] as const);
      const nearest = all.sort(([, left], [, right]) => right - left).slice(0, 10);
      const found = nearest.filter(([id]) => hits.some(([other]) => other === id)).length;
      expect(found).toBeGreaterThanOrEqual(8);
      for (const [id, own] of hits) expect(own).toBeCloseTo(score(vectors[Number(id)] ?? [], query), 5);
    }
    const usage = await ok(node.post(`/${index}/_disk_usage?run_expensive_tasks=true`));
    expect(usage[index].fields.v.knn_vectors_in_bytes).toBeGreaterThan(MANY * DIMS * 4.5);
  });

  it('come of indices that were not', async () => {
    await create('changing', { dims: DIMS, similarity: 'l2_norm', index_options: { type: 'flat' } });
    const update = (index_options: Json): Promise<Answer> =>
      node.put('/changing/_mapping', {
        properties: { v: { type: 'dense_vector', dims: DIMS, similarity: 'l2_norm', index_options } },
      });
    await fill('changing', { a: vectors[0] });
    await ok(update({ type: 'int8_hnsw', m: 8 }));
    await fill('changing', { b: vectors[1] });
    await ok(node.post('/changing/_forcemerge?max_num_segments=1'));
    await ok(node.post('/changing/_refresh'));
    const knn = { field: 'v', query_vector: vectors[1], k: 2, num_candidates: 10 };
    expect(idsOf(await search('changing', { knn }))).toBe('ba');
    await ok(update({ type: 'int4_hnsw', m: 16 }));
    expect(await refusal(update({ type: 'int4_hnsw', m: 8 }))).toContain('Cannot update parameter [index_options]');
    expect(await refusal(update({ type: 'flat' }))).toContain('Cannot update parameter [index_options]');
  });
});

it('refuses a first vector of an odd length where codes need an even one', async () => {
  const v = { type: 'dense_vector', index_options: { type: 'int4_hnsw' } };
  await node.put('/odd', { mappings: { properties: { v } } });
  const answer = await node.put('/odd/_doc/1', { v: [1, 2, 3] });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('int4_hnsw only supports even dimensions; provided=3');
  expect((await node.put('/odd/_doc/1', { v: [1, 2] })).status).toBe(201);
});

describe('fractions', () => {
  it('takes arrays of many fractions for vectors', async () => {
    const fractions = (count: number, first = 0.5): number[] => [first, ...Array<number>(count - 1).fill(0.25)];
    const lines = [
      { index: { _id: 'a' } },
      { v: fractions(128), short: fractions(127), whole: [...fractions(127), 1], o: { v: fractions(200) } },
      { index: { _id: 'b' } },
      { v: fractions(128, -0.5), short: 0.5 },
      { index: { _id: 'c' } },
      { v: fractions(129) },
    ];
    const { items } = await ok(node.bulk('/dynamic/_bulk?refresh', lines));
    expect(items.map((item: Json) => item.index.status)).toEqual([201, 201, 400]);
    expect(items[2].index.error.caused_by.reason).toContain('a different number of dimensions [129]');
    const { properties } = (await ok(node.get('/dynamic/_mapping'))).dynamic.mappings;
    expect(properties.v).toMatchObject({ type: 'dense_vector', dims: 128, index: true, similarity: 'cosine' });
    expect(properties.o.properties.v).toMatchObject({ type: 'dense_vector', dims: 200 });
    expect([properties.short.type, properties.whole.type]).toEqual(['float', 'float']);
    const knn = { field: 'v', query_vector: fractions(128, -0.5), k: 2, num_candidates: 10 };
    expect(idsOf(await ok(node.post('/dynamic/_search', { knn })))).toBe('ba');
  });
});
