/**
 * Snapshots of a cluster: each row of the contract's table "Snapshot", and that of "Cluster status" about a restore, with three real
 * nodes.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';
import { DOCUMENTS, indexHelpers } from './index-helpers.js';

const NODES = 3;

let cluster: TestCluster;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  const settings = { 'node.processors': '1', 'path.repo': repositories };
  cluster = await TestCluster.start({ nodes: NODES, settings });
  await cluster.waitForHealth(`wait_for_nodes=${NODES}`);
});

/** Also after a row that failed. */
beforeEach(async () => {
  await Promise.all(cluster.members.filter(({ isAlive }) => !isAlive).map((member) => member.start()));
  await cluster.waitForHealth(`wait_for_nodes=${NODES}`);
});

afterAll(async () => {
  await cluster.stop();
  await rm(repositories, { recursive: true, force: true });
});

const { ok, create, write, countOf, untilStatus, settled, memberWith } = indexHelpers(() => cluster);

interface Row {
  readonly from: string;
  readonly trigger: string;
  readonly to: string;
  /** Begins and ends with three nodes; the index and the repository are the row's own. */
  readonly run: (index: string) => Promise<void>;
}

async function register(repository: string): Promise<void> {
  const body = { type: 'fs', settings: { location: repository } };
  await ok(cluster.node().put(`/_snapshot/${repository}`, body));
}

async function snapshot(repository: string, name: string, body: Json): Promise<Json> {
  const path = `/_snapshot/${repository}/${name}?wait_for_completion=true`;
  return (await ok(cluster.node().put(path, { indices: repository, ...body }))).snapshot;
}

/** An index of three shards, one on each node, and what happens while one of these is gone. */
async function withoutOneShard(index: string, act: () => Promise<void>): Promise<void> {
  await register(index);
  const settings = { 'index.routing.allocation.total_shards_per_node': 1 };
  await create(index, { number_of_shards: 3, number_of_replicas: 0, ...settings });
  await write(index);
  const member = cluster.member('n3');
  await member.kill();
  await untilStatus(index, 'red');
  await act();
  await member.start();
  await settled(index);
}

const ROWS: readonly Row[] = [
  {
    from: 'red',
    trigger: 'a snapshot is restored',
    to: 'the index is recovered; what the lost node has of it does not come back',
    async run(index) {
      await register(index);
      await create(index, { number_of_replicas: 0 });
      await write(index);
      expect((await snapshot(index, 'before', {})).state).toBe('SUCCESS');
      await write(index, DOCUMENTS);
      const member = await memberWith(index, 'p');
      await member.kill();
      await untilStatus(index, 'red');
      await ok(cluster.node().post(`/${index}/_close?wait_for_active_shards=0`));
      const restored = await ok(cluster.node().post(`/_snapshot/${index}/before/_restore?wait_for_completion=true`));
      expect(restored.snapshot.shards).toEqual({ total: 1, failed: 0, successful: 1 });
      await settled(index);
      await member.start();
      await settled(index);
      expect(await countOf(index)).toBe(DOCUMENTS);
    },
  },
  {
    from: 'none',
    trigger: 'one is taken that may be partial, and a shard cannot be stored',
    to: 'PARTIAL with the shard among its failures; SUCCESS once the cause is gone',
    async run(index) {
      await withoutOneShard(index, async () => {
        const taken = await snapshot(index, 'partial', { partial: true });
        expect(taken).toMatchObject({ state: 'PARTIAL', shards: { total: 3, failed: 1, successful: 2 } });
        expect(taken.failures).toMatchObject([{ index, reason: 'primary shard is not allocated' }]);
        const asked = await ok(cluster.node().get(`/_snapshot/${index}/partial?filter_path=snapshots.failures`));
        expect(asked.snapshots[0].failures).toHaveLength(1);
      });
      expect(await snapshot(index, 'whole', {})).toMatchObject({ state: 'SUCCESS', shards: { successful: 3 } });
    },
  },
  {
    from: 'any',
    trigger: 'a primary is absent, and it must not be partial',
    to: 'an unsuccessful attempt: refused, and nothing is kept',
    async run(index) {
      await withoutOneShard(index, async () => {
        const refused = await cluster.node().put(`/_snapshot/${index}/refused`, { indices: index });
        expect(refused.status).toBe(500);
        expect(refused.json().error).toMatchObject({
          type: 'snapshot_exception',
          reason: `[${index}:refused] Indices don't have primary shards [${index}]`,
        });
        expect((await cluster.node().get(`/_snapshot/${index}/refused`)).status).toBe(404);
      });
    },
  },
  {
    from: 'any',
    trigger: 'a shard is moving',
    to: 'it is copied when it has arrived',
    async run(index) {
      await register(index);
      await create(index, { number_of_replicas: 0 });
      await write(index);
      const from = await memberWith(index, 'p');
      const to = cluster.members.find(({ name }) => name !== from.name)?.name;
      const move = { index, shard: 0, from_node: from.name, to_node: to };
      await ok(cluster.node().post('/_cluster/reroute', { commands: [{ move }] }));
      expect(await snapshot(index, 'moved', {})).toMatchObject({ state: 'SUCCESS', shards: { successful: 1 } });
      expect((await memberWith(index, 'p')).name).toBe(to);
    },
  },
];

