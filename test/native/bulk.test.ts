import { expect, test } from 'vitest';
import { ID_SEED_BYTES, joinItems, murmur3, shardOf, groupItems, splitBulk } from '../../src/native/bulk.js';
import { describeDocument } from '../../src/native/describe-items.js';
import {
  actionOfItem,
  DESCRIPTOR_WORDS,
  idOfItem,
  indexOfItem,
  itemCount,
  requiresAlias,
  routingOfItem,
  versionTypeOfItem,
} from '../../src/native/descriptor.js';
import { withRouting } from '../../src/native/rewrite-items.js';
import { sharedBody } from './open-test-shard.js';

const SEED = new Uint8Array(ID_SEED_BYTES).fill(7);

test('both languages read the same descriptors', () => {
  const body = sharedBody([
    { index: { _index: 'a', _id: 'é1', routing: 'r' } },
    { n: 1 },
    { delete: { _index: 'b', _id: '2', version: 3, version_type: 'external_gte' } },
    { create: { _index: 'a', require_alias: true } },
    {},
  ]);
  const split = splitBulk(body, {}, SEED);
  expect(split.indexNames).toEqual(['a', 'b']);
  expect(itemCount(split)).toBe(3);
  expect([0, 1, 2].map((item) => actionOfItem(split, item))).toEqual(['index', 'delete', 'create']);
  expect([0, 1, 2].map((item) => indexOfItem(split, item))).toEqual([0, 1, 0]);
  expect(idOfItem(split, 0)).toBe('é1');
  expect(idOfItem(split, 2)).toMatch(/^[\w-]{20}$/);
  expect([0, 1].map((item) => routingOfItem(split, item))).toEqual(['r', undefined]);
  expect(versionTypeOfItem(split, 1)).toBe('external_gte');
  expect([0, 1, 2].map((item) => requiresAlias(split, item))).toEqual([false, false, true]);
});

test('a document described here is described as the body would be', () => {
  const body = sharedBody([{ index: { _id: 'x', routing: 'r', if_seq_no: 2 ** 33, if_primary_term: 4 } }, { n: 1 }]);
  const split = splitBulk(body, { index: 'i' }, SEED);
  const described = describeDocument({ action: 'index', id: 'x', routing: 'r', ifSeqNo: 2 ** 33, ifPrimaryTerm: 4 }, 7);
  const words = split.descriptors.slice();
  // The place of the document in the body differs.
  words[6] = 0;
  expect(described.descriptors).toEqual(words);
  expect(described.descriptors).toHaveLength(DESCRIPTOR_WORDS);
  expect(Buffer.from(described.strings)).toEqual(Buffer.from(split.strings));
});

test('a routing can be added afterwards', () => {
  const split = splitBulk(sharedBody([{ delete: { _id: '1' } }, { delete: { _id: '2' } }]), { index: 'i' }, SEED);
  const routed = withRouting(split, new Map([[1, 'alias']]));
  expect([0, 1].map((item) => routingOfItem(routed, item))).toEqual([undefined, 'alias']);
  expect([0, 1].map((item) => idOfItem(routed, item))).toEqual(['1', '2']);
});

test('items go to the shards that the formula gives', () => {
  const target = { shards: 5, routingShards: 640 };
  const ids = Array.from({ length: 50 }, (_, id) => String(id));
  const split = splitBulk(sharedBody(ids.map((_id) => ({ delete: { _id } }))), { index: 'i' }, SEED);
  const groups = groupItems(split, [0], [target], Uint32Array.of(3, 7));
  expect(groups).toHaveLength(5);
  for (const { shard, places } of groups)
    for (const place of places) expect(shardOf(target, ids[place] ?? '')).toBe(shard);
  const places = groups.flatMap((group) => [...group.places]).sort((left, right) => left - right);
  expect(places).toEqual([...ids.keys()].filter((place) => place !== 3 && place !== 7));
  expect(groupItems(split, [null], [target], new Uint32Array())).toEqual([]);
  expect(shardOf(target, '1', 'x')).toBe(shardOf(target, '2', 'x'));
  expect(murmur3('hello') >>> 0).toBe(0xd7c31989);
});

test('broken bodies are refused with their line', () => {
  const split = (body: string): (() => unknown) => {
    return () => splitBulk(Buffer.from(body), { index: 'i' }, SEED);
  };
  expect(split('{"index":{}}\n{}\n{"index":"x"}\n{}\n')).toThrow(
    expect.objectContaining({
      type: 'illegal_argument_exception',
      message: 'Malformed action/metadata line [3], expected START_OBJECT or END_OBJECT but found [VALUE_STRING]',
    }) as Error,
  );
  expect(split('{"index":{}}\n{}')).toThrow('The bulk request must be terminated by a newline [\\n]');
  expect(split('\n')).toThrow('Validation Failed: 1: no requests added;');
});

test('answers come in the order of the request', () => {
  const first = { items: Buffer.from('{"a":1}{"b":2}'), ends: Uint32Array.of(7, 14), places: Uint32Array.of(1, 0) };
  expect(Buffer.from(joinItems([first], 2)).toString()).toBe('[{"b":2},{"a":1}]');
  expect(() => joinItems([first], 3)).toThrow('item [2] was not answered');
});
