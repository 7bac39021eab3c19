/** What monitoring systems scrape of a real node. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'node.name': 'only', 'cluster.name': 'measured' });
  await node.put('/films', { settings: { number_of_shards: 2, number_of_replicas: 0 } });
  await node.bulk('/films/_bulk?refresh', [{ index: {} }, { size: 1 }, { index: {} }, { size: 2 }]);
  await node.post('/films/_search', {});
}, 60_000);

afterAll(async () => {
  await node.stop();
});

/** By name with labels, without those that all have. */
async function scrape(headers?: Record<string, string>): Promise<ReadonlyMap<string, number>> {
  const answer = await node.get('/_prometheus/metrics', headers);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const {
        name = '',
        labels = '',
        value,
      } = /^(?<name>\w+)\{(?<labels>.*)\} (?<value>\S+)$/.exec(line)?.groups ?? {};
      expect(labels).toContain('cluster="measured"');
      expect(labels).toContain('node="only"');
      const own = labels.split(',').filter((label) => !/^(cluster|node)=/.test(label));
      return [own.length === 0 ? name : `${name}{${own.join(',')}}`, Number(value)] as const;
    }),
  );
}

it('tells of process, machine, pools, breakers, shards and cluster', async () => {
  const metrics = await scrape();
  expect(Object.fromEntries(metrics)).toMatchObject({
    quarry_node_shards: 2,
    'quarry_node_documents{state="active"}': 2,
    'quarry_node_operations_completed_total{operation="index"}': 2,
    'quarry_node_operations_completed_total{operation="query"}': 2,
    quarry_cluster_nodes: 1,
    quarry_cluster_has_master: 1,
    'quarry_cluster_health{status="green"}': 1,
    'quarry_cluster_health{status="red"}': 0,
    'quarry_cluster_shards{state="active"}': 2,
    'quarry_breaker_tripped_total{circuit_breaker_name="parent"}': 0,
    'quarry_node_http_requests_total{operation="bulk"}': 1,
  });
  for (const name of [
    'process_cpu_time_seconds_total',
    'process_memory_usage_bytes{type="private"}',
    'system_memory_usage_bytes{system_memory_state="used"}',
    'quarry_memory_budget_bytes',
    'quarry_node_shards_size_bytes',
    'quarry_breaker_memory_limit_bytes{circuit_breaker_name="inflight_requests"}',
    'quarry_node_thread_pool_threads{thread_pool_name="search"}',
    'quarry_node_thread_pool_tasks_finished_total{thread_pool_name="write",state="completed"}',
  ]) {
    expect([name, metrics.get(name)]).toEqual([name, expect.toSatisfy((value: number) => value > 0)]);
  }
});

it('counts on from scrape to scrape, for scrapers as they ask', async () => {
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
  const name = 'quarry_node_http_requests_total{operation="prometheus.metrics"}';
  const before = (await scrape({ accept })).get(name) ?? 0;
  expect((await scrape({ accept })).get(name)).toBe(before + 1);
});

it('names measures as the format wants them, each once with its kind', async () => {
  const { text } = await node.get('/_prometheus/metrics');
  const kinds = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]);
  expect(kinds.length).toBeGreaterThan(30);
  expect(new Set(kinds.map(([name]) => name)).size).toBe(kinds.length);
  for (const [name = '', kind] of kinds) expect([name, name.endsWith('_total')]).toEqual([name, kind === 'counter']);
});

it('counts what the caches of its threads find, and what made room for others', async () => {
  const lookups = (outcome: string): string =>
    `quarry_node_thread_cache_lookups_total{cache_name="query_strings",outcome="${outcome}"}`;
  const evictions = 'quarry_node_thread_cache_evictions_total{cache_name="query_strings"}';
  const before = await scrape();
  // More than the caches of all threads together hold.
  for (let at = 0; at < 1_500; at += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, more) => node.get(`/films/_search?from=${at + more}`)));
  }
  const after = await scrape();
  const more = (name: string): number => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
  expect(more(lookups('miss'))).toBeGreaterThanOrEqual(1_500);
  expect(more(evictions)).toBeGreaterThanOrEqual(256);
  for (let at = 0; at < 50; at++) await node.get('/films/_search?from=1');
  expect((await scrape()).get(lookups('hit'))).toBeGreaterThan(after.get(lookups('hit')) ?? NaN);
});
