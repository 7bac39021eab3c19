/** Searchable snapshots in a cluster: a shard that lost its node is fetched from its snapshot again, or says that this is gone. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestCluster } from './cluster-harness.js';
import { DOCUMENTS, indexHelpers } from './index-helpers.js';

/** Of each mounted index. */
const MOUNTED = DOCUMENTS + 1;

let cluster: TestCluster;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-mounts-'));
  cluster = await TestCluster.start({ nodes: 3, settings: { 'node.processors': '1', 'path.repo': repositories } });
  await cluster.waitForHealth('wait_for_nodes=3');
});

afterAll(async () => {
  await cluster.stop();
  await rm(repositories, { recursive: true, force: true });
});

/** Also after a test that failed. */
beforeEach(async () => {
  await Promise.all(cluster.members.filter(({ isAlive }) => !isAlive).map((member) => member.start()));
  await cluster.waitForHealth('wait_for_nodes=3');
});

const { ok, create, write, countOf, untilStatus, settled, memberWith } = indexHelpers(() => cluster);

/** Mounts an index of one shard without replicas under the name, of a repository of the name. */
async function mounted(name: string, settings: Record<string, unknown>, rate?: string): Promise<void> {
  const source = `${name}-source`;
  await create(source, { number_of_replicas: 0 });
  await write(source);
  await writeNoise(source);
  const repository = { location: name, ...(rate === undefined ? {} : { max_restore_bytes_per_sec: rate }) };
  await ok(cluster.node().put(`/_snapshot/${name}`, { type: 'fs', settings: repository }));
  await ok(cluster.node().put(`/_snapshot/${name}/kept?wait_for_completion=true`, { indices: source }));
  await ok(cluster.node().delete(`/${source}`));
  const body = { index: source, renamed_index: name, index_settings: settings };
  await ok(cluster.node().post(`/_snapshot/${name}/kept/_mount?wait_for_completion=true`, body));
}

/** A document that makes a segment of several parts: half a megabyte that cannot be compressed. */
async function writeNoise(index: string): Promise<void> {
  const mapping = { properties: { noise: { type: 'keyword', index: false, doc_values: false } } };
  await ok(cluster.node().put(`/${index}/_mapping`, mapping));
  const noise = randomBytes(400_000).toString('base64');
  await ok(cluster.node().put(`/${index}/_doc/noise?refresh=true`, { noise }));
}

/** Until its files are on its node. */
function copied(name: string): Promise<true> {
  return cluster.until(`the files of ${name}`, async () => {
    const { shards } = (await ok(cluster.node().get(`/${name}/_recovery`)))[name];
    return shards.every(({ stage }: { stage: string }) => stage === 'DONE') ? true : undefined;
  });
}

test('a shard whose node is gone is fetched from its snapshot by another one', async () => {
  await mounted('fetched', { 'index.unassigned.node_left.delayed_timeout': '0s' });
  const former = await memberWith('fetched', 'p');
  await former.kill();
  await cluster.waitForHealth('wait_for_nodes=2');
  await untilStatus('fetched', 'green');
  expect(await countOf('fetched')).toBe(MOUNTED);
  const recovery = await ok(cluster.node().get('/fetched/_recovery'));
  expect(recovery.fetched.shards).toMatchObject([{ type: 'SNAPSHOT', primary: true }]);
  await copied('fetched');
  await former.start();
  await settled('fetched');
  expect(await countOf('fetched')).toBe(MOUNTED);
});

test('a node that comes back within the delay has the shard still', async () => {
  await mounted('kept', { 'index.unassigned.node_left.delayed_timeout': '5m' });
  await copied('kept');
  const former = await memberWith('kept', 'p');
  await former.kill();
  await untilStatus('kept', 'red');
  await former.start();
  await settled('kept');
  expect((await ok(cluster.node().get('/kept/_recovery'))).kept.shards).toMatchObject([
    { type: 'EXISTING_STORE', stage: 'DONE' },
  ]);
  expect(await countOf('kept')).toBe(MOUNTED);
});

test('a shard whose snapshot is gone as well is not allocated, and the explanation names the snapshot', async () => {
  await mounted('lost', { 'index.unassigned.node_left.delayed_timeout': '0s' });
  await copied('lost');
  await rm(join(repositories, 'lost'), { recursive: true });
  const former = await memberWith('lost', 'p');
  await former.kill();
  const explained = await cluster.until('the shard to be given up', async () => {
    const answer = await cluster
      .node()
      .post('/_cluster/allocation/explain', { index: 'lost', shard: 0, primary: true });
    const body = answer.json();
    return answer.status === 200 && JSON.stringify(body).includes('restore_in_progress') ? body : undefined;
  });
  expect(explained.can_allocate).toBe('no');
  expect(JSON.stringify(explained.node_allocation_decisions)).toMatch(
    /shard has failed to be restored from the snapshot \[lost:kept\/[^\]]+\] - manually close or delete the index \[lost\] .* Details: .*is missing/,
  );
  await former.start();
  await settled('lost');
  expect(await countOf('lost')).toBe(MOUNTED);
});

test('a replica is made of files that its primary does not have yet', async () => {
  const settings = { number_of_replicas: 1, 'index.unassigned.node_left.delayed_timeout': '5m' };
  // So slow that the primary alone would not have them within the time of the test.
  await mounted('replicated', settings, '1b');
  await untilStatus('replicated', 'green');
  // The former primary comes back without all of its files, and as a replica.
  const former = await memberWith('replicated', 'p');
  await former.kill();
  await cluster.until('the replica to be the primary', async () => {
    const answer = await cluster.node().get('/replicated/_count');
    const { count, _shards } = answer.json();
    return answer.status === 200 && _shards.failed === 0 && count === MOUNTED ? true : undefined;
  });
  await former.start();
  await settled('replicated');
  await untilStatus('replicated', 'green');
  expect(await countOf('replicated')).toBe(MOUNTED);
});
