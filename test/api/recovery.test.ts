/** How copies recover on one node, and what waits for the master. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const SETTINGS = { 'node.name': 'alone', 'index.number_of_replicas': '0' };
let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start(SETTINGS);
  await node.put('/kept', { settings: { number_of_shards: 2 } });
  await node.put('/closed');
  for (let n = 0; n < 5; n++) await node.put(`/closed/_doc/${n}?refresh=true`, { n });
  await node.put('/copied', { settings: { number_of_replicas: 1 } });
  await node.post('/closed/_close');
}, 60_000);

afterAll(async () => {
  await node.stop();
});

async function recoveryOf(path: string): Promise<Json> {
  const answer = await node.get(path);
  expect(answer.status).toBe(200);
  return answer.json();
}

describe('recovery', () => {
  it('of a new shard comes from nothing', async () => {
    const { kept, ...others } = await recoveryOf('/kept/_recovery?human');
    expect(others).toEqual({});
    expect(kept.shards.map(({ id }: Json) => id)).toEqual([0, 1]);
    const [{ start_time, stop_time, total_time, target, ...shard }] = kept.shards;
    expect(Date.parse(start_time)).toBeLessThanOrEqual(Date.parse(stop_time));
    expect(total_time).toMatch(/^[\d.]+(ms|s)$/);
    expect(target).toMatchObject({ name: 'alone', ip: '127.0.0.1', host: '127.0.0.1' });
    expect(target.transport_address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(shard).toMatchObject({
      type: 'EMPTY_STORE',
      stage: 'DONE',
      primary: true,
      source: {},
      index: {
        size: { total: '0b', total_in_bytes: 0, reused_in_bytes: 0, recovered_in_bytes: 0, percent: '0.0%' },
        files: { total: 0, reused: 0, recovered: 0, percent: '0.0%' },
        source_throttle_time: '0s',
        source_throttle_time_in_millis: 0,
        target_throttle_time_in_millis: 0,
      },
      translog: { recovered: 0, total: 0, percent: '100.0%', total_on_start: 0 },
      verify_index: { check_index_time_in_millis: 0 },
    });
    expect(shard.index.files.details).toBeUndefined();
    expect((await recoveryOf('/kept/_recovery?detailed')).kept.shards[0].index.files.details).toEqual([]);
  });

  it('of a closed index is what its commit point names', async () => {
    const { closed } = await recoveryOf('/closed/_recovery?detailed');
    const [shard] = closed.shards;
    expect(shard).toMatchObject({
      type: 'EXISTING_STORE',
      stage: 'DONE',
      primary: true,
      source: { bootstrap_new_history_uuid: false },
      target: { name: 'alone' },
    });
    const { size, files } = shard.index;
    expect(files.total).toBeGreaterThan(0);
    expect(files).toMatchObject({ reused: files.total, recovered: 0, percent: '100.0%' });
    expect(size).toMatchObject({ reused_in_bytes: size.total_in_bytes, recovered_in_bytes: 0, percent: '100.0%' });
    expect(files.details[0].name).toMatch(/^_\w+\.seg$/);
    expect(Math.abs(Date.now() - shard.start_time_in_millis)).toBeLessThan(3_600_000);
  });

  it('is told of the indices that are named, and of those under way alone where asked', async () => {
    expect(Object.keys(await recoveryOf('/_recovery')).sort()).toEqual(['closed', 'copied', 'kept']);
    expect(Object.keys(await recoveryOf('/ke*,copied/_recovery')).sort()).toEqual(['copied', 'kept']);
    // Its replica is nowhere.
    expect((await recoveryOf('/copied/_recovery')).copied.shards).toHaveLength(1);
    expect(await recoveryOf('/v*/_recovery')).toEqual({});
    expect(await recoveryOf('/_recovery?active_only')).toEqual({});
    expect((await node.get('/missing/_recovery')).status).toBe(404);
    expect((await node.get('/_recovery?nonsense')).status).toBe(400);
  });

  it('has a table', async () => {
    const rows = await recoveryOf('/_cat/recovery/kept?format=json&s=s');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      index: 'kept',
      shard: '0',
      type: 'empty_store',
      stage: 'done',
      source_host: 'n/a',
      source_node: 'n/a',
      target_host: '127.0.0.1',
      target_node: 'alone',
      repository: 'n/a',
      snapshot: 'n/a',
      files: '0',
      files_percent: '0.0%',
      bytes: '0b',
      translog_ops: '0',
      translog_ops_percent: '100.0%',
    });
    expect(rows[0].start_time).toBeUndefined();
    const chosen = await recoveryOf(
      '/_cat/recovery?format=json&index=kept&h=i,s,ty,start,stop_millis,time&time=ms&s=s',
    );
    expect(chosen).toHaveLength(2);
    expect(chosen[1]).toMatchObject({ i: 'kept', s: '1', ty: 'empty_store' });
    expect(Number(chosen[1].stop_millis)).toBeGreaterThanOrEqual(Date.parse(chosen[1].start));
    expect((await node.get('/_cat/recovery?active_only&detailed')).text.trim()).toBe('');
  });
});

