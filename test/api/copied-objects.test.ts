/** `copy_to` of fields whose values may be objects or pairs of numbers: places, shapes and ranges. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const place = { type: 'geo_point' };
const shape = { type: 'geo_shape' };
const range = { type: 'integer_range' };
const network = { type: 'ip_range' };
const word = { type: 'keyword' };
const PROPERTIES = {
  place: { ...place, copy_to: 'other_place' },
  other_place: { ...place, copy_to: 'never' },
  noted_place: { ...place, copy_to: ['other_place', 'note'] },
  shape: { ...shape, copy_to: ['other_shape'] },
  other_shape: shape,
  range: { ...range, copy_to: 'other_range' },
  other_range: { ...range, store: true },
  network: { ...network, copy_to: ['other_network', 'note'] },
  other_network: network,
  text: { ...word, copy_to: 'other_network' },
  note: word,
  lost: { ...range, copy_to: 'made' },
  inner: { type: 'nested', properties: { place: { ...place, copy_to: ['inner.other', 'other_place'] }, other: place } },
};

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/copies', { settings: { number_of_shards: 1 }, mappings: { properties: PROPERTIES } });
});

afterAll(async () => {
  await node.stop();
});

let documents = 0;

async function index(document: object): Promise<string> {
  documents += 1;
  const id = String(documents);
  const answer = await node.put(`/copies/_doc/${id}?refresh=true`, document);
  expect(answer.status, answer.text).toBe(201);
  return id;
}

async function found(query: object): Promise<readonly string[]> {
  const { hits } = (await node.post('/copies/_search', { query, size: 100 })).json();
  return hits.hits.map((hit: Json) => hit._id).sort();
}

async function refusal(document: object): Promise<Json> {
  const answer = await node.put('/copies/_doc/refused', document);
  expect(answer.status, answer.text).toBe(400);
  return answer.json().error;
}

const near = (field: string): object => ({ geo_distance: { [field]: '1,2', distance: '1m' } });

it.each([
  ['1,2'],
  [{ lat: 1, lon: 2 }],
  [[2, 1]],
  ['POINT (2 1)'],
  [[[2, 1], '5,5']],
  [{ type: 'Point', coordinates: [2, 1] }],
])('the place %j', async (value) => {
  const id = await index({ place: value });
  expect(await found(near('other_place'))).toContain(id);
  expect(await found({ exists: { field: 'never' } })).toEqual([]);
});

it('a place as a text, and not as an object', async () => {
  const id = await index({ noted_place: '1,2' });
  expect(await found({ term: { note: '1,2' } })).toEqual([id]);
  expect(await found(near('other_place'))).toContain(id);
  expect((await refusal({ noted_place: { lat: 1, lon: 2 } })).reason).toMatch(
    /^failed to parse field \[note] of type \[keyword] in document with id 'refused'\. Preview of field's value/,
  );
  expect((await refusal({ noted_place: [2, 1] })).caused_by.reason).toBe(
    'Cannot copy field [noted_place] to fields [other_place, note]. Copy-to currently only works for value-type fields, not objects.',
  );
});

it.each([['POINT (2 1)'], [{ type: 'Point', coordinates: [2, 1] }], [['POINT (2 1)', 'POINT (7 7)']]])(
  'the shape %j',
  async (value) => {
    const id = await index({ shape: value });
    expect(await found({ geo_shape: { other_shape: { shape: 'POINT (2 1)' } } })).toContain(id);
  },
);

it('ranges, within lists too', async () => {
  const one = await index({ range: { gte: 1, lt: 5 } });
  const two = await index({ range: [{ gte: 1, lt: 5 }, null, { gt: 90 }] });
  expect(await found({ term: { other_range: 4 } })).toEqual([one, two]);
  expect(await found({ term: { other_range: 99 } })).toEqual([two]);
  const stored = (await node.get(`/copies/_doc/${one}?stored_fields=other_range`)).json();
  expect(stored.fields.other_range).toEqual(['[1 : 5)']);
  expect((await refusal({ lost: { gte: 1 } })).caused_by.reason).toMatch(
    /^Cannot copy field \[lost] to fields \[made]/,
  );
});

it('networks, from texts too', async () => {
  const one = await index({ network: '10.0.0.0/8' });
  const two = await index({ network: ['10.1.0.0/16'] });
  const three = await index({ text: '10.1.0.0/24' });
  expect(await found({ term: { other_network: '10.1.0.7' } })).toEqual([one, two, three]);
  expect(await found({ prefix: { note: '10.' } })).toEqual([one, two]);
  expect((await refusal({ text: 'x' })).reason).toContain('failed to parse field [other_network] of type [ip_range]');
});

it('out of and within nested objects', async () => {
  const id = await index({ inner: [{ place: { lat: 1, lon: 2 } }, { place: [9, 9] }] });
  expect(await found({ nested: { path: 'inner', query: near('inner.other') } })).toEqual([id]);
  expect(await found(near('other_place'))).toContain(id);
});
