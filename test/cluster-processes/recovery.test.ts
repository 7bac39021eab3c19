/** Copies that come back or are new: by operations alone where the primary still has them, else by files that resume. */
import { afterEach, expect, test } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

const MAPPINGS = { properties: { n: { type: 'long' }, t: { type: 'text' } } };
/** A copy that returns finds its place free. */
const PATIENT = { number_of_shards: 1, 'index.unassigned.node_left.delayed_timeout': '5m' };
const DOCUMENTS = 400;

let cluster: TestCluster;

afterEach(async () => {
  await cluster.stop();
});

async function load(index: string, from: number, to: number, asked?: string): Promise<void> {
  const lines = Array.from({ length: to - from }, (_, at) => [
    { index: { _id: String(from + at) } },
    { n: from + at, t: `some words of ${from + at}` },
  ]).flat();
  const answer = await cluster.node(asked).bulk(`/${index}/_bulk?timeout=60s`, lines);
  expect(answer.json().errors).toBe(false);
}

async function copies(index: string, asked?: string): Promise<readonly Json[]> {
  return (await cluster.node(asked).get(`/_cat/shards/${index}?format=json`)).json();
}

async function nodeOf(index: string, prirep: 'p' | 'r', asked?: string): Promise<string> {
  const row = (await copies(index, asked)).find((each) => each.prirep === prirep && each.state === 'STARTED');
  return must(row, 'a copy').node;
}

/** Of the copy on that node. */
async function recoveryOn(index: string, node: string, asked?: string): Promise<Json> {
  const answer = (await cluster.node(asked).get(`/${index}/_recovery?detailed`)).json();
  return answer[index].shards.find((shard: Json) => shard.target.name === node);
}

async function expectEqualCopies(index: string, count: number, asked?: string): Promise<void> {
  await cluster.node(asked).post(`/${index}/_refresh`);
  for (const preference of ['_primary', '_replica']) {
    const path = `/${index}/_search?size=0&preference=${preference}`;
    const answer = await cluster.node(asked).post(path, {
      track_total_hits: true,
      aggs: { sum: { sum: { field: 'n' } } },
    });
    expect(answer.json().hits.total.value).toBe(count);
    expect(answer.json().aggregations.sum.value).toBe((count * (count - 1)) / 2);
  }
}

test(
  'a replica that returns in time is brought level by operations alone, also under another primary',
  { timeout: 240_000 },
  async () => {
    cluster = await TestCluster.start({ nodes: 4 });
    const index = 'returning';
    await cluster.node().put(`/${index}`, { settings: { ...PATIENT, number_of_replicas: 2 }, mappings: MAPPINGS });
    await cluster.waitForHealth();
    await load(index, 0, DOCUMENTS);
    await cluster.node().post(`/${index}/_flush`);
    const primary = await nodeOf(index, 'p');
    const replica = await nodeOf(index, 'r');
    const first = await recoveryOn(index, replica);
    expect(first).toMatchObject({ type: 'PEER', stage: 'DONE', primary: false, source: { name: primary } });

    await cluster.member(replica).terminate();
    const asked = must(cluster.running[0], 'a running node').name;
    await cluster.until('the loss', async () =>
      (await copies(index, asked)).some(({ state }) => state === 'UNASSIGNED') ? true : undefined,
    );
    await load(index, DOCUMENTS, DOCUMENTS + 50, asked);
    // What commits and segments do not need is kept for the copy that is gone.
    await cluster.node(asked).post(`/${index}/_flush?force`);
    await cluster.member(replica).start();
    await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=4', asked);
    expect(await recoveryOn(index, replica, asked)).toMatchObject({
      type: 'PEER',
      stage: 'DONE',
      index: { files: { total: 0, recovered: 0 }, size: { recovered_in_bytes: 0 } },
      translog: { recovered: 50, total: 50, total_on_start: 50, percent: '100.0%' },
    });
    await expectEqualCopies(index, DOCUMENTS + 50, asked);

    // The former primary returns to its successor, which has kept the same.
    await cluster.member(primary).kill();
    const survivor = must(cluster.running[0], 'a running node').name;
    await cluster.until('another primary', async () =>
      (await nodeOf(index, 'p', survivor).catch(() => primary)) === primary ? undefined : true,
    );
    await load(index, DOCUMENTS + 50, DOCUMENTS + 80, survivor);
    await cluster.node(survivor).post(`/${index}/_flush?force`);
    await cluster.member(primary).start();
    await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=4', survivor);
    const last = await recoveryOn(index, primary, survivor);
    expect(last).toMatchObject({ type: 'PEER', stage: 'DONE', index: { files: { total: 0, recovered: 0 } } });
    expect(last.translog.recovered).toBeGreaterThanOrEqual(30);
    expect(last.translog.recovered).toBeLessThan(DOCUMENTS);
    await expectEqualCopies(index, DOCUMENTS + 80, survivor);
  },
);

