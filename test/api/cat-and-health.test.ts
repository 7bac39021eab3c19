import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'node.name': 'cat', 'index.number_of_replicas': '0', 'node.attr.rack': 'r1' });
  await node.put('/small');
  await node.put('/large');
  for (const id of ['1', '2', '3']) await node.put(`/large/_doc/${id}?refresh=true`, { id });
  await node.put('/copied', { settings: { number_of_replicas: 1 } });
});

afterAll(async () => {
  await node.stop();
});

async function lines(path: string): Promise<string[]> {
  const answer = await node.get(path);
  expect(answer.status).toBe(200);
  return answer.text.split('\n').filter((line) => line !== '');
}

describe('tables', () => {
  it('have columns by name, alias and pattern, a heading on demand, and an order', async () => {
    expect(await lines('/_cat/indices?h=index,dc&s=dc:desc,index')).toEqual(['large  3', 'copied 0', 'small  0']);
    expect(await lines('/_cat/indices?v&h=i,docs.c*&s=index')).toEqual([
      'i      docs.count',
      'copied          0',
      'large           3',
      'small           0',
    ]);
    expect((await node.get('/_cat/indices?s=nonsense')).json().error.reason).toBe(
      'Unable to sort by unknown sort key `nonsense`',
    );
  });

  it('have JSON and YAML forms, and list their columns', async () => {
    expect((await node.get('/_cat/indices/large?format=json&h=index,pri,rep')).json()).toEqual([
      { index: 'large', pri: '1', rep: '0' },
    ]);
    expect((await node.get('/_cat/indices/large?h=index', { accept: 'application/json' })).json()).toEqual([
      { index: 'large' },
    ]);
    expect((await node.get('/_cat/indices/large?format=yaml&h=index')).text).toContain('index: "large"');
    const help = await lines('/_cat/indices?help');
    expect(help[0]).toMatch(/^health +\| h +\| /);
  });

  it('write sizes and times in the unit that is asked for', async () => {
    const [bytes = ''] = await lines('/_cat/indices/large?h=store.size&bytes=b');
    expect(bytes).toMatch(/^\d+$/);
    expect(await lines('/_cat/indices/large?h=store.size&bytes=gb')).toEqual(['0']);
    expect((await lines('/_cat/indices/large?h=store.size'))[0]).toMatch(/^[\d.]+(b|kb)$/);
    expect((await lines('/_cat/indices/large?h=indexing.index_time&time=ms'))[0]).toMatch(/^\d+$/);
    expect((await node.get('/_cat/indices?bytes=miles')).status).toBe(400);
    expect((await node.get('/_cat/indices?time=eons')).status).toBe(400);
  });

  it('choose by health', async () => {
    expect(await lines('/_cat/indices?health=yellow&h=index,health')).toEqual(['copied yellow']);
    expect((await node.get('/_cat/indices/missing')).status).toBe(404);
  });

  it('count, and show shards, segments, pools and attributes', async () => {
    expect((await lines('/_cat/count/large?h=count'))[0]).toBe('3');
    expect(await lines('/_cat/shards/copied?h=index,shard,prirep,state,unassigned.reason')).toEqual([
      'copied 0 p STARTED    ',
      'copied 0 r UNASSIGNED INDEX_CREATED',
    ]);
    const segments = (await node.get('/_cat/segments/large?format=json')).json() as Record<string, string>[];
    expect(segments.reduce((sum, segment) => sum + Number(segment['docs.count']), 0)).toBe(3);
    expect((await node.get('/_cat/segments/missing')).status).toBe(404);
    expect(await lines('/_cat/thread_pool/write,search,generic?h=name,type&s=name')).toEqual([
      'generic scaling',
      'search  fixed',
      'write   fixed',
    ]);
    expect(await lines('/_cat/nodeattrs?h=node,attr,value')).toEqual(['cat rack r1']);
    expect(await lines('/_cat')).toContain('/_cat/indices/{index}');
  });

  it('say of the nodes what their shards do', async () => {
    const [line] = (await node.get('/_cat/nodes?format=json&h=segments.count,bulk.total_operations,type')).json();
    expect(line).toMatchObject({ 'bulk.total_operations': '3', type: 'quarry' });
    expect(Number(line['segments.count'])).toBeGreaterThan(0);
    expect(await lines('/_cat/shards/large?h=store,dataset&bytes=b')).toEqual([expect.stringMatching(/^(\d+) \1$/)]);
    expect(await lines('/_cat/indices/large?h=dc,flush.total&pri&v')).toEqual([
      'dc flush.total pri.flush.total',
      expect.stringMatching(/^ 3 +\d+ +\d+$/),
    ]);
    const { indexing, bulk, shard_stats: shards } = (await node.get('/large/_stats')).json()._all.total;
    expect(indexing.doc_status).toEqual({ '2xx': 3 });
    expect(bulk).toMatchObject({ total_operations: 3, total_size_in_bytes: 3 * '{"id":"1"}'.length });
    expect(shards.total_count).toBe(1);
  });

  it('list what there is none of: plug-ins, field data, repositories and snapshots', async () => {
    for (const name of ['plugins', 'fielddata', 'repositories', 'snapshots']) {
      expect(await lines(`/_cat/${name}`)).toEqual([]);
      expect((await lines(`/_cat/${name}?help`)).length).toBeGreaterThan(1);
    }
    expect((await node.get('/_cat/snapshots/backup')).json().error).toMatchObject({
      type: 'repository_missing_exception',
      reason: '[backup] missing',
    });
    expect(await lines('/_cat/circuit_breaker/inflight_req*?h=breaker,estimated')).toEqual([
      expect.stringMatching(/^inflight_requests /),
    ]);
  });

  it('leave out closed indices in segments when that is allowed', async () => {
    await node.put('/shut');
    await node.post('/shut/_close');
    expect((await node.get('/_cat/segments/shut')).json().error.type).toBe('index_closed_exception');
    expect(await lines('/_cat/segments/shut?allow_closed=true')).toEqual([]);
    await node.delete('/shut');
  });
});

