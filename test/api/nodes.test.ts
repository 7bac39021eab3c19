/** What a node tells of itself over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'node.name': 'n1', 'node.attr.rack': 'r1' });
});

afterAll(async () => {
  await node.stop();
});

it('has the same figures where `info` stands before their names', async () => {
  const plain = (await node.get('/_nodes/n1/http')).json();
  expect((await node.get('/_nodes/n1/info/http')).json()).toEqual(plain);
  expect((await node.get('/_nodes/n1/info/nothing')).status).toBe(400);
});

describe('hot threads', () => {
  it('are plain text that names the threads of the node', async () => {
    const path = '/_nodes/hot_threads?interval=50ms&threads=50&ignore_idle_threads=false&snapshots=2';
    const answer = await node.get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(answer.text).toMatch(
      /^::: \{n1\}\{[\w-]{22}\}\{[\w-]{22}\}\{127\.0\.0\.1\}\{127\.0\.0\.1:\d+\}\{.*\}\{rack=r1\}\n/,
    );
    expect(answer.text).toMatch(
      /^ {3}Hot threads at \S+Z, interval=50ms, busiestThreads=50, ignoreIdleThreads=false:$/m,
    );
    expect(answer.text).toMatch(
      /^ {3} {0,2}\d+\.\d% \(\S+ out of \S+\) cpu usage by thread 'quarry\[n1\]\[main\]\[T#\d+\]'$/m,
    );
    for (const name of ['worker-0', 'worker-1', 'coordinator']) expect(answer.text).toContain(`quarry[n1][${name}][T#`);
    expect(answer.text).toMatch(/^ {5}[12]\/2 snapshots (?:sleeping|running|sampling)/m);
  });

  it.each(['/_nodes/n1/hot_threads', '/_cluster/nodes/hotthreads', '/_nodes/_local/hotthreads'])(
    'are at %s',
    async (path) => {
      expect((await node.get(`${path}?interval=1ms&snapshots=1`)).text).toContain('Hot threads at');
    },
  );

  it('of nobody are no text', async () => {
    expect((await node.get('/_nodes/nobody/hot_threads')).text).toBe('');
  });

  it.each([
    ['type=mem', 'type not supported [mem]'],
    ['threads=0', 'parameter [threads] must be from [1] to [1000], but was [0]'],
    ['snapshots=101', 'parameter [snapshots] must be from [1] to [100], but was [101]'],
    ['interval=10m', 'parameter [interval] must be from [1ms] to [30s], but was [10m]'],
  ])('with %s are refused', async (query, reason) => {
    const answer = await node.get(`/_nodes/hot_threads?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toBe(reason);
  });
});

describe('nodes', () => {
  it.each([
    ['_all,master:false', 0],
    ['master:true', 1],
    ['data_frozen:true', 1],
    ['_local', 1],
    ['_master', 1],
    ['rack:r*', 1],
    ['coordinating_only:true', 0],
  ])('are chosen by [%s]', async (filter, count) => {
    const { _nodes, nodes } = (await node.get(`/_nodes/${filter}/_none`)).json();
    expect(_nodes).toEqual({ total: count, successful: count, failed: 0 });
    expect(Object.keys(nodes)).toHaveLength(count);
  });

  it('tell of their machine in a table', async () => {
    const { text } = await node.get('/_cat/nodes?v');
    expect(text.split('\n')[0]?.trim().split(/\s+/)).toEqual(
      'ip heap.percent ram.percent cpu load_1m load_5m load_15m node.role master name'.split(' '),
    );
    const [line] = (await node.get('/_cat/nodes?format=json&bytes=b&h=heap.*,ram.max,fdc,dup,dt,pid,master,r')).json();
    expect(line).toMatchObject({ master: '*', r: 'dimr', pid: String(node.process.pid) });
    for (const name of ['heap.current', 'heap.max', 'ram.max', 'fdc', 'dt']) {
      expect(Number(line[name])).toBeGreaterThan(0);
    }
    expect(line.dup).toMatch(/^\d{1,3}\.\d{2}$/);
  });

  it('are led by one', async () => {
    const [master] = (await node.get('/_cat/master?format=json')).json();
    expect(master).toMatchObject({ host: '127.0.0.1', ip: '127.0.0.1', node: 'n1' });
    expect((await node.get('/_cat/cluster_manager?h=node')).text).toBe('n1\n');
  });

  it('tell their pools and attributes', async () => {
    const pools = (await node.get('/_cat/thread_pool/search?format=json&h=nn,pid,n')).json();
    expect(pools).toEqual([{ nn: 'n1', pid: String(node.process.pid), n: 'search' }]);
    const attributes = (await node.get('/_cat/nodeattrs?format=json&h=node,attr,value')).json();
    expect(attributes).toEqual([{ node: 'n1', attr: 'rack', value: 'r1' }]);
  });
});

describe('what tools ask beside', () => {
  it('_cluster/stats tells of nodes and indices together, all or what is named', async () => {
    await node.put('/counted', {
      settings: { number_of_shards: 2, number_of_replicas: 0, analysis: { analyzer: { own: { type: 'standard' } } } },
      mappings: { properties: { a: { type: 'keyword' }, b: { type: 'text', analyzer: 'simple' } } },
    });
    await node.put('/counted/_doc/1?refresh=true', { a: 'x' });
    const { indices, nodes, _nodes } = (await node.get('/_cluster/stats')).json();
    expect(_nodes).toEqual({ total: 1, successful: 1, failed: 0 });
    expect(indices).toMatchObject({
      count: 1,
      shards: { total: 2, primaries: 2, replication: 0, index: { shards: { min: 2, max: 2, avg: 2 } } },
      docs: { count: 1 },
      mappings: { field_types: [{ name: 'keyword', count: 1, index_count: 1 }, { name: 'text' }] },
      analysis: {
        analyzer_types: [{ name: 'standard', count: 1, index_count: 1 }],
        built_in_analyzers: [{ name: 'simple', count: 1, index_count: 1 }],
      },
    });
    expect(nodes.count).toMatchObject({ total: 1, data: 1, master: 1 });
    expect(nodes.os.mem.total_in_bytes).toBeGreaterThan(0);
    const some = (await node.get('/_cluster/stats/indices,os/docs/nodes/_all')).json();
    const total_size_in_bytes = indices.store.size_in_bytes;
    expect(some.indices).toEqual({ count: 1, docs: { count: 1, deleted: 0, total_size_in_bytes } });
    expect(Object.keys(some.nodes)).toEqual(['count', 'versions', 'os']);
    for (const path of [
      'nodes,nope/nodes/_all',
      'os/docs/nodes/_all',
      '_all,os/nodes/_all',
      'indices/nope/nodes/_all',
    ]) {
      expect((await node.get(`/_cluster/stats/${path}`)).status).toBe(400);
    }
    expect((await node.get('/_cluster/stats?include_remotes')).json().error.reason).toContain('[include_remotes]');
    await node.delete('/counted');
  });

  it('_nodes/usage counts the calls of each endpoint', async () => {
    const [usage] = Object.values((await node.get('/_nodes/usage')).json().nodes) as [{ rest_actions: object }];
    expect(usage.rest_actions).toMatchObject({ 'nodes.usage': 1 });
    expect((await node.get('/_nodes/usage/aggregations')).json().error.reason).toContain('are not counted');
    expect((await node.get('/_nodes/usage/nope')).status).toBe(400);
  });

  it('_nodes/stats/http tells of each route how much was asked and answered, and how long that took', async () => {
    const routesOf = async (path: string): Promise<Json> => {
      const { nodes, http } = (await node.get(path)).json();
      return (http ?? (Object.values(nodes as Json) as [Json])[0].http).routes as Json;
    };
    await node.put('/routed/_doc/1', { a: 'x'.repeat(100) });
    await node.get('/routed/_doc/1');
    const body = { query: { match_all: {} } };
    const sizes: number[] = [];
    for (let time = 0; time < 3; time++) {
      sizes.push(Buffer.byteLength((await node.post('/routed/_search', body)).text));
    }
    expect((await node.post('/routed/_search', { nope: 1 })).status).toBe(400);
    const routes = await routesOf('/_nodes/stats/http?human');
    const { requests, responses } = routes['/{index}/_search'];
    const asked = Buffer.byteLength(JSON.stringify(body));
    expect(requests).toEqual({
      count: 4,
      total_size: expect.any(String),
      total_size_in_bytes: 3 * asked + Buffer.byteLength(JSON.stringify({ nope: 1 })),
      size_histogram: [
        { ge: '8b', ge_bytes: 8, lt: '16b', lt_bytes: 16, count: 1 },
        { ge: '16b', ge_bytes: 16, lt: '32b', lt_bytes: 32, count: 3 },
      ],
    });
    expect(responses.count).toBe(4);
    expect(responses.total_size_in_bytes).toBeGreaterThan(0);
    const counts = (histogram: readonly { readonly count: number }[]): number =>
      histogram.reduce((sum, { count }) => sum + count, 0);
    expect([counts(responses.size_histogram), counts(responses.handling_time_histogram)]).toEqual([4, 4]);
    // Methods are not told apart, and what is answered at once is counted too.
    expect(routes['/{index}/_doc/{id}'].requests.count).toBeGreaterThanOrEqual(2);
    expect((await routesOf('/_info/http'))['/{index}/_search'].requests).toMatchObject({ count: 4 });
    const { http } = (Object.values((await node.get('/_nodes/stats/http')).json().nodes as Json) as [Json])[0];
    expect(http.clients).toEqual([]);
    const refused = await node.put('/_cluster/settings', { persistent: { 'http.client_stats.enabled': true } });
    expect([refused.status, refused.json().error.reason]).toEqual([
      400,
      expect.stringContaining('setting [http.client_stats.enabled] cannot be changed from its default'),
    ]);
  });

  it('_cluster/stats counts what searches consist of, repeated ones as well', async () => {
    const usage = async (): Promise<Json> => (await node.get('/_cluster/stats')).json().indices.search as Json;
    const before = await usage();
    await node.put('/used/_doc/1?refresh=true', { a: 1, t: 'fox' });
    const filter = [{ term: { a: 1 } }, { bool: { must_not: { match: { t: 'dog' } } } }];
    const body = {
      query: { bool: { filter } },
      post_filter: { exists: { field: 'a' } },
      aggs: { of: { filter: { prefix: { t: 'f' } } } },
      rescore: { query: { rescore_query: { match_all: {} } } },
      _source: true,
    };
    // The third time such a search is known already.
    for (let time = 0; time < 3; time++) expect((await node.post('/used/_search', body)).status).toBe(200);
    await node.request(
      'POST',
      '/used/_msearch',
      `{}\n{"retriever":{"standard":{"query":{"ids":{"values":["1"]}}}}}\n`,
      {
        'content-type': 'application/x-ndjson',
      },
    );
    // Without a body it is not counted, and neither is what is no search.
    await node.get('/used/_search?q=fox');
    await node.post('/used/_count', { query: { wildcard: { t: 'f*' } } });
    const now = await usage();
    const more = (kind: string, name: string): number =>
      ((now[kind] as Json)[name] ?? 0) - (((before[kind] as Json)[name] as number | undefined) ?? 0);
    expect(now.total - before.total).toBe(4);
    expect(['bool', 'term', 'match', 'exists', 'ids'].map((name) => more('queries', name))).toEqual([3, 3, 3, 3, 1]);
    expect(['prefix', 'match_all', 'wildcard', 'query_string'].map((name) => more('queries', name))).toEqual([
      0, 0, 0, 0,
    ]);
    expect(
      ['query', 'post_filter', 'aggs', 'rescore', 'retriever', '_source'].map((name) => more('sections', name)),
    ).toEqual([3, 3, 3, 3, 1, 0]);
    expect([more('rescorers', 'query'), more('retrievers', 'standard')]).toEqual([3, 1]);
    await node.delete('/used');
  });

  it('_info tells what all nodes together do', async () => {
    const all = (await node.get('/_info/_all')).json();
    expect(Object.keys(all)).toEqual(['cluster_name', 'http', 'ingest', 'thread_pool', 'script']);
    expect(all.http.total_opened).toBeGreaterThan(0);
    expect(all.thread_pool.search).toMatchObject({ threads: expect.any(Number), rejected: 0 });
    expect(Object.keys((await node.get('/_info/script,http')).json())).toEqual(['cluster_name', 'http', 'script']);
    const wrong = await node.get('/_info/scripts');
    expect(wrong.status).toBe(400);
    expect(wrong.json().error.reason).toBe(
      'request [/_info/scripts] contains unrecognized target: [scripts] -> did you mean [script]?',
    );
    expect((await node.get('/_info/_all,http')).status).toBe(400);
  });

  it('secure settings, repositories and remote clusters: there are none', async () => {
    expect((await node.get('/_remote/info')).json()).toEqual({});
    expect((await node.get('/_resolve/cluster')).json()).toEqual({});
    const local = { connected: true, skip_unavailable: false };
    expect((await node.get('/_resolve/cluster/none*')).json()['(local)']).toMatchObject({
      ...local,
      matching_indices: false,
      version: { number: '8.19.0' },
    });
    expect((await node.get('/_resolve/cluster/none')).json()['(local)']).toMatchObject({
      ...local,
      error: 'no such index [none]',
    });
    expect((await node.get('/_resolve/cluster/far:x')).json()).toMatchObject({
      error: { reason: 'no such remote cluster: [far]' },
      status: 404,
    });
    const path = '/_nodes/_all/reload_secure_settings';
    const [plain] = Object.values((await node.post(path)).json().nodes);
    expect(plain).toEqual({ name: 'n1' });
    const [refused] = Object.values((await node.post(path, { secure_settings_password: 'x' })).json().nodes);
    expect(refused).toMatchObject({ name: 'n1', reload_exception: { type: 'security_exception' } });
    expect((await node.post(path, { password: 'x' })).status).toBe(400);
    expect(Object.values((await node.get('/_nodes/_all/_repositories_metering')).json().nodes)).toEqual([[]]);
    expect((await node.delete('/_nodes/_all/_repositories_metering/1')).status).toBe(200);
  });

  it('_nodes/stats tells how copies are chosen, what requests hold and held, and how states came', async () => {
    const path = '/_nodes/stats/adaptive_selection,indexing_pressure,discovery';
    const sums = async (): Promise<[number, number, number]> => {
      const [{ discovery, indexing_pressure: pressure }] = Object.values((await node.get(path)).json().nodes) as [Json];
      const { total } = pressure.memory;
      expect(total.all_in_bytes).toBe(total.combined_coordinating_and_primary_in_bytes + total.replica_in_bytes);
      return [total.coordinating_in_bytes, total.primary_in_bytes, discovery.published_cluster_states.compatible_diffs];
    };
    const [coordinating, primary, changes] = await sums();
    await node.put('/counted');
    await node.post('/counted/_doc', { text: 'x'.repeat(100_000) });
    const later = await sums();
    expect(later[0]).toBeGreaterThanOrEqual(coordinating + 100_000);
    expect(later[1]).toBeGreaterThanOrEqual(primary);
    expect(later[2]).toBeGreaterThan(changes);
    const [stats] = Object.values((await node.get(path)).json().nodes) as [Record<string, unknown>];
    expect(stats).toMatchObject({
      discovery: { cluster_state_queue: { pending: 0 }, published_cluster_states: { incompatible_diffs: 0 } },
      indexing_pressure: {
        memory: { current: { replica_in_bytes: 0 }, total: { coordinating_rejections: 0 } },
        buffers: { relieved: 0 },
      },
    });
    expect(stats['adaptive_selection']).toBeDefined();
  });

  it('_nodes/stats tells how long the parts of changes of the cluster state took', async () => {
    const discovery = async (query = ''): Promise<Json> => {
      const answer = await node.get(`/_nodes/stats/discovery${query}`);
      return (Object.values(answer.json().nodes) as [Json])[0].discovery;
    };
    const before = (await discovery()).cluster_state_update;
    await node.put('/timed');
    const { cluster_state_update: after, cluster_applier_stats: appliers } = await discovery();
    expect(after.success.count).toBeGreaterThan(before.success.count);
    const parts = ['context_construction', 'commit', 'completion', 'master_apply'];
    const times = ['computation', 'publication', ...parts, 'notification'].map((part) => `${part}_time_millis`);
    expect(Object.keys(after.success)).toEqual(['count', ...times]);
    expect(Object.keys(after.failure)).toEqual(['count', ...times]);
    expect(Object.keys(after.unchanged)).toEqual(['count', 'computation_time_millis', 'notification_time_millis']);
    for (const time of times) expect(after.success[time]).toBeGreaterThanOrEqual(before.success[time]);
    const names = (appliers.recordings as Json[]).map(({ name }) => name as string).sort();
    expect(names).toEqual(['coordinator', 'front', 'front-1', 'worker-0', 'worker-1']);
    for (const { cumulative_execution_count: count } of appliers.recordings) expect(count).toBeGreaterThan(0);
    const human = await discovery('?human=true');
    expect(human.cluster_state_update.success.commit_time).toMatch(/^[\d.]+(ms|s|m)$/);
    expect(human.cluster_applier_stats.recordings[0].cumulative_execution_time).toMatch(/^[\d.]+(ms|s|m)$/);
  });
});
