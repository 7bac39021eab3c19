import { expect, it } from 'vitest';
import { countCopies } from '../../../src/actions/operations/count-copies.js';
import { describeDocument } from '../../../src/native/describe-items.js';
import { toRepeat } from '../../../src/native/rewrite-items.js';
import { bulk, createTestShard, itemsOf, sharedBody, testDirectory } from '../../native/open-test-shard.js';

const LINES = [
  { index: { _id: '1' } },
  { n: 1 },
  { index: { _id: '2' } },
  { n: 'not a number' },
  { index: { _id: '"_shards":{"total":1,"successful":1,"failed":0}' } },
  { n: 3 },
];

it.each([1, 2, 9, 10, 123])('tells that %i copies have what was written', async (copies) => {
  const shard = await createTestShard(testDirectory());
  const { items, ends } = bulk(shard, LINES);
  const places = Uint32Array.of(0, 1, 2);
  const counted = countCopies([{ items, ends, places }], copies);
  expect(counted).toHaveLength(1);
  const told = counted.flatMap((answer) => itemsOf(answer)) as {
    index: { _id: string; _shards?: unknown; error?: unknown; _seq_no?: number };
  }[];
  expect(told.map(({ index }) => index._id)).toEqual(LINES.flatMap((line) => ('index' in line ? line.index?._id : [])));
  expect(told.map(({ index }) => index._shards)).toEqual([
    { total: 1, successful: copies, failed: 0 },
    undefined,
    { total: 1, successful: copies, failed: 0 },
  ]);
  expect(told.map(({ index }) => index._seq_no)).toEqual([0, undefined, 1]);
  await shard.close();
});

it('a document with an automatic id that is written again is answered as new', async () => {
  const shard = await createTestShard(testDirectory());
  const body = sharedBody([{ n: 1 }]);
  const first = describeDocument({ action: 'create', id: 'made', autoId: true }, body.length);
  const options = { nowMs: 0, bare: true };
  const written = { _id: 'made', _version: 1, result: 'created' };
  expect(itemsOf(shard.bulk(body, first, Uint32Array.of(0), options))).toMatchObject([{ ...written, _seq_no: 0 }]);
  const { items, safe } = toRepeat(first, Uint32Array.of(0));
  expect(itemsOf(shard.bulk(body, items, safe, options))).toMatchObject([{ ...written, _seq_no: 1 }]);
  shard.refresh(1);
  expect(shard.stats().documents).toBe(1);
  await shard.close();
});
