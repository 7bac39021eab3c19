import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { TurnOfLoop } from '../../src/base/turn-of-loop.js';
import { copiesOfRecord, readCopyRecord, readWholeCopyRecord, writeCopyRecord } from '../../src/store/copy-record.js';
import { directoryBytes, shardPlaces } from '../../src/store/shard-directories.js';

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-store-'));
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

const RECORD = { allocationId: 'a', index: 'x', indexCreatedAtMs: 7 };

it('tells which copy the files beside it are of, unless it is damaged', async () => {
  const directory = join(home, 'indices', 'uuid', '0');
  expect(readCopyRecord(directory)).toBeUndefined();
  await writeCopyRecord(directory, RECORD);
  expect(readCopyRecord(directory)).toEqual(RECORD);
  const file = join(directory, 'copy');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"a"', '"b"'));
  expect(() => readCopyRecord(directory)).toThrow(expect.objectContaining({ type: 'corrupt_index_exception' }));
  expect(readWholeCopyRecord(directory)).toBeUndefined();
  await writeCopyRecord(directory, RECORD);
  expect(readCopyRecord(directory)).toEqual(RECORD);
});

it('tells which copy left the files', async () => {
  const directory = join(home, 'indices', 'uuid', '2');
  const record = { ...RECORD, formerAllocationId: 'z' };
  await writeCopyRecord(directory, record);
  expect(readCopyRecord(directory)).toEqual(record);
  expect([copiesOfRecord(record), copiesOfRecord(RECORD)]).toEqual([['a', 'z'], ['a']]);
  await rm(directory, { recursive: true });
});

it('finds directories of shards and what they take', async () => {
  const indices = join(home, 'indices');
  for (const name of ['uuid/11', 'uuid/1.removed', 'uuid/x']) await writeCopyRecord(join(indices, name), RECORD);
  expect(await shardPlaces(indices, new TurnOfLoop(systemClock))).toEqual([
    { indexUuid: 'uuid', shard: 0 },
    { indexUuid: 'uuid', shard: 11 },
  ]);
  const { length } = await readFile(join(indices, 'uuid', '11', 'copy'));
  expect(directoryBytes(join(indices, 'uuid', '11'))).toBe(length);
  expect(directoryBytes(join(indices, 'nowhere'))).toBe(0);
});
