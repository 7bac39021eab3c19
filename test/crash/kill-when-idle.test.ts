/**
 * A node is killed while nobody writes: the next one opens its shards without writing to their translogs, and what is written then
 * survives the next kill, as often as that happens.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';

const KILLS = [1, 2, 3, 4, 5, 6];

let node: TestNode | undefined;

beforeAll(async () => {
  const running = await startAgain();
  await running.put('/idle', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
});

afterAll(async () => {
  await node?.stop();
});

/** Names, lengths and times of the files of the shard's translog. */
function translogOf({ directory }: TestNode): readonly string[] {
  const files = readdirSync(join(directory, 'data', 'indices'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.includes('translog'))
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(directory, 'data', 'indices', name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

async function startAgain(): Promise<TestNode> {
  await node?.signal('SIGKILL');
  const running = await TestNode.start({}, node?.directory);
  node = running;
  expect((await running.get('/_cluster/health?wait_for_status=green&timeout=30s')).status).toBe(200);
  return running;
}

async function count(running: TestNode): Promise<number> {
  await running.post('/idle/_refresh');
  return (await running.get('/idle/_count')).json().count as number;
}

// Each goes on with what the one before has left.
test.each(KILLS)('an untouched translog stays as it is, and what follows is kept: %i', async (kill) => {
  // What was written before is read back, and followed by an empty generation.
  const before = translogOf(await startAgain());
  expect(before.length).toBeGreaterThan(1);
  const running = await startAgain();
  expect(translogOf(running)).toEqual(before);
  expect(await count(running)).toBe(kill - 1);
  const answer = await running.put(`/idle/_doc/${kill}`, { kill });
  expect(answer.status).toBe(201);
  expect(answer.json()._seq_no).toBe(kill - 1);
});

test('all of it is there after the last kill', async () => {
  expect(await count(await startAgain())).toBe(KILLS.length);
});
