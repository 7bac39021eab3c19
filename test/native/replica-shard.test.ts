import { expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.js';
import { systemClock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { checkShard } from '../../src/native/check.js';
import { ReplicaShard } from '../../src/native/replica-shard.js';
import type { InstallMode } from '../../src/native/replica-shard.js';
import { NativeShard } from '../../src/native/shard.js';
import { encodePlan } from '../../src/search/plan/search-plan.js';
import { bulk, createTestShard, testDirectory, testOptions, TEST_MAPPING } from './open-test-shard.js';

const LIMITS = { max_clauses: 1024, max_buckets: 65_536, allow_expensive_queries: true };
const NOW = 1_000_000;

async function errorType(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof QuarryError) return error.type;
    throw error;
  }
  return 'no error';
}

function documents(from: number, to: number): unknown[] {
  return Array.from({ length: to - from }, (_, at) => [{ index: { _id: String(from + at) } }, { n: from + at }]).flat();
}

async function copySegments(primary: NativeShard, replica: ReplicaShard, mode: InstallMode): Promise<void> {
  const set = primary.segmentSet();
  const descriptor = set.descriptor();
  for (const file of replica.missingFiles(descriptor)) {
    for (let offset = file.received; offset < file.length; offset += 1000) {
      await replica.writeFile(file.name, offset, await set.read(file.name, offset, 1000));
    }
    await replica.finishFile(file.name);
  }
  expect(replica.missingFiles(descriptor)).toEqual([]);
  expect(await replica.install(descriptor, mode)).toBe(true);
}

async function replicate(primary: NativeShard, replica: ReplicaShard): Promise<void> {
  const { primaryTerm, globalCheckpoint } = primary.checkpoints();
  const operations = await primary.operationsSince(replica.checkpoints().maxSeqNo + 1, 1 << 20);
  const appended = replica.append(operations.bytes, primaryTerm, globalCheckpoint);
  expect(appended.maxSeqNo).toBe(operations.lastSeqNo);
  await replica.synced(appended.location);
}

async function count(copy: NativeShard | ReplicaShard): Promise<number> {
  const plan = encodePlan({ query: { match_all: {} }, now_ms: NOW, limits: LIMITS });
  const attended = { cancellation: new Cancellation(), clock: systemClock };
  return (await copy.searcher().count(plan, attended)).count;
}

test('a replica takes operations and segments, and becomes the primary without losing any', async () => {
  const directory = testDirectory();
  const primary = await createTestShard(testDirectory());
  const replica = await ReplicaShard.create(testOptions(directory), TEST_MAPPING, '{}', primary.historyUuid());
  expect(await errorType(() => replica.append(new Uint8Array(), 1, -1))).toBe('replica_not_aligned_exception');
  bulk(primary, documents(0, 10));
  primary.refresh(NOW);
  await copySegments(primary, replica, 'replace');
  expect(await count(replica)).toBe(10);
  expect(replica.checkpoints()).toMatchObject({ maxSeqNo: 9, searchableCheckpoint: 9, primaryTerm: 1 });
  bulk(primary, documents(5, 20));
  const { bytes } = await primary.operationsSince(15, 1 << 20);
  expect(bytes.length).toBeGreaterThan(0);
  await replicate(primary, replica);
  expect(replica.checkpoints()).toMatchObject({ maxSeqNo: 24, persistedCheckpoint: 24, searchableCheckpoint: 9 });
  primary.setGlobalCheckpoint(24);
  primary.refresh(NOW);
  await copySegments(primary, replica, 'view');
  expect(await replica.contentChecksum()).toEqual(await primary.contentChecksum());
  expect(replica.segments()).toHaveLength(2);
  expect(replica.stats()).toMatchObject({
    documents: 20,
    heldDocuments: 25,
    maxSeqNo: 24,
    translog: { operations: 15 },
  });
  bulk(primary, [{ delete: { _id: '3' } }]);
  await replicate(primary, replica);
  expect(await replica.flush()).toBe(true);
  expect(await replica.flush()).toBe(false);
  await replica.close();
  await primary.close();
  const promoted = await NativeShard.open({ ...testOptions(directory), primaryTerm: 2 }, TEST_MAPPING, '{}');
  expect(await count(promoted)).toBe(19);
  expect(promoted.checkpoints()).toMatchObject({ maxSeqNo: 25, localCheckpoint: 25, globalCheckpoint: 24 });
  bulk(promoted, documents(30, 31));
  expect(promoted.terms()).toEqual([
    { term: 1, firstSeqNo: 0 },
    { term: 2, firstSeqNo: 26 },
  ]);
  await promoted.close();
  expect(checkShard(directory)).toEqual([]);
});

test('the former primary gives up what its successor does not have, or is copied anew', async () => {
  const former = testDirectory();
  const later = testDirectory();
  const first = await createTestShard(former);
  const replica = await ReplicaShard.create(testOptions(later), TEST_MAPPING, '{}', first.historyUuid());
  await replica.rollbackAbove(-1, 1);
  bulk(first, documents(0, 3));
  await replicate(first, replica);
  bulk(first, documents(3, 6));
  await first.sync();
  await Promise.all([first.close(), replica.close()]);
  const second = await NativeShard.open({ ...testOptions(later), primaryTerm: 2 }, TEST_MAPPING, '{}');
  bulk(second, documents(7, 9));
  const returned = await ReplicaShard.open(testOptions(former), TEST_MAPPING, '{}');
  expect(returned.storeDescription()).toMatchObject({ maxSeqNo: 5, terms: [{ term: 1, firstSeqNo: 0 }], files: [] });
  const common = returned.commonSeqNo(second.terms(), second.checkpoints().maxSeqNo);
  expect(common).toBe(2);
  await returned.rollbackAbove(common, 2);
  expect(await errorType(() => returned.append(new Uint8Array(), 1, -1))).toBe('primary_term_stale_exception');
  const late = await second.operationsSince(4, 1);
  // A record that begins later than what it has.
  bulk(second, documents(9, 10));
  const gap = await second.operationsSince(5, 1);
  expect(late.lastSeqNo).toBe(4);
  expect(await errorType(() => returned.append(gap.bytes, 2, -1))).toBe('operation_gap_exception');
  await replicate(second, returned);
  second.refresh(NOW);
  await copySegments(second, returned, 'commit');
  expect(await returned.contentChecksum()).toEqual(await second.contentChecksum());
  expect(await errorType(() => returned.rollbackAbove(3, 3))).toBe('copy_anew_exception');
  await copySegments(second, returned, 'replace');
  expect(returned.checkpoints()).toMatchObject({ maxSeqNo: 5, historyStart: 6 });
  await second.flush(NOW);
  expect(await errorType(() => second.operationsSince(0, 1))).toBe('history_unavailable_exception');
  await Promise.all([second.close(), returned.close()]);
});
