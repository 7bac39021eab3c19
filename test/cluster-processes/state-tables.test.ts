/**
 * The states of a cluster and of its shards, and what leads from one to the other: each row of the contract's tables "Cluster status" and "Shard allocation" (those about snapshots: snapshots.test.ts) with
 * three real nodes, of which one has an address of its own.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Answer, Json } from '../api/node-harness.js';
import { TestCluster, type TestMember } from './cluster-harness.js';
import { DOCUMENTS, indexHelpers } from './index-helpers.js';

const NODES = 3;
const OWN_ADDRESS = '127.0.0.3';
const DELAY = 'index.unassigned.node_left.delayed_timeout';

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({
    nodes: NODES,
    hosts: { n3: OWN_ADDRESS },
    settings: { 'node.processors': '1' },
  });
  await cluster.waitForHealth(`wait_for_nodes=${NODES}`);
});

/** Also after a row that failed. */
beforeEach(async () => {
  await Promise.all(cluster.members.filter(({ isAlive }) => !isAlive).map((member) => member.start()));
  await cluster.waitForHealth(`wait_for_nodes=${NODES}`);
});

afterAll(async () => {
  await cluster.stop();
});

interface Row {
  readonly from: string;
  readonly trigger: string;
  readonly to: string;
  /** Begins and ends with three nodes; the index is the row's own. */
  readonly run: (index: string) => Promise<void>;
}

const { ok, create, write, health, countOf, untilStatus, settled, memberWith } = indexHelpers(() => cluster);

async function explain(index: string, primary: boolean): Promise<Json> {
  return ok(cluster.node().post('/_cluster/allocation/explain', { index, shard: 0, primary }));
}

/** No disk has so much room: all of them are above what is given here, until the action has ended. */
async function whileDisksAreAbove(marks: { low: string; high: string }, action: () => Promise<void>): Promise<void> {
  const disk = 'cluster.routing.allocation.disk';
  const set = (threshold: string | null, watermark: Json): Promise<Json> =>
    ok(
      cluster.node().put('/_cluster/settings', {
        persistent: { [`${disk}.threshold_enabled`]: threshold, [`${disk}.watermark`]: watermark },
      }),
    );
  await set('true', { ...marks, flood_stage: '1kb' });
  try {
    await action();
  } finally {
    await set(null, { low: null, high: null, flood_stage: null });
  }
}

/** The sentences of the rule on disks, one for each node, once the master has heard of them. */
async function untilDisksRefuse(index: string, primary: boolean): Promise<readonly string[]> {
  return cluster.until('disks to be the reason', async () => {
    const { can_allocate: verdict, node_allocation_decisions: nodes = [] } = await explain(index, primary);
    const sentences = (nodes as Json[])
      .flatMap(({ deciders = [] }) => deciders as Json[])
      .filter(({ decider }) => decider === 'disk_threshold')
      .map(({ explanation }) => explanation as string);
    return verdict === 'no' && sentences.length > 0 ? sentences : undefined;
  });
}

/** Every status that was seen while it went on. */
async function statusesDuring(index: string, action: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) seen.add((await health(index).catch(() => ({ status: 'unknown' }))).status as string);
  })();
  await action();
  isOver = true;
  await looking;
  return seen;
}

/** Files of the shard on that node. */
async function shardFiles(index: string, member: TestMember): Promise<string> {
  const settings = await ok(cluster.node().get(`/${index}/_settings`));
  return join(member.home, 'data', 'indices', settings[index].settings.index.uuid as string, '0');
}

/** Damages the only segment of an index without replicas while its node is down; the answer mends it. */
async function damage(index: string, settings: Json = {}): Promise<{ mend: () => Promise<void> }> {
  await create(index, { number_of_replicas: 0, ...settings });
  await write(index);
  await ok(cluster.node().post(`/${index}/_flush`));
  const member = await memberWith(index, 'p');
  const directory = await shardFiles(index, member);
  await member.kill();
  const segment = must(
    (await readdir(directory)).find((name) => name.endsWith('.seg')),
    'a segment',
  );
  const whole = await readFile(join(directory, segment));
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(whole.length >> 1) ^ 4, whole.length >> 1);
  await writeFile(join(directory, segment), damaged);
  await member.start();
  return { mend: () => writeFile(join(directory, segment), whole) };
}

