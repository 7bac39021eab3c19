/** More shards than the system lets a node open files: those that are not written to have theirs closed, and lose nothing by that. */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
/** A shard that is written to has two files open. */
const SHARDS = 400;
const FILES_MAX = 640;
/** Of these, what translogs may have. */
const SHARE = 1 / 4;
/** A translog is looked at twice before it rests. */
const SLACK = 40;
const DOCUMENTS = 2_000;

let node: TestNode | undefined;

afterEach(async () => {
  await node?.stop();
});

async function write(running: TestNode, from: number): Promise<void> {
  const lines = Array.from({ length: DOCUMENTS }, (_, item) => [{ index: { _id: String(from + item) } }, { n: item }]);
  const answer = (await running.bulk('/many/_bulk', lines.flat())).json();
  expect(answer.errors).toBe(false);
}

async function openFiles(running: TestNode): Promise<number> {
  const { nodes } = (await running.get('/_nodes/stats/process')).json();
  const [{ process }] = Object.values(nodes as object) as [{ process: { open_file_descriptors: number } }];
  return process.open_file_descriptors;
}

test.runIf(canLimit)('a node takes writes to more shards than it may open files, and keeps them', async () => {
  node = await TestNode.start();
  const before = await openFiles(node);
  // No shard is open yet: how many files there may be is asked when the first one is.
  const limited = spawnSync('prlimit', ['--pid', String(node.process.pid), `--nofile=${FILES_MAX}:`]);
  expect(limited.status).toBe(0);
  const settings = { number_of_shards: SHARDS, number_of_replicas: 0 };
  expect((await node.put('/many', { settings })).status).toBe(200);
  for (const from of [0, DOCUMENTS]) await write(node, from);
  expect((await openFiles(node)) - before).toBeLessThan(FILES_MAX * SHARE + SLACK);
  expect((await node.post('/many/_flush')).json()._shards.failed).toBe(0);
  await write(node, 2 * DOCUMENTS);

  await node.signal('SIGKILL');
  node = await TestNode.start({}, node.directory);
  expect((await node.get('/_cluster/health?wait_for_status=green&timeout=60s')).status).toBe(200);
  await node.post('/many/_refresh');
  expect((await node.get('/many/_count')).json().count).toBe(3 * DOCUMENTS);
});