test('a copy whose history is gone is brought level by the files that it lacks', { timeout: 240_000 }, async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  const index = 'expired';
  const settings = { ...PATIENT, number_of_replicas: 1, 'index.soft_deletes.retention_lease.period': '0ms' };
  await cluster.node().put(`/${index}`, { settings, mappings: MAPPINGS });
  await cluster.waitForHealth();
  await load(index, 0, DOCUMENTS);
  // The replica's commit point names what it was sent.
  await cluster.node().post(`/${index}/_refresh`);
  await cluster.node().post(`/${index}/_flush`);
  const replica = await nodeOf(index, 'r');
  await cluster.member(replica).kill();
  const asked = must(cluster.running[0], 'a running node').name;
  await cluster.until('the loss', async () =>
    (await copies(index, asked)).some(({ state }) => state === 'UNASSIGNED') ? true : undefined,
  );
  await load(index, DOCUMENTS, DOCUMENTS + 50, asked);
  await cluster.node(asked).post(`/${index}/_flush?force`);
  await cluster.member(replica).start();
  await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3', asked);
  const recovery = await recoveryOn(index, replica, asked);
  const { files } = recovery.index;
  expect(recovery).toMatchObject({ type: 'PEER', stage: 'DONE' });
  expect(files.recovered).toBeGreaterThan(0);
  expect(files.reused).toBeGreaterThan(0);
  expect(files.details).toHaveLength(files.total);
  await expectEqualCopies(index, DOCUMENTS + 50, asked);
});

test('a recovery by files goes on where its link broke, and shows how far it is', { timeout: 240_000 }, async () => {
  cluster = await TestCluster.start({
    nodes: ['master', 'd1', 'd2'],
    settingsOf: {
      master: { 'node.roles': 'master' },
      d1: { 'node.roles': 'data' },
      d2: { 'node.roles': 'data' },
    },
    settings: { 'cluster.initial_master_nodes': 'master' },
  });
  const index = 'broken';
  const slow = {
    persistent: { 'indices.recovery.max_bytes_per_sec': '600kb', 'indices.recovery.retry_delay_network': '100ms' },
  };
  await cluster.node('master').put('/_cluster/settings', slow);
  const settings = { number_of_shards: 1, number_of_replicas: 0, 'index.merge.policy.segments_per_tier': 50 };
  await cluster.node('master').put(`/${index}`, { settings, mappings: { properties: { t: { type: 'text' } } } });
  // Random words: about 5 MB of segments.
  const word = (): string => Math.random().toString(36).slice(2);
  for (let part = 0; part < 4; part++) {
    const lines = Array.from({ length: 500 }, () => [
      { index: {} },
      { t: Array.from({ length: 150 }, word).join(' ') },
    ]).flat();
    expect((await cluster.node('master').bulk(`/${index}/_bulk?refresh=true`, lines)).json().errors).toBe(false);
  }
  const primary = await nodeOf(index, 'p', 'master');
  const target = primary === 'd1' ? 'd2' : 'd1';
  await cluster.node('master').put(`/${index}/_settings`, { number_of_replicas: 1 });
  const percentOf = (shard: Json): number => Number(String(shard?.index.size.percent).replace('%', ''));
  const midway = await cluster.until('a part of the files', async () => {
    const answer = (await cluster.node('master').get(`/${index}/_recovery?active_only&detailed`)).json();
    const [shard] = answer[index]?.shards ?? [];
    return percentOf(shard) > 20 ? shard : undefined;
  });
  expect(midway).toMatchObject({ type: 'PEER', stage: 'INDEX', source: { name: primary }, target: { name: target } });
  expect(percentOf(midway)).toBeLessThan(100);
  const table = (await cluster.node('master').get(`/_cat/recovery/${index}?format=json&active_only`)).json();
  expect(table).toMatchObject([{ type: 'peer', stage: 'index', source_node: primary, target_node: target }]);
  cluster.links.set(primary, target, 'cut');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  cluster.links.set(primary, target, 'open');
  const later = await cluster.until('more of the files', async () => {
    const shard = await recoveryOn(index, target, 'master');
    return percentOf(shard) > percentOf(midway) ? shard : undefined;
  });
  // Nothing that was there is asked for again, and it is the same recovery.
  expect(later.start_time_in_millis).toBe(midway.start_time_in_millis);
  const received = new Map<string, number>(later.index.files.details.map((file: Json) => [file.name, file.recovered]));
  for (const { name, recovered } of midway.index.files.details)
    expect(received.get(name)).toBeGreaterThanOrEqual(recovered);
  const fast = { persistent: { 'indices.recovery.max_bytes_per_sec': '100mb' } };
  await cluster.node('master').put('/_cluster/settings', fast);
  await cluster.waitForHealth('wait_for_status=green', 'master');
  const done = await recoveryOn(index, target, 'master');
  expect(done).toMatchObject({ stage: 'DONE', index: { files: { percent: '100.0%' }, size: { percent: '100.0%' } } });
  expect(done.index.source_throttle_time_in_millis).toBeGreaterThan(0);
  expect(done.index.size.recovered_in_bytes).toBe(done.index.size.total_in_bytes);
  for (const preference of ['_primary', '_replica']) {
    const count = await cluster.node('master').get(`/${index}/_count?preference=${preference}`);
    expect(count.json().count).toBe(2_000);
  }
});
