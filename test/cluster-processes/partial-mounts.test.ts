/** Partially mounted indices in a cluster: nodes of the frozen tier alone hold them, and make those of a lost node anew at once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestCluster } from './cluster-harness.js';
import { DOCUMENTS, indexHelpers } from './index-helpers.js';

let cluster: TestCluster;
let repositories: string;

const CACHE = {
  'xpack.searchable.snapshot.shared_cache.size': '1mb',
  'xpack.searchable.snapshot.shared_cache.region_size': '64kb',
};

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-partial-'));
  cluster = await TestCluster.start({
    nodes: ['content', 'cold1', 'cold2', 'bare'],
    settings: { 'node.processors': '1', 'path.repo': repositories },
    settingsOf: {
      content: { 'node.roles': 'master,data_content,data_hot' },
      cold1: { 'node.roles': 'master,data_frozen', ...CACHE },
      cold2: { 'node.roles': 'master,data_frozen', ...CACHE },
      bare: { 'node.roles': 'data_frozen', 'xpack.searchable.snapshot.shared_cache.size': '0' },
    },
  });
  await cluster.waitForHealth('wait_for_nodes=4');
});

afterAll(async () => {
  await cluster.stop();
  await rm(repositories, { recursive: true, force: true });
});

const { ok, create, write, countOf, untilStatus, settled, memberWith } = indexHelpers(() => cluster);

test('are on nodes with a cache, and go to another one at once when theirs is lost', async () => {
  await create('source', { number_of_replicas: 0 });
  await write('source');
  expect((await memberWith('source', 'p')).name).toBe('content');
  await ok(cluster.node().put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await ok(cluster.node().put('/_snapshot/archive/kept?wait_for_completion=true', { indices: 'source' }));
  await ok(cluster.node().delete('/source'));
  const path = '/_snapshot/archive/kept/_mount?wait_for_completion=true&storage=shared_cache';
  await ok(cluster.node().post(path, { index: 'source', renamed_index: 'frozen' }));
  const former = await memberWith('frozen', 'p');
  expect(['cold1', 'cold2']).toContain(former.name);
  expect(await countOf('frozen')).toBe(DOCUMENTS);
  const explained = await ok(
    cluster.node().post('/_cluster/allocation/explain', { index: 'frozen', shard: 0, primary: true }),
  );
  const deciders = JSON.stringify(explained.node_allocation_decisions);
  expect(deciders).toContain('[xpack.searchable.snapshot.shared_cache.size] is set to zero');
  expect(deciders).toContain('node does not meet the required [data_frozen] tier');
  const others = await ok(cluster.node().get('/_searchable_snapshots/cache/stats'));
  const sizes = Object.values(others.nodes as Record<string, { shared_cache: { size_in_bytes: number } }>);
  expect(sizes.map(({ shared_cache }) => shared_cache.size_in_bytes).sort((a, b) => a - b)).toEqual([
    ...[0, 0],
    ...[1024 * 1024, 1024 * 1024],
  ]);
  await former.kill();
  await cluster.waitForHealth('wait_for_nodes=3');
  await untilStatus('frozen', 'green');
  const next = await memberWith('frozen', 'p');
  expect(['cold1', 'cold2'].filter((name) => name !== former.name)).toContain(next.name);
  expect(await countOf('frozen')).toBe(DOCUMENTS);
  await former.start();
  await settled('frozen');
  expect(await countOf('frozen')).toBe(DOCUMENTS);
});

test('ordinary indices are not on nodes that hold the frozen tier alone', async () => {
  await create('ordinary', { number_of_replicas: 0, number_of_shards: 6 });
  await write('ordinary');
  const held = await ok(cluster.node().get('/_cat/shards/ordinary?format=json'));
  expect(new Set(held.map(({ node }: { node: string }) => node))).toEqual(new Set(['content']));
});
