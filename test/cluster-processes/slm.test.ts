/** Snapshot lifecycle management while masters are lost: what policies count is what the repository has. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';
import { indexHelpers } from './index-helpers.js';

const NODES = 3;
const INTERVAL_MS = 1_000;

let cluster: TestCluster;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  const settings = { 'node.processors': '1', 'path.repo': repositories };
  cluster = await TestCluster.start({ nodes: NODES, settings });
  await cluster.waitForHealth(`wait_for_nodes=${NODES}`);
});
afterAll(async () => {
  await cluster.stop();
  await rm(repositories, { recursive: true, force: true });
});

const { ok, create, write, settled } = indexHelpers(() => cluster);

const policy = async (): Promise<Json> => (await ok(cluster.node().get('/_slm/policy/often')))['often'] as Json;

test('a schedule goes on under the next master, and no outcome is lost', async () => {
  await ok(cluster.node().put('/_snapshot/r', { type: 'fs', settings: { location: 'r' } }));
  await ok(cluster.node().put('/_cluster/settings', { persistent: { 'slm.minimum_interval': '0s' } }));
  await create('i', { number_of_shards: 3, number_of_replicas: 2 });
  await write('i');
  await settled('i');
  const body = { schedule: `${INTERVAL_MS}ms`, name: 'often', repository: 'r', config: { indices: 'i' } };
  await ok(cluster.node().put('/_slm/policy/often', body));
  for (let round = 0; round < 3; round++) {
    const { snapshots_taken: before } = (await policy()).stats as Json;
    await cluster.until('two more snapshots', async () =>
      (await policy()).stats.snapshots_taken >= before + 2 ? true : undefined,
    );
    const master = await cluster.until('a master', () => cluster.masterName());
    await cluster.member(master).kill();
    await cluster.until('a snapshot under the next master', async () => {
      const { snapshots_taken: taken } = (await policy()).stats as Json;
      return taken > before + 2 ? true : undefined;
    });
    await cluster.member(master).start();
    await cluster.waitForHealth(`wait_for_nodes=${NODES}`);
  }
  await ok(cluster.node().post('/_slm/stop'));
  const good = await cluster.until('a policy that knows of each snapshot', async () => {
    const { snapshots } = (await ok(cluster.node().get('/_snapshot/r/_all'))) as { snapshots: Json[] };
    const known = await policy();
    const succeeded = snapshots.filter(({ state }) => state === 'SUCCESS');
    const isSettled = known.in_progress === undefined && snapshots.every(({ state }) => state !== 'IN_PROGRESS');
    return isSettled && known.stats.snapshots_taken === succeeded.length ? succeeded : undefined;
  });
  // One for each time of the schedule at most.
  const starts = good.map(({ start_time_in_millis: at }) => at as number).sort((left, right) => left - right);
  const span = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
  expect(good.length).toBeLessThanOrEqual(Math.ceil(span / INTERVAL_MS) + 2);
});
