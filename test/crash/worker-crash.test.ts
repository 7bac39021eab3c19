/** A worker thread ends in the middle of its work: its shards are opened again, and nothing acknowledged is lost. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { createLoadedIndex, expectAll, LOADED_INDEX, startLoad } from './load.js';

const DOOR = fileURLToPath(new URL('./crash-door.mjs', import.meta.url));
const CRASHES = 3;

let node: TestNode | undefined;

afterEach(async () => {
  await node?.stop();
  node = undefined;
});

test.each([
  { processors: '1', shards: 1 },
  { processors: '2', shards: 3 },
])('$processors workers, $shards shards: a crash answers 503 and loses nothing', async ({ processors, shards }) => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-crash-'));
  const door = join(home, 'crash');
  const environment = { NODE_OPTIONS: `--import=${DOOR}`, QUARRY_CRASH_FILE: door };
  const running = await TestNode.start({ 'node.processors': processors }, home, [], environment);
  node = running;
  await createLoadedIndex(running, { number_of_shards: shards, refresh_interval: '50ms' });
  const load = startLoad(running);
  for (let crash = 0; crash < CRASHES; crash++) {
    await load.more(200);
    // A merge and a flush may be under way when the thread ends.
    running.post(`/${LOADED_INDEX}/_forcemerge?max_num_segments=1`).catch(() => undefined);
    running.post(`/${LOADED_INDEX}/_flush`).catch(() => undefined);
    await writeFile(door, '');
    await running.until(async () => {
      const log = await running.logged();
      return log.filter(({ msg }) => msg === 'worker restarted').length === crash + 1 ? true : undefined;
    });
  }
  await load.more(200);
  await load.stop();
  expect([...new Set(load.refusals)]).toEqual([503]);
  const health = await running.get('/_cluster/health?wait_for_status=green&timeout=30s');
  expect(health.json()).toMatchObject({ status: 'green', timed_out: false, active_primary_shards: shards });
  await expectAll(running, load.acknowledged);
  expect(await running.signal('SIGTERM')).toBe(0);
});

/** What other threads ask of a worker: of shards and of the node. What is asked of an async search follows these. */
const QUESTIONS = [
  '/_nodes/stats',
  '/_nodes/hot_threads?interval=1ms&snapshots=1',
  '/_cat/shards',
  '/_cat/recovery',
  '/_stats',
  `/${LOADED_INDEX}/_count`,
  `/${LOADED_INDEX}/_doc/0-0-0`,
  '/_tasks',
];

test('what other threads ask of a worker that takes the place of another is answered or refused, never an internal error', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-crash-'));
  const door = join(home, 'crash');
  const environment = { NODE_OPTIONS: `--import=${DOOR}`, QUARRY_CRASH_FILE: door };
  const running = await TestNode.start({ 'node.processors': '2' }, home, [], environment);
  node = running;
  await createLoadedIndex(running, { number_of_shards: 4 });
  const load = startLoad(running);
  await load.more(200);
  await load.stop();
  const asked = await searchesOfAllWorkers(running);
  const statuses = new Set<number>();
  const internalErrors: string[] = [];
  let isOver = false;
  const askers = [...QUESTIONS, ...asked].map(async (path) => {
    while (!isOver) {
      const { status, text } = await running.get(path);
      statuses.add(status);
      // Some answer with 200 and the error of a part.
      if (text.includes('internal_error')) internalErrors.push(`${path}: ${text}`);
    }
  });
  for (let crash = 0; crash < CRASHES; crash++) {
    await writeFile(door, '');
    await running.until(async () => {
      const log = await running.logged();
      return log.filter(({ msg }) => msg === 'worker restarted').length === crash + 1 ? true : undefined;
    });
  }
  isOver = true;
  await Promise.all(askers);
  // 404: the async searches of a worker end with it.
  expect([...statuses].filter((status) => ![200, 404, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
  expect(internalErrors).toEqual([]);
});

/** Paths of async searches that are kept, some by each worker. */
async function searchesOfAllWorkers(running: TestNode): Promise<readonly string[]> {
  const kept = await Promise.all(
    Array.from({ length: 6 }, () => running.post(`/${LOADED_INDEX}/_async_search?keep_on_completion=true`)),
  );
  return kept.map((answer) => `/_async_search/${answer.json().id}`);
}

test('the health is red from the crash until all shards are open again', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-crash-'));
  const door = join(home, 'crash');
  const environment = { NODE_OPTIONS: `--import=${DOOR}`, QUARRY_CRASH_FILE: door };
  const running = await TestNode.start({ 'node.processors': '2' }, home, [], environment);
  node = running;
  await createLoadedIndex(running, { number_of_shards: 4 });
  await writeFile(door, '');
  const lost = await running.until(async () => {
    const health = await running.get('/_cluster/health');
    return health.status === 200 && health.json().status !== 'green' ? health.json() : undefined;
  });
  expect(lost.status).toBe('red');
  const path = '/_cluster/health?wait_for_status=green&timeout=30s';
  expect((await running.get(path)).json()).toMatchObject({ timed_out: false, active_primary_shards: 4 });
  const counted = await running.get(`/${LOADED_INDEX}/_count`);
  expect([counted.status, counted.json()._shards]).toEqual([200, { total: 4, successful: 4, skipped: 0, failed: 0 }]);
});

test('a node told to stop while a worker is being restarted ends clean', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-crash-'));
  const door = join(home, 'crash');
  const environment = { NODE_OPTIONS: `--import=${DOOR}`, QUARRY_CRASH_FILE: door };
  const running = await TestNode.start({ 'node.processors': '2' }, home, [], environment);
  node = running;
  await createLoadedIndex(running, { number_of_shards: 2 });
  const load = startLoad(running);
  await load.more(200);
  await load.stop();
  await writeFile(door, '');
  await running.until(async () => {
    const log = await running.logged();
    return log.some(({ msg }) => msg === 'worker crashed') ? true : undefined;
  });
  expect(await running.signal('SIGTERM')).toBe(0);
  node = await TestNode.start({}, home);
  await node.get('/_cluster/health?wait_for_status=green&timeout=30s');
  await expectAll(node, load.acknowledged);
});

test('a job of a worker that crashed ends with a failure that is kept', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-crash-'));
  const door = join(home, 'crash');
  const environment = { NODE_OPTIONS: `--import=${DOOR}`, QUARRY_CRASH_FILE: door };
  const running = await TestNode.start({ 'node.processors': '1' }, home, [], environment);
  node = running;
  await createLoadedIndex(running, { number_of_shards: 1 });
  await running.bulk(`/${LOADED_INDEX}/_bulk?refresh=true`, [{ index: { _id: 'a' } }, {}, { index: { _id: 'b' } }, {}]);
  const path = `/${LOADED_INDEX}/_update_by_query?wait_for_completion=false&scroll_size=1&requests_per_second=0.0001`;
  const { task } = (await running.post(path)).json();
  await writeFile(door, '');
  const told = await running.until(async () => {
    const answer = await running.get(`/_tasks/${task}`);
    return answer.status === 200 && answer.json().completed === true ? answer.json() : undefined;
  });
  expect(told.task.action).toBe('indices:data/write/update/byquery');
  expect(told.error).toEqual({
    type: 'illegal_state_exception',
    reason: 'the worker that carried out the task has crashed: some of it may be done',
  });
});
