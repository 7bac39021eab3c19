/** A sorted index whose replica is made, lost, made anew and promoted: every copy has its documents in order. */
import { afterEach, expect, test } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

const INDEX = {
  settings: {
    number_of_shards: 1,
    number_of_replicas: 1,
    'index.unassigned.node_left.delayed_timeout': '0',
    'index.sort.field': ['tag', 'n'],
    'index.sort.order': ['asc', 'desc'],
  },
  mappings: { properties: { n: { type: 'long' }, tag: { type: 'keyword' } } },
};

let cluster: TestCluster;

afterEach(async () => {
  await cluster.stop();
});

function tagOf(n: number): string {
  return `tag${(n * 31) % 7}`;
}

async function load(from: number, to: number, asked?: string): Promise<void> {
  const lines = Array.from({ length: to - from }, (_, at) => [
    { index: { _id: String(from + at) } },
    { n: from + at, tag: tagOf(from + at) },
  ]).flat();
  const answer = await cluster.node(asked).bulk('/sorted/_bulk?timeout=60s', lines);
  expect(answer.json().errors).toBe(false);
}

async function idsOn(preference: string, sort: Json, asked?: string): Promise<readonly number[]> {
  const path = `/sorted/_search?size=1000&preference=${preference}`;
  const answer = (await cluster.node(asked).post(path, { sort })).json();
  expect(answer._shards.failed).toBe(0);
  return answer.hits.hits.map(({ _id }: Json) => Number(_id));
}

/** Of documents 0 to `count`, merged to one segment, by tag and then from the last to the first. */
async function expectOrder(count: number, asked?: string): Promise<void> {
  await cluster.node(asked).post('/sorted/_forcemerge?max_num_segments=1');
  await cluster.node(asked).post('/sorted/_refresh');
  const expected = Array.from({ length: count }, (_, at) => at).sort(
    (a, b) => tagOf(a).localeCompare(tagOf(b)) || b - a,
  );
  for (const preference of ['_primary', '_replica']) {
    expect(await idsOn(preference, '_doc', asked)).toEqual(expected);
    expect(await idsOn(preference, [{ tag: 'asc' }, { n: 'desc' }], asked)).toEqual(expected);
  }
}

async function primaryNode(asked?: string): Promise<string | undefined> {
  const rows: readonly Json[] = (await cluster.node(asked).get('/_cat/shards/sorted?format=json')).json();
  return rows.find(({ prirep, state }) => prirep === 'p' && state === 'STARTED')?.node;
}

test('copies of a sorted index are in order through recovery and promotion', { timeout: 240_000 }, async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  await cluster.node().put('/sorted', INDEX);
  await cluster.waitForHealth();
  await load(0, 100);
  await cluster.node().post('/sorted/_refresh');
  await load(100, 200);
  await expectOrder(200);

  // What the new primary repeats from its translog is sorted by it; the third node gets a copy of that.
  await load(200, 300);
  const lost = must(await primaryNode(), 'a primary');
  await cluster.member(lost).kill();
  const asked = must(cluster.running[0], 'a running node').name;
  await cluster.until('another primary', async () => {
    const primary = await primaryNode(asked).catch(() => lost);
    return primary === undefined || primary === lost ? undefined : true;
  });
  await load(300, 350, asked);
  await cluster.waitForHealth('wait_for_status=green&wait_for_no_initializing_shards=true', asked);
  await expectOrder(350, asked);
});
