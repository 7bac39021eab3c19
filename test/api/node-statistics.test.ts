/** What `_nodes/stats` tells of the machine, of repositories and of waiting, as far as the system says. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let other: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({ 'path.repo': repositories });
  other = await TestNode.start({ 'path.repo': repositories, 'compatibility.distribution': 'opensearch' });
});

afterAll(async () => {
  await Promise.all([node.stop(), other.stop()]);
  await rm(repositories, { recursive: true, force: true });
});

async function stats(of: TestNode, path: string): Promise<Json> {
  const answer = await of.get(`/_nodes/stats/${path}`);
  expect(answer.status, answer.text).toBe(200);
  return Object.values(answer.json().nodes)[0];
}

async function put(of: TestNode, path: string, body: Json): Promise<void> {
  const answer = await of.put(path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
}

it('tells of whole file systems, and of their devices where they have any', async () => {
  const { fs } = await stats(node, 'fs');
  const { total_in_bytes: total, free_in_bytes: free, available_in_bytes: available } = fs.total;
  expect(free).toBeGreaterThanOrEqual(available);
  expect(total).toBeGreaterThanOrEqual(free);
  const cluster = (await node.get('/_cluster/stats')).json().nodes.fs;
  expect(cluster.total_in_bytes).toBe(total);
  const devices = await readFile('/proc/diskstats', 'utf8').catch(() => '');
  const [device] = fs.io_stats?.devices ?? [];
  if (device === undefined) return;
  expect(devices).toContain(` ${device.device_name} `);
  const { device_name: name, ...figures } = device;
  expect(name).toEqual(expect.any(String));
  expect(Object.keys(fs.io_stats.total)).toEqual([
    ...['operations', 'read_operations', 'write_operations', 'read_kilobytes', 'write_kilobytes', 'io_time_in_millis'],
  ]);
  expect(fs.io_stats.total).toEqual(figures);
  expect(figures.operations).toBe(figures.read_operations + figures.write_operations);
  expect((await stats(other, 'fs')).fs.io_stats.total).toMatchObject({
    ...{ read_time: expect.any(Number), write_time: expect.any(Number), queue_size: expect.any(Number) },
  });
});

it('tells of the whole process what the system tells', async () => {
  const { process, jvm } = await stats(node, 'process,jvm');
  const id = Object.values<Json>((await node.get('/_nodes/process')).json().nodes)[0].process.id;
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
  const [virtual, threads] = ['VmSize', 'Threads'].map((name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]),
  );
  if (virtual === undefined || Number.isNaN(virtual)) return;
  // Both change while it runs.
  expect(Math.abs(process.mem.total_virtual_in_bytes / (virtual * 1024) - 1)).toBeLessThan(0.1);
  expect(Math.abs(jvm.threads.count - (threads ?? 0))).toBeLessThan(5);
  const cluster = (await node.get('/_cluster/stats')).json().nodes.jvm;
  expect(Math.abs(cluster.threads - (threads ?? 0))).toBeLessThan(5);
});

it('tells of the control group where there is one', async () => {
  const { cgroup } = (await stats(node, 'os')).os;
  if (cgroup === undefined) return;
  expect(cgroup).toEqual({
    cpuacct: { control_group: expect.stringMatching(/^\//), usage_nanos: expect.any(Number) },
    cpu: {
      ...{ control_group: expect.stringMatching(/^\//) },
      ...{ cfs_period_micros: expect.any(Number), cfs_quota_micros: expect.any(Number) },
      stat: {
        number_of_elapsed_periods: expect.any(Number),
        number_of_times_throttled: expect.any(Number),
        time_throttled_nanos: expect.any(Number),
      },
    },
    memory: {
      control_group: expect.stringMatching(/^\//),
      limit_in_bytes: expect.stringMatching(/^(\d+|max)$/),
      usage_in_bytes: expect.stringMatching(/^\d+$/),
    },
  });
});

it('tells how long snapshots waited for the rate of their repository', async () => {
  expect((await stats(node, 'repositories')).repositories).toEqual({});
  const settings = { location: 'slow', max_snapshot_bytes_per_sec: '20kb' };
  await put(node, '/_snapshot/slow', { type: 'fs', settings });
  await put(node, '/_snapshot/quick', { type: 'fs', settings: { location: 'quick' } });
  await put(node, '/films', { settings: { number_of_replicas: 0 } });
  await put(node, '/films/_doc/1?refresh=true', { text: 'a'.repeat(100) });
  await put(node, '/_snapshot/slow/one?wait_for_completion=true', {});
  const { repositories: told } = await stats(node, 'repositories');
  expect(told).toEqual({
    slow: { total_read_throttled_time_nanos: 0, total_write_throttled_time_nanos: expect.any(Number) },
    quick: { total_read_throttled_time_nanos: 0, total_write_throttled_time_nanos: 0 },
  });
  expect(told.slow.total_write_throttled_time_nanos).toBeGreaterThan(0);
  const { slow } = (await stats(node, 'repositories?human')).repositories;
  expect([slow.total_read_throttled_time, slow.total_write_throttled_time]).toEqual([
    '0s',
    expect.stringMatching(/s$/),
  ]);
  await put(other, '/_snapshot/slow', { type: 'fs', settings });
  expect((await stats(other, 'repositories')).repositories).toEqual([]);
});

it('tells how long searches waited, in the mode of OpenSearch', async () => {
  const { search, write } = (await stats(other, 'thread_pool')).thread_pool;
  expect(search.total_wait_time_in_nanos).toBeGreaterThanOrEqual(0);
  expect(write.total_wait_time_in_nanos).toBeUndefined();
  expect((await stats(other, 'thread_pool?human')).thread_pool.search.total_wait_time).toMatch(/s$/);
  expect((await stats(node, 'thread_pool')).thread_pool.search.total_wait_time_in_nanos).toBeUndefined();
});
