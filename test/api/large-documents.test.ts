/** Documents that bring very many names: refused for what they would make of the mapping, without walking it all for each of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

const fieldsOf = (count: number, prefix = 'f') =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`${prefix}${number}`, 1]));
const dotted = (parts: number) => Array.from({ length: parts }, () => 'a').join('.');
const reasonOf = (text: string) => (JSON.parse(text) as { error: { reason: string } }).error.reason;

test('as many new fields as the mapping may have are added, one more is refused', async () => {
  const settings = { 'mapping.total_fields.limit': 2_000 };
  await node.put('/wide', { settings });
  expect((await node.put('/wide/_doc/1', fieldsOf(2_000))).status).toBe(201);
  const refused = await node.put('/wide/_doc/2', { one: 1 });
  expect([refused.status, reasonOf(refused.text)]).toEqual([
    400,
    expect.stringContaining('Limit of total fields [2000] has been exceeded') as string,
  ]);
  const { wide } = (await node.get('/wide/_mapping')).json();
  expect(Object.keys(wide.mappings.properties)).toHaveLength(2_000);
});

test('very many new fields are refused for their number, and none of them stays', async () => {
  await node.put('/crowded');
  const refused = await node.put('/crowded/_doc/1', fieldsOf(20_000));
  expect([refused.status, reasonOf(refused.text)]).toEqual([
    400,
    expect.stringContaining('Limit of total fields [1000] has been exceeded') as string,
  ]);
  expect((await node.get('/crowded/_mapping')).json()).toEqual({ crowded: { mappings: {} } });
});

test('a name of as many parts as the mapping may be deep is taken, one more is refused by the object that is too deep', async () => {
  await node.put('/deep');
  expect((await node.put('/deep/_doc/1', { [dotted(20)]: 1 })).status).toBe(201);
  for (const parts of [21, 20_000]) {
    const refused = await node.put('/deeper/_doc/1', { [dotted(parts)]: 1 });
    expect([refused.status, reasonOf(refused.text)]).toEqual([
      400,
      `Limit of mapping depth [20] has been exceeded due to object field [${dotted(20)}]`,
    ]);
  }
});

test('very many runtime fields come with one document', async () => {
  const settings = { 'mapping.total_fields.limit': 5_000 };
  await node.put('/computed', { settings, mappings: { dynamic: 'runtime' } });
  expect((await node.put('/computed/_doc/1', fieldsOf(3_000))).status).toBe(201);
  const { computed } = (await node.get('/computed/_mapping')).json();
  expect(Object.keys(computed.mappings.runtime)).toHaveLength(3_000);
});

test('documents of a bulk that are refused for their fields leave the others as they are', async () => {
  await node.put('/mixed', { settings: { 'mapping.total_fields.limit': 20 } });
  const items = Array.from({ length: 300 }, (_, number) =>
    number % 50 === 49 ? { good: number } : fieldsOf(30, `n${number}-`),
  );
  const answer = await node.bulk(
    '/mixed/_bulk?refresh=true',
    items.flatMap((item) => [{ index: {} }, item]),
  );
  const statuses = (answer.json().items as { index: { status: number } }[]).map(({ index }) => index.status);
  expect(statuses).toEqual(items.map((item) => ('good' in item ? 201 : 400)));
  expect((await node.get('/mixed/_count')).json().count).toBe(6);
  const { mixed } = (await node.get('/mixed/_mapping')).json();
  expect(Object.keys(mixed.mappings.properties)).toEqual(['good']);
});
