/** Files of a shard that were damaged while the node was down: refused by name, and nothing else suffers. */
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand, TestNode, type Json } from '../api/node-harness.js';

let node: TestNode;

beforeEach(async () => {
  node = await TestNode.start();
});

afterEach(async () => {
  await node.stop();
});

/** An index with a committed segment and operations in its translog. Ends with the node killed. */
async function prepare(): Promise<{ shard: string }> {
  for (const name of ['damaged', 'whole']) {
    // The second half stays in the translog, however slow the machine.
    await node.put(`/${name}`, { settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' } });
    const write = async (from: number): Promise<void> => {
      const ids = Array.from({ length: 300 }, (_, item) => String(from + item));
      const lines = ids.flatMap((id) => [{ index: { _id: id } }, { text: `document number ${id}`, n: Number(id) }]);
      expect((await node.bulk(`/${name}/_bulk`, lines)).json().errors).toBe(false);
    };
    await write(0);
    expect((await node.post(`/${name}/_flush`)).status).toBe(200);
    await write(300);
  }
  const settings = (await node.get('/damaged/_settings')).json();
  const { uuid } = settings.damaged.settings.index as { uuid: string };
  await node.signal('SIGKILL');
  return { shard: join(node.directory, 'data', 'indices', uuid, '0') };
}

async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 4, middle);
  await writeFile(path, bytes);
}

async function cutInHalf(path: string): Promise<void> {
  await truncate(path, Math.floor((await readFile(path)).length / 2));
}

const DAMAGES = { 'a flipped bit': flipBit, truncation: cutInHalf };

test.each(
  ['.seg', 'commit_', '.tlog'].flatMap((file) =>
    (Object.keys(DAMAGES) as (keyof typeof DAMAGES)[]).map((damage) => ({ file, damage })),
  ),
)('$damage in the file [$file] is reported by name, and other indices go on', async ({ file, damage }) => {
  const { shard } = await prepare();
  const names = (await readdir(shard)).filter((name) => name.includes(file)).sort();
  const name = names.at(-1) ?? '';
  await DAMAGES[damage](join(shard, name));

  const checked = await runCommand(['check', join(node.directory, 'data')]);
  expect(checked.code).toBe(1);
  expect(checked.output).toContain(name);

  node = await TestNode.start({}, node.directory);
  const searched = await node.until(async () => {
    const answer = await node.post('/damaged/_search', {});
    return answer.text.includes(name) ? answer : undefined;
  });
  expect(searched.status).toBeGreaterThanOrEqual(500);
  const read = await node.get('/damaged/_doc/1');
  expect(read.status).toBeGreaterThanOrEqual(500);
  expect(read.text).toContain(name);
  expect((await node.get('/whole/_count')).json().count).toBe(600);
  expect((await node.put('/whole/_doc/new', { n: 1 })).status).toBe(201);
  expect((await node.get('/_cluster/health')).json().status).toBe('red');
  const shards: Json = (await node.get('/_cat/shards/damaged?format=json&h=state,unassigned.details')).json();
  expect(shards[0].state).not.toBe('STARTED');
  expect((await node.delete('/damaged')).status).toBe(200);
  expect((await node.get('/_cluster/health')).json().status).not.toBe('red');
});

test.each(['node-id', join('cluster', 'raft-id')])('a damaged [%s] is found by the check', async (file) => {
  await node.signal('SIGTERM');
  const data = join(node.directory, 'data');
  await flipBit(join(data, file));
  const { code, output } = await runCommand(['check', data]);
  expect(code).toBe(1);
  expect(output).toContain(join(data, file));
});
