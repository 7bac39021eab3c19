import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({
    'node.name': 'only',
    'cluster.routing.allocation.disk.threshold_enabled': 'true',
    'cluster.routing.allocation.disk.watermark.low': '99.7%',
    'cluster.routing.allocation.disk.watermark.high': '99.8%',
    'cluster.routing.allocation.disk.watermark.flood_stage': '99.9%',
  });
  await node.put('/films', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await node.put('/films/_doc/1?refresh=true', { title: 'Metropolis' });
});

afterAll(async () => {
  await node.stop();
});

async function setting(key: string, value: string | null): Promise<void> {
  const answer = await node.put('/_cluster/settings', {
    persistent: { [`cluster.routing.allocation.disk.${key}`]: value },
  });
  expect(answer.status, answer.text).toBe(200);
}

describe('settings of the cluster in the configuration of a node', () => {
  it('hold, are told as defaults, and give way to what is set', async () => {
    const low = async (): Promise<unknown> => {
      const { defaults } = (await node.get('/_cluster/settings?include_defaults&flat_settings')).json();
      return defaults['cluster.routing.allocation.disk.watermark.low'];
    };
    expect(await low()).toBe('99.7%');
    expect((await node.get('/_cluster/settings')).json()).toEqual({ persistent: {}, transient: {} });
    await setting('watermark.low', '99.6%');
    expect(await low()).toBeUndefined();
    await setting('watermark.low', null);
    const info = (await node.get('/_nodes/_local/settings?flat_settings')).json();
    const { settings } = Object.values(info.nodes)[0] as Json;
    expect(settings['cluster.routing.allocation.disk.watermark.high']).toBe('99.8%');
  });

  it.each([
    [
      'cluster.routing.allocation.disk.watermark.low=99%',
      'low disk watermark [99%] more than high disk watermark [90%]',
    ],
    [
      'cluster.routing.allocation.disk.watermark.lowest=9%',
      'unknown setting [cluster.routing.allocation.disk.watermark.lowest]',
    ],
    ['cluster.info.update.interval=1s', 'must be >= [10s]'],
  ])('%s is refused', async (pair, message) => {
    const { code, output } = await runCommand(['start', '-E', 'path.data=/nowhere', '-E', pair]);
    expect(code).toBe(1);
    expect(output).toContain(message);
  });
});

describe('a disk above the flood stage', () => {
  it('blocks writes and new primaries, and takes them again, as the watermarks say', async () => {
    const marks = { low: '100000tb', high: '99999tb', flood_stage: '99998tb' };
    const answer = await node.put('/_cluster/settings', {
      persistent: { 'cluster.routing.allocation.disk.watermark': marks },
    });
    expect(answer.status, answer.text).toBe(200);
    const refused = await node.until(async () => {
      const written = await node.put('/films/_doc/1', { title: 'Nosferatu' });
      return written.status === 429 ? written.json() : undefined;
    });
    expect(refused.error.type).toBe('cluster_block_exception');
    const bulk = (await node.bulk('/films/_bulk', [{ index: {} }, { title: 'Faust' }])).json();
    expect([bulk.errors, bulk.items[0].index.status]).toEqual([true, 429]);
    await node.put('/other?timeout=100ms', { settings: { number_of_replicas: 0, number_of_shards: 1 } });
    const explained = (
      await node.post('/_cluster/allocation/explain', { index: 'other', shard: 0, primary: true })
    ).json();
    expect(explained).toMatchObject({
      can_allocate: 'no',
      allocate_explanation: 'cannot allocate because allocation is not permitted to any of the nodes',
    });
    expect(explained.node_allocation_decisions[0].deciders[0]).toMatchObject({
      decider: 'disk_threshold',
      explanation: expect.stringContaining('cluster.routing.allocation.disk.watermark.high=99999tb'),
    });
    await node.put('/_cluster/settings', { persistent: { 'cluster.routing.allocation.disk.watermark.*': null } });
    await node.until(async () => ((await node.put('/films/_doc/1', { title: 'M' })).status === 200 ? true : undefined));
    expect((await node.get('/_cluster/health/other?wait_for_status=green&timeout=30s')).json().status).toBe('green');
    await node.delete('/other');
  });
});

