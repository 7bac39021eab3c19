/** Runtime fields of mappings, and documents that have something under their names. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

it('leaves alone what documents have under names of computed fields', async () => {
  const part = { type: 'keyword' };
  const c = { type: 'composite', script: "emit('part', 'computed')", fields: { part } };
  const plain = { type: 'long', script: 'emit(7)' };
  const properties = { from: { type: 'keyword', copy_to: ['c.part'] } };
  await node.put('/alone', { mappings: { runtime: { c, plain }, properties } });
  const documents = [
    { c: { part: 'own', other: 1 } },
    { 'c.part': 'own' },
    { plain: 'text', from: 'x' },
    { plain: [1, 'text', null] },
    { plain: { inner: 2 } },
  ];
  for (const document of documents) expect((await node.post('/alone/_doc?refresh=true', document)).status).toBe(201);
  const mapped = (await node.get('/alone/_mapping')).json().alone.mappings.properties;
  expect(mapped).toEqual({
    ...properties,
    c: { properties: { other: { type: 'long' } } },
    plain: { properties: { inner: { type: 'long' } } },
  });
  expect((await node.post('/alone/_count', { query: { term: { plain: 7 } } })).json().count).toBe(5);
  expect((await node.post('/alone/_count', { query: { term: { 'c.part': 'computed' } } })).json().count).toBe(5);
  expect((await node.post('/alone/_count', { query: { term: { 'plain.inner': 2 } } })).json().count).toBe(1);
  // From now on there is an object of that name.
  expect((await node.post('/alone/_doc', { plain: 3 })).status).toBe(400);
  expect((await node.post('/alone/_doc', { plain: null, c: { part: 'again' } })).status).toBe(201);
});

it('makes runtime fields by dynamic templates', async () => {
  const dynamic_templates = [
    { texts: { match_mapping_type: 'string', match: 'code_*', runtime: {} } },
    { sums: { match: 'sum_*', runtime: { type: 'double', script: "emit(params._source['{name}'] * 2.5)" } } },
  ];
  await node.put('/templated', { mappings: { dynamic_templates } });
  await node.post('/templated/_doc?refresh=true', { code_a: 'x', code_n: 3, sum_n: 4, inner: { code_b: 'y' } });
  const { mappings } = (await node.get('/templated/_mapping')).json().templated;
  const source = "emit(params._source['sum_n'] * 2.5)";
  expect(mappings.runtime).toEqual({
    code_a: { type: 'keyword' },
    'inner.code_b': { type: 'keyword' },
    sum_n: { type: 'double', script: { source, lang: 'painless' } },
  });
  expect(mappings.dynamic_templates).toEqual(dynamic_templates);
  expect(mappings.properties).toEqual({ code_n: { type: 'long' }, inner: { type: 'object' } });
  const filter = [{ term: { code_a: 'x' } }, { term: { 'inner.code_b': 'y' } }, { term: { sum_n: 10 } }];
  expect((await node.post('/templated/_count', { query: { bool: { filter } } })).json().count).toBe(1);
  expect((await node.post('/templated/_doc', { code_a: 'z', sum_n: 'no number' })).status).toBe(201);
});

it('refuses values of runtime fields that are objects elsewhere, and the other way round', async () => {
  await node.put('/leaves', { mappings: { dynamic: 'runtime' } });
  const lines = [{ a: { b: 1 } }, { a: 1 }, { d: 1 }, { d: { e: 1 } }].flatMap((document) => [{ index: {} }, document]);
  const answer = await node.bulk('/leaves/_bulk?refresh', lines);
  const statuses = answer.json().items.map((item: Json) => (item['index'] as { status: number }).status);
  expect(statuses).toEqual([201, 400, 201, 400]);
});