const CLUSTER_STATUS: readonly Row[] = [
  {
    from: 'green',
    trigger: 'a node with replicas leaves',
    to: 'yellow, its copies delayed for 1m while it may rejoin; searches and writes go on',
    async run(index) {
      await create(index, { number_of_replicas: 1 });
      await write(index);
      expect(await health(index)).toMatchObject({ status: 'green', unassigned_shards: 0 });
      const member = await memberWith(index, 'r');
      await member.kill();
      const found = await untilStatus(index, 'yellow');
      expect(found).toMatchObject({ unassigned_shards: 1, delayed_unassigned_shards: 1 });
      const explained = await explain(index, false);
      expect(explained).toMatchObject({
        current_state: 'unassigned',
        unassigned_info: { reason: 'NODE_LEFT' },
        can_allocate: 'allocation_delayed',
        configured_delay: '1m',
        configured_delay_in_millis: 60_000,
      });
      expect(explained.remaining_delay_in_millis).toBeGreaterThan(0);
      await write(index, DOCUMENTS);
      expect(await countOf(index)).toBe(2 * DOCUMENTS);
      await member.start();
      await settled(index);
    },
  },
  {
    from: 'yellow',
    trigger: 'the node returns',
    to: 'green; the count of unallocated shards falls progressively',
    async run(index) {
      await create(index, { number_of_shards: 6, number_of_replicas: 1 });
      await write(index);
      const member = await memberWith(index, 'r');
      await member.kill();
      await untilStatus(index, 'yellow');
      const counts: number[] = [];
      await member.start();
      await cluster.until(`[${index}] to be green`, async () => {
        const found = await health(index);
        counts.push(found.unassigned_shards as number);
        return found.status === 'green' ? true : undefined;
      });
      expect(counts).toEqual([...counts].sort((left, right) => right - left));
      expect(counts.at(-1)).toBe(0);
      await settled(index);
    },
  },
  {
    from: 'yellow',
    trigger: 'number_of_replicas is set to 0 where there are as many replicas as nodes',
    to: 'green',
    async run(index) {
      await create(index, { number_of_replicas: NODES });
      await write(index);
      await untilStatus(index, 'yellow');
      await ok(cluster.node().put(`/${index}/_settings`, { index: { number_of_replicas: 0 } }));
      expect(await untilStatus(index, 'green')).toMatchObject({ active_shards: 1, unassigned_shards: 0 });
      expect(await countOf(index)).toBe(DOCUMENTS);
    },
  },
  {
    from: 'green',
    trigger: 'the node of an index without replicas is lost',
    to: 'red without a yellow stage; results incomplete, writes impossible',
    async run(index) {
      await create(index, { number_of_shards: 6, number_of_replicas: 0 });
      await write(index);
      const member = await memberWith(index, 'p');
      const seen = await statusesDuring(index, async () => {
        await member.kill();
        await untilStatus(index, 'red');
      });
      expect(seen).not.toContain('yellow');
      const { hits, _shards: shards } = await ok(cluster.node().get(`/${index}/_search?size=0`));
      expect(shards.failed).toBeGreaterThan(0);
      expect(hits.total.value).toBeLessThan(DOCUMENTS);
      const lines = Array.from({ length: DOCUMENTS }, (_, at) => [{ index: { _id: String(at) } }, { n: at }]).flat();
      const { items } = await ok(cluster.node().bulk(`/${index}/_bulk?timeout=100ms`, lines));
      const refused = (items as Json[]).filter((item) => item.index.status !== 200).map((item) => item.index);
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, error } of refused)
        expect([status, error.type]).toEqual([503, 'unavailable_shards_exception']);
      await member.start();
      await settled(index);
    },
  },
  {
    from: 'green',
    trigger: 'data of an index without replicas is corrupted',
    to: 'red',
    async run(index) {
      const { mend } = await damage(index);
      await untilStatus(index, 'red');
      const explained = await cluster.until('the failure to be known', async () => {
        const found = await explain(index, true);
        return found.unassigned_info?.reason === 'ALLOCATION_FAILED' ? found : undefined;
      });
      expect(explained.unassigned_info.details).toContain('corrupt_index_exception');
      await mend();
      await ok(cluster.node().post('/_cluster/reroute?retry_failed=true'));
      await settled(index);
    },
  },
  {
    from: 'yellow',
    trigger: 'all disks are above the low watermark',
    to: 'unchanged; explain names the watermark',
    async run(index) {
      await create(index, { number_of_replicas: 0 });
      await write(index);
      await whileDisksAreAbove({ low: '1000tb', high: '1mb' }, async () => {
        await ok(cluster.node().put(`/${index}/_settings`, { index: { number_of_replicas: 1 } }));
        const sentences = await untilDisksRefuse(index, false);
        for (const sentence of sentences) {
          expect(sentence).toContain('[cluster.routing.allocation.disk.watermark.low=1000tb]');
        }
        await ok(cluster.node().post('/_cluster/reroute'));
        expect(await health(index)).toMatchObject({ status: 'yellow', unassigned_shards: 1 });
      });
      await settled(index);
    },
  },
  {
    from: 'red',
    trigger: 'all disks are above the high watermark',
    to: 'unchanged; explain names the watermark',
    async run(index) {
      await whileDisksAreAbove({ low: '1000tb', high: '1000tb' }, async () => {
        await ok(cluster.node().put(`/${index}?wait_for_active_shards=0`, { settings: { number_of_replicas: 0 } }));
        const sentences = await untilDisksRefuse(index, true);
        expect(sentences).toHaveLength(NODES);
        for (const sentence of sentences) {
          expect(sentence).toContain('[cluster.routing.allocation.disk.watermark.high=1000tb]');
        }
        await ok(cluster.node().post('/_cluster/reroute'));
        expect((await health(index)).status).toBe('red');
      });
      await settled(index);
    },
  },
  {
    from: 'red',
    trigger: 'the node with the last primary copy returns with its data',
    to: 'green',
    async run(index) {
      await create(index, { number_of_replicas: 0 });
      await write(index);
      const member = await memberWith(index, 'p');
      await member.kill();
      await untilStatus(index, 'red');
      await member.start();
      await settled(index);
      await ok(cluster.node().post(`/${index}/_refresh`));
      expect(await countOf(index)).toBe(DOCUMENTS);
    },
  },
  {
    from: 'red',
    trigger: 'allocate_stale_primary with accept_data_loss, where no other copy exists',
    to: 'a primary from the stale copy; what was written since is lost, also on the lost node when it returns',
    run: promoteStaleCopy,
  },
];

