import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.js';
import { systemClock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { checkShard } from '../../src/native/check.js';
import { describeDocument } from '../../src/native/describe-items.js';
import { encodePlan } from '../../src/search/plan/search-plan.js';
import {
  bulk,
  createTestShard,
  itemsOf,
  openTestShard,
  sharedBody,
  testDirectory,
  testOptions,
  TEST_MAPPING,
} from './open-test-shard.js';
import { NativeShard } from '../../src/native/shard.js';

const LIMITS = { max_clauses: 1024, max_buckets: 65_536, allow_expensive_queries: true };

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

test('documents are written from shared memory, read back, refreshed and found', async () => {
  const shard = await createTestShard(testDirectory());
  const outcome = bulk(shard, [
    { index: { _id: '1' } },
    { n: 1, t: 'one fine day' },
    { index: { _id: '2' } },
    { n: 'x' },
    { create: {} },
    { n: 3, t: 'another day' },
  ]);
  expect(outcome.processed).toBe(3);
  expect(outcome.failed).toBe(1);
  expect([...outcome.statuses]).toEqual([201, 400, 201]);
  expect(itemsOf(outcome)[0]).toMatchObject({ index: { _id: '1', result: 'created', status: 201 } });
  await shard.synced(outcome.location);
  expect(JSON.parse(text(shard.get('1').body))).toMatchObject({ found: true, _source: { n: 1 } });
  expect(shard.isDirty()).toBe(true);
  expect(shard.refresh(1_000_000)).toBe(true);
  expect(shard.isDirty()).toBe(false);
  const plan = encodePlan({ query: { match_all: {} }, now_ms: 1_000_000, limits: LIMITS });
  const attended = { cancellation: new Cancellation(), clock: systemClock };
  expect(await shard.searcher().count(plan, attended)).toEqual({ count: 2, terminatedEarly: false });
  await shard.close();
  expect(() => shard.isDirty()).toThrow('the shard is closed');
});

test('one document goes through the same call and answers as the document endpoints do', async () => {
  const shard = await createTestShard(testDirectory());
  const body = sharedBody([{ n: 1 }]);
  const items = describeDocument({ action: 'create', id: 'a', routing: 'r' }, body.length);
  const options = { nowMs: 0, bare: true, forcedRefresh: true };
  const created = shard.bulk(body, items, Uint32Array.of(0), options);
  expect(itemsOf(created)).toEqual([
    {
      _index: 'test',
      _id: 'a',
      _version: 1,
      result: 'created',
      forced_refresh: true,
      _shards: { total: 1, successful: 1, failed: 0 },
      _seq_no: 0,
      _primary_term: 1,
    },
  ]);
  const again = shard.bulk(body, items, Uint32Array.of(0), options);
  expect(itemsOf(again)).toMatchObject([{ error: { type: 'version_conflict_engine_exception', index: 'test' } }]);
  await shard.close();
});

test('contradictions in one action are refused with the sentences of the API', () => {
  const describe = (action: Partial<Parameters<typeof describeDocument>[0]>): (() => unknown) => {
    return () => describeDocument({ action: 'index', id: '1', ...action }, 0);
  };
  expect(describe({ ifPrimaryTerm: 3 })).toThrow('ifSeqNo is unassigned, but primary term is [3]');
  expect(describe({ action: 'create', version: 5n, versionType: 'external' })).toThrow(
    'Validation Failed: 1: create operations only support internal versioning. use index instead;',
  );
  expect(describe({ version: -5n, versionType: 'external' })).toThrow('illegal version value [-5]');
  expect(describe({ id: 'x'.repeat(513) })).toThrow('id is too long');
  expect(describe({ ifSeqNo: 2 ** 40, ifPrimaryTerm: 1 })).not.toThrow();
});

test('a shard that was closed, or only left, is recovered; damage is refused by name', async () => {
  const directory = testDirectory();
  const first = await createTestShard(directory);
  await first.synced(bulk(first, [{ index: { _id: '1' } }, { n: 1 }]).location);
  expect(await first.flush(0)).toBe(true);
  expect(await first.flush(0)).toBe(false);
  await first.synced(bulk(first, [{ index: { _id: '2' } }, { n: 2 }]).location);
  const left = testDirectory();
  cpSync(directory, left, { recursive: true });
  const second = await openTestShard(left);
  expect(second.stats()).toMatchObject({ documents: 2, maxSeqNo: 1, translog: { operations: 1 } });
  expect(second.get('2').found).toBe(true);
  await second.close();
  // Whoever opens the directory again waits until the shard that is open there is closed.
  const third = openTestShard(directory);
  await first.close();
  await (await third).close();
  await expect(NativeShard.create(testOptions(directory), TEST_MAPPING, '{}')).rejects.toThrow('holds a shard already');
  await expect(openTestShard(testDirectory())).rejects.toThrow(
    expect.objectContaining({ type: 'corrupt_index_exception' }) as QuarryError,
  );
});

test('errors carry type, reason, place and cause', async () => {
  const shard = await createTestShard(testDirectory());
  bulk(shard, [{ index: { _id: '1' } }, { n: 1 }]);
  let thrown: unknown;
  try {
    shard.get('1', { version: '7' });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(QuarryError);
  expect(thrown).toMatchObject({
    type: 'version_conflict_engine_exception',
    message: '[1]: version conflict, current version [1] is different than the one provided [7]',
    details: { index: 'test', shard: '0', index_uuid: 'uuid' },
  });
  await shard.close();
});

test('an asynchronous translog is acknowledged at once and synced when asked', async () => {
  const shard = await NativeShard.create(testOptions(testDirectory(), { durability: 'async' }), TEST_MAPPING, '{}');
  const { location } = bulk(shard, [{ index: { _id: '1' } }, { n: 1 }]);
  await shard.synced(location);
  await shard.sync();
  await shard.close();
});

test('many waiters of one shard are all answered', async () => {
  const shard = await createTestShard(testDirectory());
  const waits = Array.from({ length: 100 }, (_, id) =>
    shard.synced(bulk(shard, [{ index: { _id: String(id) } }, { n: id }]).location),
  );
  await Promise.all(waits);
  expect(shard.stats()).toMatchObject({ maxSeqNo: 99, localCheckpoint: 99, indexing: { indexTotal: 100 } });
  await shard.close();
});

test('segments are merged on another thread while deletions go on', async () => {
  const directory = testDirectory();
  const shard = await createTestShard(directory);
  for (let round = 0; round < 3; round++) {
    const ids = Array.from({ length: 10 }, (_, id) => String(round * 10 + id));
    bulk(
      shard,
      ids.flatMap((id) => [{ index: { _id: id } }, { n: Number(id), t: `word ${id}` }]),
    );
    shard.refresh(0);
  }
  bulk(shard, [{ delete: { _id: '3' } }]);
  const { NativeMerge } = await import('../../src/native/merge.js');
  const job = shard.beginMerge(shard.segments().map(({ name }) => name));
  expect(shard.segments().every(({ merging }) => merging)).toBe(true);
  bulk(shard, [{ delete: { _id: '14' } }, { index: { _id: '25' } }, { n: 0 }]);
  const outcome = await new NativeMerge(job).run();
  shard.finishMerge(outcome);
  shard.refresh(0);
  expect(shard.segments().map(({ documents, deleted }) => [documents, deleted])).toEqual([
    [27, 2],
    [1, 0],
  ]);
  await shard.flush(0);
  await shard.close();
  expect(checkShard(directory)).toEqual([]);
  const reopened = await openTestShard(directory);
  expect(reopened.stats()).toMatchObject({ documents: 28, heldDocuments: 30 });
  expect(JSON.parse(text(reopened.get('25').body))).toMatchObject({ _version: 2, _source: { n: 0 } });
  await reopened.close();
});