describe('_cat/allocation', () => {
  it('tells of shards and disk', async () => {
    const [row, unassigned] = (await node.get('/_cat/allocation?format=json&bytes=b')).json() as [Json, Json];
    expect(Object.keys(row)).toEqual([
      ...['shards', 'shards.undesired', 'write_load.forecast', 'disk.indices.forecast', 'disk.indices', 'disk.used'],
      ...['disk.avail', 'disk.total', 'disk.percent', 'host', 'ip', 'node', 'node.role'],
    ]);
    expect(row).toMatchObject({ shards: '2', 'shards.undesired': '0', 'write_load.forecast': '0.0', node: 'only' });
    expect(Number(row['disk.used']) + Number(row['disk.avail'])).toBe(Number(row['disk.total']));
    expect(Number(row['disk.indices'])).toBeGreaterThan(0);
    expect(unassigned).toMatchObject({ shards: '2', node: 'UNASSIGNED', 'disk.total': null, 'node.role': null });
    const chosen = await node.get('/_cat/allocation?h=n,s&s=s:desc&v');
    expect(chosen.text).toMatch(/^n +s\n(?:only|UNASSIGNED) +2\n/);
    expect((await node.get('/_cat/allocation/nobody')).text).toBe('');
  });
});

describe('_shard_stores', () => {
  it('tells of shards that lack copies, of others when asked', async () => {
    const { indices } = (await node.get('/_shard_stores')).json();
    expect(Object.keys(indices.films.shards)).toEqual(['0', '1']);
    const [store] = indices.films.shards['0'].stores;
    expect(store).toMatchObject({ allocation: 'primary', allocation_id: expect.any(String) });
    const nodeId = Object.keys(store)[0] ?? '';
    expect(store[nodeId]).toMatchObject({ name: 'only' });
    const state = (await node.get('/_cluster/state/routing_table/films')).json();
    expect(state.routing_table.indices.films.shards['0'][0].allocation_id.id).toBe(store.allocation_id);
    expect((await node.get('/films/_shard_stores?status=green')).json()).toEqual({ indices: {} });
    const wrong = await node.get('/_shard_stores?status=blue');
    expect([wrong.status, wrong.json().error.reason]).toEqual([400, 'unknown cluster health status [blue]']);
    expect((await node.get('/nothing/_shard_stores')).status).toBe(404);
  });
});

describe('_nodes/stats', () => {
  async function stats(path: string): Promise<Json> {
    const answer = await node.get(path);
    expect(answer.status, answer.text).toBe(200);
    return Object.values(answer.json().nodes)[0];
  }

  it('tells of indices, machine and disk', async () => {
    const all = await stats('/_nodes/stats');
    expect(all).toMatchObject({
      name: 'only',
      indices: { docs: { count: 1 } },
      http: { current_open: expect.any(Number) },
    });
    const { total, data } = all.fs;
    expect(total.available_in_bytes).toBeLessThanOrEqual(total.total_in_bytes);
    expect(data[0]).toMatchObject({ path: expect.stringContaining(node.directory), ...total });
    expect(all.thread_pool.write.completed).toBeGreaterThan(0);
    expect(all.breakers.inflight_requests.limit_size_in_bytes).toBeGreaterThan(0);
    expect(Object.keys(all.http)).toEqual(['current_open', 'total_opened', 'clients', 'routes']);
    expect(all.http.total_opened).toBeGreaterThan(0);
  });

  it('tells what is asked for, by node, metric and index metric', async () => {
    const some = await stats('/_nodes/_local/stats/fs,indices/docs,store?level=shards&human');
    expect(Object.keys(some.indices)).toEqual(['docs', 'store', 'shards']);
    expect(some.indices.shards.films).toHaveLength(2);
    expect(some.fs.total.total).toMatch(/[a-z]b$/);
    expect(some.os).toBeUndefined();
    expect((await stats('/_nodes/stats/indices?level=indices')).indices.indices.films.docs.count).toBe(1);
    const refusals = ['/_nodes/stats/transprot', '/_nodes/stats/fs/docs', '/_nodes/stats/indices/docz'];
    const reasons = await Promise.all(refusals.map(async (path) => (await node.get(path)).json().error.reason));
    expect(reasons).toEqual([
      'request [/_nodes/stats/transprot] contains unrecognized metric: [transprot] -> did you mean [transport]?',
      'request [/_nodes/stats/fs/docs] contains index metrics [docs] but indices stats not requested',
      'request [/_nodes/stats/indices/docz] contains unrecognized metric: [docz] -> did you mean [docs]?',
    ]);
  });
});