async function promoteStaleCopy(index: string): Promise<void> {
  await create(index, { number_of_replicas: 1, [DELAY]: '0s', 'index.routing.allocation.include._name': 'n1,n2' });
  await write(index);
  const [newer, stale] = [await memberWith(index, 'p'), await memberWith(index, 'r')];
  await stale.kill();
  await untilStatus(index, 'yellow');
  await write(index, DOCUMENTS);
  await newer.kill();
  await stale.start();
  await untilStatus(index, 'red');
  const explained = await cluster.until('the stale copy to be no valid one', async () => {
    const found = await explain(index, true);
    return found.can_allocate === 'no_valid_shard_copy' ? found : undefined;
  });
  expect(explained.current_state).toBe('unassigned');
  const command = { index, shard: 0, node: stale.name };
  const reroute = (accept: boolean): Promise<Answer> =>
    cluster.node().post('/_cluster/reroute', {
      commands: [{ allocate_stale_primary: { ...command, accept_data_loss: accept } }],
    });
  expect((await reroute(false)).status).toBe(400);
  await ok(reroute(true));
  await untilStatus(index, 'yellow');
  await ok(cluster.node().post(`/${index}/_refresh`));
  expect(await countOf(index)).toBe(DOCUMENTS);
  await write(index, 1_000, 1);
  await newer.start();
  await settled(index);
  for (const copy of ['_primary', '_replica']) {
    const { hits } = await ok(cluster.node().get(`/${index}/_search?size=0&preference=${copy}&q=*:*`));
    expect(hits.total.value, copy).toBe(DOCUMENTS + 1);
  }
}

