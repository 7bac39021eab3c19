/**
 * The disk takes no more: simulated by a limit on the size of files, which the system lets us set on a running process. The
 * shard fails loudly, loses nothing that it acknowledged, and comes back by itself.
 */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode } from '../api/node-harness.js';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
const KILOBYTE = 1024;
/** Their segment is larger than the limit; the files of the coordinator and the log are smaller. */
const DOCUMENTS = 600;
const LIMIT_KILOBYTES = 128;

const random = seededRandom(7);

/** Text that does not compress. */
function randomText(): string {
  return Array.from({ length: 60 }, () => random.below(2 ** 31).toString(36)).join(' ');
}

let node: TestNode;

afterEach(async () => {
  await node.stop();
});

/** Files of the node cannot grow beyond this any more; the hard limit stays, so that it can be lifted again. */
function limitFiles(bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(node.process.pid), `--fsize=${bytes}:`]);
  expect(status, stderr.toString()).toBe(0);
}

async function write(from: number, count: number): Promise<{ status: number; acknowledged: string[]; text: string }> {
  const ids = Array.from({ length: count }, (_, item) => String(from + item));
  const lines = ids.flatMap((id) => [{ index: { _id: id } }, { text: randomText() }]);
  const answer = await node.bulk('/full/_bulk', lines);
  const items = answer.status === 200 ? (answer.json().items as { index: { _id: string; status: number } }[]) : [];
  const acknowledged = items.filter(({ index }) => index.status === 201).map(({ index }) => index._id);
  return { status: answer.status, acknowledged, text: answer.text };
}

async function expectAll(ids: readonly string[]): Promise<void> {
  const docs = (await node.post('/full/_mget?_source=false', { ids })).json().docs as { found: boolean }[];
  expect(docs.filter(({ found }) => !found)).toEqual([]);
  await node.post('/full/_refresh');
  expect((await node.get('/full/_count')).json().count).toBe(ids.length);
}

async function isGreen(): Promise<true | undefined> {
  const health = await node.get('/_cluster/health?wait_for_status=green&timeout=5s');
  return health.json().status === 'green' ? true : undefined;
}

test.runIf(canLimit).each([
  // The translog meets the limit.
  { what: 'a write', provoke: () => write(1_000, 800) },
  // The translog has room, the segment of the refresh has not.
  { what: 'a refresh', provoke: () => node.post('/full/_refresh') },
])('$what that fails fails the shard, which comes back when there is room', async ({ provoke }) => {
  node = await TestNode.start();
  await node.put('/full', {
    settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' },
    mappings: { properties: { text: { type: 'text' } } },
  });
  await node.put('/other', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const before = await write(0, DOCUMENTS);
  expect(before.acknowledged).toHaveLength(DOCUMENTS);

  limitFiles(LIMIT_KILOBYTES * KILOBYTE);
  const failed = await provoke();
  // Whoever comes before the shard is opened anew is told that it is not there.
  const late = await Promise.all(Array.from({ length: 20 }, () => node.post('/full/_refresh')));
  expect(late.filter(({ text }) => text.includes('illegal_state_exception'))).toEqual([]);
  expect(failed.text).toMatch(/i_o_exception.*File too large/s);
  expect('acknowledged' in failed ? failed.acknowledged : []).toEqual([]);
  await node.until(async () => ((await node.get('/_cluster/health')).json().status === 'red' ? true : undefined));

  limitFiles('unlimited');
  await node.until(isGreen);
  await expectAll(before.acknowledged);
  const after = await write(5_000, 100);
  expect(after.acknowledged).toHaveLength(100);
  const directory = node.directory;
  await node.signal('SIGKILL');
  node = await TestNode.start({}, directory);
  await node.until(isGreen);
  await expectAll([...before.acknowledged, ...after.acknowledged]);
});

test.runIf(canLimit)('a shard that keeps failing stays visibly red until it is opened again', async () => {
  node = await TestNode.start();
  await node.put('/full', { settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' } });
  const before = await write(0, DOCUMENTS);
  await node.put('/full/_settings', { 'index.allocation.max_retries': 2 });
  limitFiles(LIMIT_KILOBYTES * KILOBYTE);
  expect((await node.post('/full/_refresh')).text).toContain('File too large');
  // Between its tries it is unassigned, too.
  await node.until(async () => {
    const explained = (await node.get('/_cluster/allocation/explain')).json();
    return explained.unassigned_info?.failed_allocation_attempts === 2 ? true : undefined;
  });
  const [row] = (
    await node.get('/_cat/shards/full?format=json&h=state,unassigned.reason,unassigned.details')
  ).json() as Record<string, string>[];
  expect(row?.['state']).toBe('UNASSIGNED');
  expect(row).toMatchObject({ 'unassigned.reason': 'ALLOCATION_FAILED' });
  expect(row?.['unassigned.details']).toContain('File too large');
  expect((await node.get('/_cluster/health')).json()).toMatchObject({ status: 'red', unassigned_shards: 1 });
  const searched = await node.post('/full/_search', {});
  expect([searched.status, searched.text]).toEqual([503, expect.stringContaining('File too large')]);

  limitFiles('unlimited');
  await node.signal('SIGTERM');
  node = await TestNode.start({}, node.directory);
  await node.until(isGreen);
  await expectAll(before.acknowledged);
});
