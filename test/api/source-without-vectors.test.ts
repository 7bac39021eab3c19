/** `_source.exclude_vectors`, which clients of version 9 send with every search. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
  const place = { type: 'dense_vector', dims: 2 };
  const properties = { title: { type: 'text' }, place, more: { properties: { place } } };
  await node.put('/maps', { mappings: { properties } });
  await node.put('/texts');
  const source = { title: 'one', place: [1, 2], more: { place: [3, 4], name: 'x' } };
  await node.put('/maps/_doc/1?refresh', source);
  // Here it is no vector.
  await node.put('/texts/_doc/2?refresh', { title: 'two', place: 'here' });
});
afterAll(async () => {
  await node.stop();
});

async function sources(filter: Json): Promise<Json> {
  const answer = await node.post('/maps,texts/_search', { _source: filter });
  expect(answer.status, answer.text).toBe(200);
  const { hits } = answer.json().hits;
  return ['1', '2'].map((id) => hits.find((hit: Json) => hit._id === id)._source);
}

test('leaves out the vectors of each index, beside other patterns', async () => {
  const texts = { title: 'two', place: 'here' };
  expect(await sources({ exclude_vectors: true })).toEqual([{ title: 'one', more: { name: 'x' } }, texts]);
  expect(await sources({ exclude_vectors: true, excludes: ['title'] })).toEqual([
    { more: { name: 'x' } },
    { place: 'here' },
  ]);
  const [whole] = await sources({ exclude_vectors: false });
  expect(whole).toMatchObject({ place: [1, 2], more: { place: [3, 4] } });
});

test('is refused by name where it is not there', async () => {
  const tops = { top_hits: { _source: { exclude_vectors: true } } };
  const answer = await node.post('/maps/_search', { aggs: { tops } });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('[_source.exclude_vectors]');
  expect((await node.post('/maps/_search', { _source: { exclude_vectors: 'some' } })).status).toBe(400);
});