describe('commands', () => {
  it('that wait are listed, and health counts them', async () => {
    expect((await node.get('/_cluster/pending_tasks')).json()).toEqual({ tasks: [] });
    expect((await node.get('/_cluster/pending_tasks?local')).json()).toEqual({ tasks: [] });
    expect((await node.get('/_cat/pending_tasks?v')).text).toMatch(/^insertOrder timeInQueue priority source/);
    const creations = Array.from({ length: 30 }, (_, n) => node.put(`/many-${n}?wait_for_active_shards=0`));
    const seen = await node.until(async () => {
      const { tasks } = (await node.get('/_cluster/pending_tasks')).json();
      return tasks.length > 0 ? tasks : undefined;
    });
    for (const { status } of await Promise.all(creations)) expect(status).toBe(200);
    for (const task of seen) {
      expect(['IMMEDIATE', 'URGENT', 'HIGH', 'NORMAL', 'LOW', 'LANGUID']).toContain(task.priority);
      expect(task.source).toMatch(/^[a-z-]+( \[.+\])?$/);
      expect(task.time_in_queue_millis).toBeGreaterThanOrEqual(0);
    }
    const health = await node.get('/_cluster/health?wait_for_events=languid&timeout=30s');
    expect(health.json()).toMatchObject({ timed_out: false });
    expect(health.json().number_of_pending_tasks).toBeGreaterThanOrEqual(0);
    expect(health.json().task_max_waiting_in_queue_millis).toBeGreaterThanOrEqual(0);
    // Shards are being reported still.
    await node.get('/_cluster/health?wait_for_no_initializing_shards&wait_for_events=languid');
    await node.until(async () => {
      const [row] = (await node.get('/_cat/health?format=json')).json();
      return row.pending_tasks === '0' && row.max_task_wait_time === '-' ? true : undefined;
    });
  });
});

describe('settings', () => {
  it('of recoveries are taken, and refused where they have no effect', async () => {
    const put = async (key: string, value: unknown): Promise<number> =>
      (await node.put('/_cluster/settings', { persistent: { [`indices.recovery.${key}`]: value } })).status;
    expect(await put('max_concurrent_file_chunks', 5)).toBe(200);
    expect(await put('max_concurrent_file_chunks', 9)).toBe(400);
    expect(await put('max_concurrent_operations', 1)).toBe(200);
    expect(await put('max_concurrent_operations', 2)).toBe(400);
    for (const time of ['retry_delay_state_sync', 'retry_delay_network', 'internal_action_timeout']) {
      expect(await put(time, '7s')).toBe(200);
    }
    for (const time of ['internal_action_long_timeout', 'recovery_activity_timeout'])
      expect(await put(time, '9m')).toBe(200);
    expect(await put('max_snapshot_file_downloads', 5)).toBe(400);
  });
});

it('a node that was killed finds its shards and repeats what no segment had', { timeout: 60_000 }, async () => {
  await node.put('/replayed', { settings: { refresh_interval: '-1' } });
  await node.put('/replayed/_doc/1', { n: 1 });
  await node.post('/replayed/_flush');
  for (const id of ['2', '3', '4']) await node.put(`/replayed/_doc/${id}`, { n: 2 });
  await node.signal('SIGKILL');
  node = await TestNode.start(SETTINGS, node.directory);
  await node.get('/_cluster/health/replayed?wait_for_status=green&timeout=30s');
  const { replayed } = await recoveryOf('/replayed/_recovery');
  expect(replayed.shards).toHaveLength(1);
  expect(replayed.shards[0]).toMatchObject({
    type: 'EXISTING_STORE',
    stage: 'DONE',
    primary: true,
    index: { files: { recovered: 0, percent: '100.0%' } },
    translog: { recovered: 3, total: 3, percent: '100.0%' },
  });
});