/** So slow that things happen while a snapshot of three shards is made. */
const SLOW = { max_snapshot_bytes_per_sec: '10kb' };

async function beginSlowSnapshot(index: string): Promise<void> {
  await ok(cluster.node().put(`/_snapshot/${index}`, { type: 'fs', settings: { location: index, ...SLOW } }));
  await create(index, { number_of_shards: 3, number_of_replicas: 1 });
  for (let part = 0; part < 5; part++) await write(index, part * 1_000, 1_000);
  await ok(cluster.node().put(`/_snapshot/${index}/slow`, { indices: index }));
  await cluster.until('a shard to be copied', async () => {
    const { snapshots } = await ok(cluster.node().get(`/_snapshot/${index}/_status`));
    return snapshots[0]?.shards_stats.started > 0 ? true : undefined;
  });
}

async function untilEnded(index: string): Promise<Json> {
  return cluster.until('the snapshot to end', async () => {
    const answer = await cluster.node().get(`/_snapshot/${index}/slow`);
    if (answer.status !== 200) return undefined;
    const [taken] = answer.json().snapshots;
    return taken?.state === 'IN_PROGRESS' ? undefined : taken;
  });
}

async function masterName(): Promise<string> {
  const [row] = await ok(cluster.node().get('/_cat/master?format=json'));
  return row.node;
}

describe('while it is made', () => {
  test('a lost master is followed by one that goes on', { timeout: 240_000 }, async () => {
    await beginSlowSnapshot('followed');
    const master = cluster.member(await masterName());
    await master.kill();
    const taken = await untilEnded('followed');
    expect(taken).toMatchObject({ state: 'SUCCESS', shards: { total: 3, failed: 0, successful: 3 } });
    await master.start();
    await settled('followed');
    await ok(cluster.node().delete('/followed'));
    await ok(cluster.node().post('/_snapshot/followed/slow/_restore?wait_for_completion=true'));
    expect(await countOf('followed')).toBe(5_000);
    await ok(cluster.node().delete('/followed'));
  });

  test('a deletion stops it and removes what it had copied', { timeout: 240_000 }, async () => {
    await beginSlowSnapshot('stopped');
    const held = await cluster.node().delete('/stopped');
    expect(held.json().error.type).toBe('snapshot_in_progress_exception');
    const again = await cluster.node().put('/_snapshot/stopped/slow', { indices: 'stopped' });
    expect(again.json().error.type).toBe('invalid_snapshot_name_exception');
    await ok(cluster.node().delete('/_snapshot/stopped/slow'));
    const { snapshots } = await ok(cluster.node().get('/_snapshot/stopped/_all'));
    expect(snapshots).toEqual([]);
    const left = await readdir(join(repositories, 'stopped'), { recursive: true, withFileTypes: true });
    // The root of the deletion, which keeps whoever made the snapshot from entering it later.
    const files = left.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(files.sort()).toEqual(['latest', 'root-0']);
    await ok(cluster.node().delete('/stopped'));
  });
});

describe('states', () => {
  test.each(ROWS.map((row, at) => ({ ...row, at })))(
    'from $from, when $trigger: $to',
    { timeout: 240_000 },
    async ({ run, at }) => {
      await run(`row-${at}`);
      await ok(cluster.node().delete(`/row-${at}`));
    },
  );
});
