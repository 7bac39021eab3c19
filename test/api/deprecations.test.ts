/** `_migration/deprecations` of a real node: what each check finds, and that nothing is left when it is mended. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-deprecations-'));
  await mkdir(join(home, 'jvm.options.d'));
  await writeFile(join(home, 'jvm.options.d', 'gc.options'), '-XX:+UseG1GC\n');
  await writeFile(join(home, 'quarry.yml'), 'reindex.remote.whitelist: "localhost:9200"\n');
  const settings = { 'compatibility.distribution': 'opensearch', 'node.name': 'only', 'path.repo': home };
  const cluster = { 'cluster.routing.allocation.disk.threshold_enabled': undefined };
  node = await TestNode.start({ ...settings, ...cluster }, home, ['--config', join(home, 'quarry.yml')]);
}, 60_000);

afterAll(async () => {
  await node.stop();
  await rm(home, { recursive: true, force: true });
});

afterEach(async () => {
  const none = { 'cluster.*': null, 'indices.*': null, 'network.*': null };
  await node.put('/_cluster/settings', { persistent: none, transient: none });
});

async function report(path = '/_migration/deprecations'): Promise<Json> {
  const answer = await node.get(path);
  expect(answer.status).toBe(200);
  return answer.json();
}

async function persist(settings: object, scope = 'persistent'): Promise<void> {
  expect((await node.put('/_cluster/settings', { [scope]: settings })).status).toBe(200);
}

const entry = (level: string, message: string, url: string, details: string): Json => ({
  ...{ level, message, url, details: expect.stringContaining(details), resolve_during_rolling_upgrade: false },
});

it('is empty but for the nodes where nothing is deprecated', async () => {
  const { node_settings, ...others } = await report();
  expect(others).toEqual({
    ...{ cluster_settings: [], index_settings: {}, data_streams: {}, templates: {}, ilm_policies: {}, ml_settings: [] },
  });
  expect(node_settings).toEqual([
    entry(
      ...(['warning', 'Setting [reindex.remote.whitelist] is deprecated'] as const),
      ...(['/_nodes/settings', 'Use [reindex.remote.allowlist] in its place. Nodes: [only]'] as const),
    ),
    entry('warning', 'Options of a Java machine have no effect', '/_nodes/settings', 'Nodes: [only]'),
  ]);
});

it.each([
  [
    { 'cluster.routing.allocation.disk.threshold_enabled': 'false' },
    'Allocation does not look at disks',
    'set [cluster',
  ],
  [
    { 'cluster.routing.allocation.disk.watermark.flood_stage': '98.5%' },
    ...['The flood stage of disks comes too late', 'is [98.5%]: writes are blocked so late'],
  ],
  [
    { 'indices.breaker.inflight_requests.limit': '90%', 'network.breaker.inflight_requests.limit': '80%' },
    ...['The limit of requests in flight is set under two names', 'remove one of them'],
  ],
] as const)('tells of settings of the cluster: %j', async (settings, message, details) => {
  await persist(settings);
  expect((await report()).cluster_settings).toEqual([entry('warning', message, '/_cluster/settings', details)]);
});

it('does not tell of a flood stage that leaves room', async () => {
  await persist({ 'cluster.routing.allocation.disk.watermark.flood_stage': '98%' });
  expect((await report()).cluster_settings).toEqual([]);
});

it('tells of more shards than the cluster takes', async () => {
  await node.put('/two', { settings: { number_of_shards: 2, number_of_replicas: 0 } });
  await persist({ 'cluster.max_shards_per_node': 2 });
  expect((await report()).cluster_settings).toEqual([]);
  await persist({ 'cluster.max_shards_per_node': 1 });
  const message = 'The cluster has more open shards than it takes';
  expect((await report()).cluster_settings).toEqual([
    entry('warning', message, '/_cluster/settings', '[2] shards are open, [1] may be'),
  ]);
  await node.delete('/two');
});

it('tells of each index what is wrong with it, of all or of those that are named', async () => {
  await node.put('/clean', { settings: { number_of_replicas: 0 } });
  await node.put('/old', {
    settings: {
      number_of_replicas: 0,
      'index.translog.retention.age': '12h',
      'index.search.slowlog.level': 'info',
      'index.lifecycle.name': 'gone',
      'index.default_pipeline': 'gone',
    },
  });
  const url = '/old/_settings';
  const expected = [
    entry(
      ...(['warning', 'Settings without an effect will be refused by a later version', url] as const),
      '[index.translog.retention.age]',
    ),
    entry('warning', 'Levels of slow logs are deprecated', url, 'Remove [index.search.slowlog.level]'),
    entry('warning', 'Index names a lifecycle policy that does not exist', url, 'is [gone]'),
    entry('warning', 'Index names an ingest pipeline that does not exist', url, '[index.default_pipeline]'),
  ];
  expect((await report()).index_settings).toEqual({ old: expected });
  expect((await report('/old/_migration/deprecations')).index_settings).toEqual({ old: expected });
  expect((await node.get('/nobody/_migration/deprecations')).status).toBe(404);
  expect((await report('/clean/_migration/deprecations')).index_settings).toEqual({});
  await node.put('/_ilm/policy/gone', { policy: { phases: { delete: { actions: { delete: {} } } } } });
  await node.put('/_ingest/pipeline/gone', { processors: [] });
  expect((await report()).index_settings.old).toHaveLength(2);
  await node.delete('/old');
});

it('tells of templates', async () => {
  await node.put('/_template/legacy', { index_patterns: ['legacy-*'] });
  await node.put('/_component_template/part', { template: {}, deprecated: true });
  await node.put('/_index_template/whole', {
    index_patterns: ['whole-*'],
    composed_of: ['part'],
    template: { settings: { 'index.translog.retention.size': '1gb' } },
  });
  const ignored = 'Settings without an effect will be refused by a later version';
  const { templates } = await report();
  expect(templates.whole).toEqual([
    entry('warning', ignored, '/_index_template/whole', '[index.translog.retention.size]'),
    entry(
      ...(['warning', 'Index template uses deprecated component templates'] as const),
      ...(['/_index_template/whole', '[part]'] as const),
    ),
  ]);
  expect(templates.legacy).toEqual([
    entry(
      ...(['warning', 'Legacy index templates are deprecated in favor of composable templates'] as const),
      ...(['/_template/legacy', '[legacy]'] as const),
    ),
  ]);
});

it('tells of policies that wait for what is not there', async () => {
  const actions = { wait_for_snapshot: { policy: 'nightly' }, delete: {} };
  await node.put('/_ilm/policy/waits', { policy: { phases: { delete: { actions } } } });
  expect((await report()).ilm_policies).toEqual({
    waits: [
      entry(
        ...(['warning', 'Policy waits for snapshots of policies that do not exist'] as const),
        ...(['/_ilm/policy/waits', '[nightly]'] as const),
      ),
    ],
  });
  await node.delete('/_ilm/policy/waits');
});

it('tells of policies that mount from repositories that were forgotten', async () => {
  await node.put('/_snapshot/gone', { type: 'fs', settings: { location: 'gone' } });
  const actions = { searchable_snapshot: { snapshot_repository: 'gone' } };
  await node.put('/_ilm/policy/mounts', { policy: { phases: { cold: { actions } } } });
  expect((await report()).ilm_policies).toEqual({});
  await node.delete('/_snapshot/gone');
  expect((await report()).ilm_policies).toEqual({
    mounts: [
      entry(
        ...(['warning', 'Policy mounts from repositories that do not exist'] as const),
        ...(['/_ilm/policy/mounts', '[gone]'] as const),
      ),
    ],
  });
});
