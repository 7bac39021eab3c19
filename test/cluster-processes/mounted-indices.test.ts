/** Searchable snapshots in a cluster: a shard that lost its node is fetched from its snapshot again, or says that this is gone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestCluster } from './cluster-harness.js';
import { DOCUMENTS, indexHelpers } from './index-helpers.js';

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
async function mounted(name: string, settings: Record<string, unknown>): Promise<void> {
  const source = `${name}-source`;
  await create(source, { number_of_replicas: 0 });
  await write(source);
  await ok(cluster.node().put(`/_snapshot/${name}`, { type: 'fs', settings: { location: name } }));
  await ok(cluster.node().put(`/_snapshot/${name}/kept?wait_for_completion=true`, { indices: source }));
  await ok(cluster.node().delete(`/${source}`));
  const body = { index: source, renamed_index: name, index_settings: settings };
  await ok(cluster.node().post(`/_snapshot/${name}/kept/_mount?wait_for_completion=true`, body));
}

test('a shard whose node is gone is fetched from its snapshot by another one', async () => {
  await mounted('fetched', { 'index.unassigned.node_left.delayed_timeout': '0s' });
  const former = await memberWith('fetched', 'p');
  await former.kill();
  await cluster.waitForHealth('wait_for_nodes=2');
  await untilStatus('fetched', 'green');
  expect(await countOf('fetched')).toBe(DOCUMENTS);
  const recovery = await ok(cluster.node().get('/fetched/_recovery'));
  expect(recovery.fetched.shards).toMatchObject([{ type: 'SNAPSHOT', stage: 'DONE', primary: true }]);
  await former.start();
  await settled('fetched');
  expect(await countOf('fetched')).toBe(DOCUMENTS);
});

test('a node that comes back within the delay has the shard still', async () => {
  await mounted('kept', { 'index.unassigned.node_left.delayed_timeout': '5m' });
  const former = await memberWith('kept', 'p');
  await former.kill();
  await untilStatus('kept', 'red');
  await former.start();
  await settled('kept');
  expect((await ok(cluster.node().get('/kept/_recovery'))).kept.shards).toMatchObject([
    { type: 'EXISTING_STORE', stage: 'DONE' },
  ]);
  expect(await countOf('kept')).toBe(DOCUMENTS);
});

test('a shard whose snapshot is gone as well is not allocated, and the explanation names the snapshot', async () => {
  await mounted('lost', { 'index.unassigned.node_left.delayed_timeout': '0s' });
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
    /shard has failed to be restored from the snapshot \[lost:kept\/[^\]]+\] because of .*is missing/,
  );
  await former.start();
  await settled('lost');
  expect(await countOf('lost')).toBe(DOCUMENTS);
});
