/** Nodes on small file systems that are filled for real, and get room again. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';
import { canMountSmallDisks, mountSmallDisk, unmountSmallDisk } from './small-disks.js';

const MEGABYTE = 1024 * 1024;
const DISK_MEGABYTES = 128;
const SETTING = 'cluster.routing.allocation.disk';

let cluster: TestCluster;

function dataOf(name: string): string {
  return join(cluster.member(name).home, 'data');
}

/** So much of the disk, in percent, is taken by something else; 0 for nothing. */
async function fill(name: string, percent: number): Promise<void> {
  const file = join(dataOf(name), 'something-else');
  if (percent === 0) await rm(file, { force: true });
  else await writeFile(file, Buffer.alloc(Math.round((percent / 100) * DISK_MEGABYTES * MEGABYTE), 'x'));
}

async function settings(persistent: Json): Promise<void> {
  const answer = await cluster.node().put('/_cluster/settings', { persistent });
  expect(answer.status, answer.text).toBe(200);
}

async function nodesOf(index: string): Promise<readonly (string | null)[]> {
  const rows = (await cluster.node().get(`/_cat/shards/${index}?format=json&h=prirep,node&s=prirep`)).json();
  return rows.map(({ node }: { node: string | null }) => node);
}

function holds(what: string, check: () => Promise<boolean>): Promise<true> {
  return cluster.until(what, async () => ((await check()) ? true : undefined));
}

/** On the node, without replicas. */
async function createOn(index: string, node: string): Promise<void> {
  const body = {
    settings: { number_of_shards: 1, number_of_replicas: 0, 'index.routing.allocation.include._name': node },
  };
  expect((await cluster.node().put(`/${index}`, body)).status).toBe(200);
  await cluster.node().put(`/${index}/_settings`, { 'index.routing.allocation.include._name': null });
}

describe.runIf(canMountSmallDisks())('disks that fill up', () => {
  beforeAll(async () => {
    cluster = await TestCluster.prepare({
      nodes: 3,
      settings: { [`${SETTING}.threshold_enabled`]: 'true', 'cluster.info.update.interval': '10s' },
    });
    for (const { name } of cluster.members) expect(mountSmallDisk(dataOf(name), DISK_MEGABYTES)).toBe(true);
    await Promise.all(cluster.members.map((member) => member.start()));
    await cluster.waitForHealth('wait_for_nodes=3');
  }, 120_000);

  afterAll(async () => {
    await Promise.all(cluster.running.map((member) => member.kill()));
    for (const { name } of cluster.members) unmountSmallDisk(dataOf(name));
    await cluster.stop();
  });

  it(
    'block writes above the flood stage, and take them again below the high watermark',
    { timeout: 180_000 },
    async () => {
      // Copies stay where they are.
      await settings({ 'cluster.routing.rebalance.enable': 'none', [`${SETTING}.watermark.high`]: '94%' });
      await createOn('flooded', 'n2');
      await createOn('dry', 'n3');
      expect((await cluster.node().put('/flooded/_doc/1', { a: 1 })).status).toBe(201);
      await settings({ 'cluster.routing.allocation.enable': 'none' });
      await fill('n2', 96);
      const refused = await cluster.until('a block', async () => {
        const answer = await cluster.node().put('/flooded/_doc/2', { a: 2 });
        return answer.status === 429 ? answer : undefined;
      });
      expect(refused.json().error.reason).toBe(
        'index [flooded] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has ' +
          'read-only-allow-delete block];',
      );
      expect((await cluster.node().put('/dry/_doc/1', { a: 1 })).status).toBe(201);
      expect((await cluster.node().get('/flooded/_doc/1')).json().found).toBe(true);
      await fill('n2', 0);
      await holds('writes again', async () => (await cluster.node().put('/flooded/_doc/2', { a: 2 })).status < 300);
      const { flooded } = (await cluster.node().get('/flooded/_settings?flat_settings')).json();
      expect(flooded.settings['index.blocks.read_only_allow_delete']).toBeUndefined();
      await settings({
        'cluster.routing.allocation.enable': null,
        'cluster.routing.rebalance.enable': null,
        [`${SETTING}.watermark.high`]: null,
      });
      await cluster.node().delete('/flooded,dry');
    },
  );

  it('get no copies above the low watermark; explain says why', { timeout: 120_000 }, async () => {
    await Promise.all(['n2', 'n3'].map((name) => fill(name, 87)));
    await createOn('low', 'n1');
    // Until the master has heard of it.
    await holds('two full disks', async () => {
      const body = { index: 'low', shard: 0, primary: true };
      const answer = await cluster.node().post('/_cluster/allocation/explain?include_disk_info', body);
      const disks = Object.values(answer.json().cluster_info.nodes) as Json[];
      return disks.filter(({ least_available: disk }) => disk.used_disk_percent > 85).length === 2;
    });
    await cluster.node().put('/low/_settings', { number_of_replicas: 1 });
    const explained = await cluster.until('an explanation', async () => {
      const body = { index: 'low', shard: 0, primary: false };
      const answer = (await cluster.node().post('/_cluster/allocation/explain?include_disk_info', body)).json();
      return answer.can_allocate === 'no' ? answer : undefined;
    });
    const disk = explained.node_allocation_decisions
      .flatMap((node: Json) => node.deciders)
      .filter(({ decider }: Json) => decider === 'disk_threshold');
    expect(disk).toHaveLength(2);
    expect(disk[0].explanation).toMatch(
      /^the node is above the low watermark cluster setting \[cluster\.routing\.allocation\.disk\.watermark\.low=85%\], having less than the minimum required \[19\.1mb\] free space, actual free: \[.*%\], actual used: \[8\d\.\d%\]$/,
    );
    const { nodes, shard_paths: paths } = explained.cluster_info;
    const usage = Object.values(nodes).find((node: Json) => node.node_name === 'n2') as Json;
    expect(usage.least_available).toMatchObject({ path: dataOf('n2'), total_bytes: DISK_MEGABYTES * MEGABYTE });
    expect(usage.least_available.used_disk_percent).toBeGreaterThan(85);
    expect(Object.values(paths)).toContain(dataOf('n1'));
    await Promise.all(['n2', 'n3'].map((name) => fill(name, 0)));
    await cluster.waitForHealth();
    await cluster.node().delete('/low');
  });

  it('give copies away above the high watermark', { timeout: 120_000 }, async () => {
    await createOn('leaving', 'n2');
    for (let n = 0; n < 20; n++) await cluster.node().put(`/leaving/_doc/${n}`, { n });
    expect(await nodesOf('leaving')).toEqual(['n2']);
    await fill('n2', 92);
    await holds('a move', async () => {
      const [node] = await nodesOf('leaving');
      return node === 'n1' || node === 'n3';
    });
    await cluster.node().post('/leaving/_refresh');
    expect((await cluster.node().get('/leaving/_count')).json().count).toBe(20);
    await fill('n2', 0);
    await cluster.node().delete('/leaving');
  });
});