const SHARD_ALLOCATION: readonly Row[] = [
  {
    from: 'unassigned',
    trigger: '_cluster/reroute?retry_failed=true after max_retries was exceeded',
    to: 'tried again; explain shows the outcome',
    async run(index) {
      const { mend } = await damage(index, { 'index.allocation.max_retries': 1 });
      const given = await cluster.until('the copy to be given up', async () => {
        const found = await explain(index, true);
        return found.can_allocate === 'no' && found.unassigned_info.failed_allocation_attempts >= 1 ? found : undefined;
      });
      expect(JSON.stringify(given)).toContain('max_retry');
      await mend();
      await ok(cluster.node().post('/_cluster/reroute'));
      expect((await health(index)).status).toBe('red');
      await ok(cluster.node().post('/_cluster/reroute?retry_failed=true'));
      await settled(index);
      expect(await explain(index, true)).toMatchObject({ current_state: 'started' });
      expect(await countOf(index)).toBe(DOCUMENTS);
    },
  },
  {
    from: 'unassigned (NODE_LEFT)',
    trigger: 'the delay elapses and the node did not return',
    to: 'allocated to an allowed node',
    async run(index) {
      await create(index, { number_of_replicas: 1, [DELAY]: '2s' });
      await write(index);
      const member = await memberWith(index, 'r');
      await member.kill();
      expect(await untilStatus(index, 'yellow')).toMatchObject({ delayed_unassigned_shards: 1 });
      await untilStatus(index, 'green');
      expect((await memberWith(index, 'r')).name).not.toBe(member.name);
      await member.start();
      await settled(index);
    },
  },
  {
    from: 'STARTED',
    trigger: 'cluster.routing.allocation.exclude._ip names the node',
    to: 'moved off; _cat/allocation shows no shards there',
    async run(index) {
      await create(index, { number_of_shards: 3, number_of_replicas: 1 });
      await write(index);
      const exclude = (ip: string | null): Promise<Json> =>
        ok(cluster.node().put('/_cluster/settings', { persistent: { 'cluster.routing.allocation.exclude._ip': ip } }));
      const shardsThere = async (): Promise<number> => {
        const rows = (await ok(cluster.node().get('/_cat/allocation?v=true&format=json'))) as Json[];
        return Number(rows.find(({ ip }) => ip === OWN_ADDRESS)?.shards);
      };
      expect(await shardsThere()).toBeGreaterThan(0);
      await exclude(OWN_ADDRESS);
      await cluster.until('the node to be empty', async () => ((await shardsThere()) === 0 ? true : undefined));
      await settled(index);
      expect(await countOf(index)).toBe(DOCUMENTS);
      await exclude(null);
      await cluster.until('shards to come back', async () => ((await shardsThere()) > 0 ? true : undefined));
    },
  },
];

const TABLES = { 'Cluster status': CLUSTER_STATUS, 'Shard allocation': SHARD_ALLOCATION };

describe.each(Object.entries(TABLES))('%s', (_table, rows) => {
  test.each(rows.map((row, at) => ({ ...row, at })))(
    'from $from, when $trigger: $to',
    { timeout: 240_000 },
    async ({ run, from, at }) => {
      const index = `${from.replace(/\W+/g, '-').replace(/-$/, '').toLowerCase()}-${at}`;
      await run(index);
      await ok(cluster.node().delete(`/${index}`));
    },
  );
});
