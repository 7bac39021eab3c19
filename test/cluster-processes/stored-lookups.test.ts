/** A stored query whose values were fetched from another document: each copy has those of the primary, also a promoted one. */
import { afterEach, expect, test } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

const SETTINGS = { number_of_shards: 1, number_of_replicas: 1, 'index.unassigned.node_left.delayed_timeout': '0' };
const ALERTS = {
  settings: SETTINGS,
  mappings: { properties: { query: { type: 'percolator' }, tag: { type: 'keyword' } } },
};
const QUERY = { terms: { tag: { index: 'lists', id: '1', path: 'tags' } } };

let cluster: TestCluster;

afterEach(async () => {
  await cluster.stop();
});

async function matching(tag: string, preference: string, asked?: string): Promise<readonly string[]> {
  const query = { percolate: { field: 'query', document: { tag } } };
  const answer = (await cluster.node(asked).post(`/alerts/_search?preference=${preference}`, { query })).json();
  expect(answer._shards.failed).toBe(0);
  return answer.hits.hits.map(({ _id }: Json) => _id as string).sort();
}

async function store(id: string, asked?: string): Promise<void> {
  const answer = await cluster.node(asked).put(`/alerts/_doc/${id}?timeout=60s`, { query: QUERY });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
}

test('copies have the values that were fetched once', { timeout: 240_000 }, async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  await cluster.node().put('/alerts', ALERTS);
  await cluster.node().put('/lists', { settings: SETTINGS });
  await cluster.waitForHealth();
  await cluster.node().put('/lists/_doc/1', { tags: ['red'] });
  await store('segment');
  await cluster.node().post('/alerts/_flush');
  await store('translog');
  await cluster.node().put('/lists/_doc/1', { tags: ['blue'] });
  await cluster.node().post('/alerts/_refresh');
  for (const preference of ['_primary', '_replica']) {
    expect(await matching('red', preference)).toEqual(['segment', 'translog']);
    expect(await matching('blue', preference)).toEqual([]);
  }

  const rows: readonly Json[] = (await cluster.node().get('/_cat/shards/alerts?format=json')).json();
  const lost: string = rows.find(({ prirep }) => prirep === 'p')?.node;
  await cluster.member(lost).kill();
  const asked = must(cluster.running[0], 'a running node').name;
  // The third node becomes the replica: it gets what the promoted one repeated from its translog.
  await store('promoted', asked);
  await cluster.waitForHealth('wait_for_status=green', asked);
  await cluster.node(asked).post('/alerts/_refresh');
  for (const preference of ['_primary', '_replica']) {
    expect(await matching('red', preference, asked)).toEqual(['segment', 'translog']);
    expect(await matching('blue', preference, asked)).toEqual(['promoted']);
  }
});