describe('_cluster/health', () => {
  it('tells status and numbers, of all or of the named', async () => {
    expect((await node.get('/_cluster/health')).json()).toMatchObject({
      cluster_name: 'quarry',
      status: 'yellow',
      timed_out: false,
      number_of_nodes: 1,
      number_of_data_nodes: 1,
      active_primary_shards: 3,
      active_shards: 3,
      unassigned_shards: 1,
      active_shards_percent_as_number: 75,
    });
    const shards = (await node.get('/_cluster/health/large,copied?level=shards')).json();
    expect(shards.indices.large).toMatchObject({ status: 'green', shards: { 0: { status: 'green' } } });
    expect(shards.indices.copied.status).toBe('yellow');
    expect((await node.get('/_cluster/health?level=indices')).json().indices.small.shards).toBeUndefined();
  });

  it.each([
    ['wait_for_status=yellow', 200],
    ['wait_for_status=green&timeout=20ms', 408],
    ['wait_for_nodes=1', 200],
    ['wait_for_nodes=ge(1)', 200],
    ['wait_for_nodes=%3E1&timeout=20ms', 408],
    ['wait_for_active_shards=3', 200],
    ['wait_for_active_shards=all&timeout=20ms', 408],
    ['wait_for_no_initializing_shards=true&wait_for_no_relocating_shards=true&wait_for_events=languid', 200],
  ])('waits with %s', async (query, status) => {
    const answer = await node.get(`/_cluster/health?${query}`);
    expect([answer.status, answer.json().timed_out]).toEqual([status, status === 408]);
  });

  it('waits for an index that comes', async () => {
    const waiting = node.get('/_cluster/health/awaited?wait_for_status=green&timeout=30s');
    await node.put('/awaited');
    expect((await waiting).json()).toMatchObject({ status: 'green', timed_out: false });
    await node.delete('/awaited');
    expect((await node.get('/_cluster/health/awaited?timeout=20ms')).json()).toMatchObject({
      status: 'red',
      timed_out: true,
    });
  });

  it.each(['wait_for_status=purple', 'wait_for_nodes=x', 'timeout=5', 'level=nodes', 'wait_for_events=doomsday'])(
    'refuses %s',
    async (query) => {
      const answer = await node.get(`/_cluster/health?${query}`);
      expect([answer.status, answer.json().error.type]).toEqual([400, 'illegal_argument_exception']);
    },
  );
});

describe('_nodes', () => {
  it('tells who the nodes are, by filter and metric', async () => {
    const { nodes, _nodes: total } = (await node.get('/_nodes/thread_pool,aggregations?human')).json();
    expect(total).toEqual({ total: 1, successful: 1, failed: 0 });
    const [only] = Object.values(nodes as Record<string, Json>);
    expect(only).toMatchObject({
      name: 'cat',
      roles: ['data', 'ingest', 'master', 'remote_cluster_client'],
      attributes: { rack: 'r1' },
      thread_pool: { search: { type: 'fixed' }, generic: { type: 'scaling' } },
      aggregations: { filter: { types: ['other'] } },
    });
    // Elasticsearch has these two names the other way round.
    expect(only.total_indexing_buffer).toBeGreaterThan(0);
    expect(only.total_indexing_buffer_in_bytes).toMatch(/^[\d.]+[kmgt]?b$/);
    expect(only.settings).toBeUndefined();
    expect((await node.get('/_nodes/master:false/_none')).json()._nodes.total).toBe(0);
    expect((await node.get('/_nodes/_all/nonsense')).status).toBe(400);
  });

  it('does not take what it has not for the name of a node', async () => {
    expect((await node.get('/_nodes/reload_secure_settings')).json()).toEqual({
      error: 'no handler found for uri [/_nodes/reload_secure_settings] and method [GET]',
    });
  });
});
