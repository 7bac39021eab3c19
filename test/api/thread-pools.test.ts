/** Pools of a node: what they count of the work that there is, and what is there without any. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({
    'path.repo': repositories,
    'thread_pool.merge.max': '3',
    'thread_pool.management.size': '9',
  });
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function pools(): Promise<Json> {
  const [stats] = Object.values((await node.get('/_nodes/stats/thread_pool')).json().nodes) as [Json];
  return stats.thread_pool;
}

/** Work may end a moment after its answer. */
async function idlePools(names: readonly string[]): Promise<Json> {
  return node.until(async () => {
    const all = await pools();
    return names.every((name) => all[name].active === 0 && all[name].queue === 0) ? all : undefined;
  });
}

async function done(path: string, body?: Json): Promise<void> {
  const answer = body === undefined ? await node.post(path) : await node.put(path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
}

describe('pools', () => {
  it('count what was done, by kind', async () => {
    const names = ['analyze', 'flush', 'force_merge', 'get', 'merge', 'refresh', 'snapshot'];
    await done('/films', { settings: { number_of_shards: 2, number_of_replicas: 0, refresh_interval: '-1' } });
    const before = await pools();
    for (const id of ['1', '2', '3', '4']) await done(`/films/_doc/${id}?refresh=true`, { id });
    await done('/films/_flush');
    await done('/films/_forcemerge?max_num_segments=1');
    for (const id of ['1', '2', '3']) expect((await node.get(`/films/_doc/${id}`)).status).toBe(200);
    expect((await node.post('/films/_mget', { ids: ['1', '2', '3', '4'] })).json().docs).toHaveLength(4);
    await node.post('/_analyze', { text: 'a b' });
    await done('/_snapshot/repository', { type: 'fs', settings: { location: 'here' } });
    await done('/_snapshot/repository/one?wait_for_completion=true', {});
    const after = await idlePools(names);
    const completed = Object.fromEntries(
      names.map((name) => [name, (after[name].completed as number) - (before[name].completed as number)]),
    );
    expect(completed).toMatchObject({ analyze: 1, force_merge: 2, snapshot: 2 });
    expect(completed.refresh).toBeGreaterThanOrEqual(4);
    expect(completed.merge).toBeGreaterThanOrEqual(1);
    expect(completed.flush).toBeGreaterThanOrEqual(2);
    // One of each shard for several documents in one request.
    expect(completed.get).toBe(3 + 2);
    for (const name of names) {
      expect(after[name], name).toMatchObject({ threads: expect.any(Number), active: 0, queue: 0, rejected: 0 });
      expect(after[name].largest, name).toBeGreaterThanOrEqual(1);
      expect(after[name].threads, name).toBeGreaterThanOrEqual(1);
    }
    const rows = (await node.get('/_cat/thread_pool/snapshot,get?h=name,type,completed,max,size&format=json')).json();
    expect(rows).toMatchObject([
      { name: 'get', type: 'fixed', max: null, size: String(after.get.threads) },
      { name: 'snapshot', type: 'scaling', max: String(after.snapshot.threads), size: null },
    ]);
    expect([after.merge.threads, after.management.threads]).toEqual([3, 9]);
    expect(Number(rows[1].completed)).toBe(after.snapshot.completed);
  });

  it('that there is no work for have no threads', async () => {
    const all = await pools();
    const none = { threads: 0, queue: 0, active: 0, rejected: 0, largest: 0, completed: 0 };
    const empty = Object.keys(all).filter((name) => all[name].threads === 0);
    expect(empty).toEqual(['fetch_shard_started', 'fetch_shard_store', 'generic', 'search_throttled']);
    for (const name of empty) expect(all[name]).toEqual(none);
    expect(all.warmer).toBeUndefined();
  });
});
