/** What a thread remembers of the copies that other threads opened: those that are closed must go, though nobody asks for them again. */
import { mkdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { PublishedCopy } from '../../src/native/published-copy.js';
import { PublishedCopies } from '../../src/node/worker/published-copies.js';
import { shardDirectory } from '../../src/store/layout.js';
import { collectGarbage } from '../collect-garbage.js';
import { createTestShard, testDirectory } from '../native/open-test-shard.js';

/** More than a thread looks through at once, several times over. */
const INDICES = 100;
const REMEMBERED_MAX = 32;

it('forgets copies that were closed, and none that is open', async () => {
  const indices = testDirectory();
  const copies = new PublishedCopies(indices, false);
  const find = async (indexUuid: string): Promise<() => Promise<void>> => {
    const directory = shardDirectory(indices, indexUuid, 0);
    await mkdir(directory, { recursive: true });
    const shard = await createTestShard(directory);
    expect(copies.copyOf({ index: indexUuid, indexUuid, shard: 0 })).toBeDefined();
    return () => shard.close();
  };
  const close = await find('open');
  const open = copies.copyOf({ index: 'open', indexUuid: 'open', shard: 0 });
  const closed: WeakRef<PublishedCopy>[] = [];
  for (let number = 0; number < INDICES; number++) {
    const indexUuid = `gone-${number}`;
    const closeThis = await find(indexUuid);
    const copy = copies.copyOf({ index: indexUuid, indexUuid, shard: 0 });
    if (copy !== undefined) closed.push(new WeakRef(copy));
    await closeThis();
  }
  await collectGarbage();
  expect(closed.length).toBe(INDICES);
  expect(closed.filter((copy) => copy.deref() !== undefined).length).toBeLessThanOrEqual(REMEMBERED_MAX);
  expect(copies.copyOf({ index: 'open', indexUuid: 'open', shard: 0 })).toBe(open);
  await close();
});
