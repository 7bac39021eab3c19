/** The health report of a real node: which nodes are above a watermark, and what to do about each finding. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const DISK = 'cluster.routing.allocation.disk';
let node: TestNode;
let id: string;

beforeAll(async () => {
  node = await TestNode.start({ 'node.name': 'only', [`${DISK}.threshold_enabled`]: undefined });
  [id = ''] = Object.keys((await node.get('/_nodes')).json().nodes as object);
}, 60_000);

afterAll(async () => {
  await node.stop();
});

afterEach(async () => {
  await node.put('/_cluster/settings', { persistent: { 'cluster.*': null } });
});

async function indicator(name: string): Promise<Json> {
  return (await node.get(`/_health_report/${name}`)).json().indicators[name];
}

async function watermarks(low: string, high: string, flood: string): Promise<void> {
  const persistent = {
    [`${DISK}.watermark.low`]: low,
    [`${DISK}.watermark.high`]: high,
    [`${DISK}.watermark.flood_stage`]: flood,
  };
  expect((await node.put('/_cluster/settings', { persistent })).status).toBe(200);
}

// The disk of any machine is fuller than this, and has more than a byte left.
it.each([
  ['99%', '99%', '1b', 'green', 'The cluster has enough available disk space.', []],
  ['0.001%', '0.002%', '1b', 'yellow', '1 node is above the high watermark.', ['only']],
  ['0.001%', '0.002%', '0.003%', 'red', '1 node is above the flood stage watermark.', ['only']],
])('tells of disks: watermarks %s, %s, %s', async (low, high, flood, status, symptom, names) => {
  if (flood === '1b') await watermarks(low === '99%' ? '3b' : '900000tb', high === '99%' ? '2b' : '900000tb', '1b');
  else await watermarks(low, high, flood);
  const disk = await indicator('disk');
  expect(disk.status).toBe(status);
  expect(disk.symptom).toContain(symptom);
  expect(disk.details).toMatchObject({
    nodes_with_enough_disk_space: status === 'green' ? 1 : 0,
    nodes_over_high_watermark: status === 'yellow' ? 1 : 0,
    nodes_over_flood_stage_watermark: status === 'red' ? 1 : 0,
    nodes_with_unknown_disk_status: 0,
  });
  const diagnosed = (disk.diagnosis ?? []).filter(({ id: each }: Json) =>
    each.endsWith('add_disk_capacity_data_nodes'),
  );
  expect(diagnosed.flatMap(({ affected_resources }: Json) => affected_resources.nodes)).toEqual(
    names.map((name) => ({ node_id: id, name })),
  );
  if (status !== 'green') expect(disk.impacts[0].id).toContain('elasticsearch:health:disk:impact:ingest_capability');
});

it('tells what keeps copies of shards from a node, and what to do', async () => {
  await node.put('/wide', { settings: { number_of_replicas: 1 } });
  const ids = async (): Promise<readonly string[]> =>
    ((await indicator('shards_availability')).diagnosis ?? []).map((diagnosis: Json) => diagnosis.id.split(':').at(-1));
  expect(await ids()).toEqual(['increase_node_capacity_for_allocations']);
  await node.put('/_cluster/settings', { persistent: { 'cluster.routing.allocation.enable': 'none' } });
  await node.put('/later?wait_for_active_shards=0&timeout=1s', { settings: { number_of_replicas: 0 } });
  expect(await ids()).toEqual(['enable_cluster_allocations', 'increase_node_capacity_for_allocations']);
  const [{ affected_resources, action, cause, help_url }] = (await indicator('shards_availability')).diagnosis;
  expect([...affected_resources.indices].sort()).toEqual(['later', 'wide']);
  expect([action, cause, help_url]).toEqual([
    expect.stringContaining('[cluster.routing.allocation.enable] null'),
    expect.stringContaining('is [none]'),
    'docs/allocation.md',
  ]);
  await node.put('/_cluster/settings', { persistent: { 'cluster.routing.allocation.enable': null } });
  await node.put('/wide/_settings', { number_of_replicas: 0 });
  await node.get('/_cluster/health?wait_for_status=green&timeout=30s');
  expect(await indicator('shards_availability')).toMatchObject({
    status: 'green',
    symptom: expect.stringContaining('all'),
  });
  expect(await ids()).toEqual([]);
});

it('tells how to go on where the cluster takes no more shards', async () => {
  await node.put('/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': 1 } });
  const { status, diagnosis } = await indicator('shards_capacity');
  expect(status).toBe('red');
  expect(diagnosis[0]).toMatchObject({
    id: 'elasticsearch:health:shards_capacity:diagnosis:increase_max_shards_per_node',
  });
  expect((await node.get('/_health_report?verbose=false')).json().indicators.shards_capacity.diagnosis).toBeUndefined();
});
