/** How much documents may hold in the node of a primary and in that of a replica: at the limit, beyond it, and afterwards. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';
import { indexHelpers } from './index-helpers.js';

/** Of the second node. The first takes what comes. */
const LIMIT = 4 * 1024;
/** What a document counts beside itself. */
const OPERATION_BYTES = 64;
const SHARDS = 8;
const ROUNDS_MAX = 200;

let cluster: TestCluster;
const { ok } = indexHelpers(() => cluster);

beforeAll(async () => {
  const limits = {
    'indexing_pressure.memory.primary.limit': `${LIMIT}b`,
    'indexing_pressure.memory.replica.limit': `${LIMIT}b`,
  };
  cluster = await TestCluster.start({ nodes: 2, settingsOf: { n2: limits } });
}, 120_000);

afterAll(async () => {
  await cluster.stop();
});

async function memory(name: string): Promise<Json> {
  const { nodes } = await ok(cluster.node(name).get('/_nodes/_local/stats/indexing_pressure'));
  return (must(Object.values(nodes)[0], 'a node') as Json).indexing_pressure.memory;
}

/** Nothing is held once all is answered: copies may have it a little longer. */
async function untilGivenBack(): Promise<void> {
  for (const name of ['n1', 'n2']) {
    await cluster.until(`what [${name}] holds is given back`, async () => {
      const { current } = await memory(name);
      return Object.values(current).every((bytes) => bytes === 0) ? true : undefined;
    });
  }
}

beforeEach(untilGivenBack);

/** An index whose primaries are on that node. */
async function create(index: string, node: string, shards: number, replicas: number): Promise<void> {
  const alone = { number_of_shards: shards, number_of_replicas: 0, 'index.routing.allocation.require._name': node };
  const mappings = { properties: { text: { type: 'text', index: false } } };
  await ok(cluster.node().put(`/${index}`, { settings: alone, mappings }));
  await ok(cluster.node().get(`/_cluster/health/${index}?wait_for_status=green&timeout=60s`));
  if (replicas === 0) return;
  const both = { number_of_replicas: replicas, 'index.routing.allocation.require._name': null };
  await ok(cluster.node().put(`/${index}/_settings`, both));
  await ok(cluster.node().get(`/_cluster/health/${index}?wait_for_status=green&timeout=60s`));
}

/** A document that counts so many bytes in a primary. */
function documentOf(bytes: number): Json {
  const empty = JSON.stringify({ text: '' });
  return { text: 'x'.repeat(bytes - OPERATION_BYTES - empty.length) };
}

it('a primary takes what another node coordinates at the limit, and refuses one byte beyond', async () => {
  await create('primaries', 'n2', 1, 0);
  const { total: before } = await memory('n2');
  const coordinatedBefore = (await memory('n1')).total.coordinating_in_bytes;
  const taken = await cluster.node('n1').post('/primaries/_doc', documentOf(LIMIT));
  expect([taken.status, taken.text]).toEqual([201, expect.any(String)]);
  const reason =
    'rejected execution of primary operation [coordinating_and_primary_bytes=0, replica_bytes=0, all_bytes=0, ' +
    `primary_operation_bytes=${LIMIT + 1}, max_primary_bytes=${LIMIT}]`;
  const refused = await cluster.node('n1').post('/primaries/_doc', documentOf(LIMIT + 1));
  expect(refused.status).toBe(429);
  expect(refused.json().error).toMatchObject({ type: 'es_rejected_execution_exception', reason });
  const lines = [{ index: {} }, documentOf(LIMIT + 1)];
  const { errors, items } = await ok(cluster.node('n1').bulk('/primaries/_bulk', lines));
  expect(errors).toBe(true);
  expect(items[0].index).toMatchObject({ status: 429, error: { type: 'es_rejected_execution_exception', reason } });
  // What the node coordinates itself counts as that, for which its limit is another.
  expect((await cluster.node('n2').post('/primaries/_doc', documentOf(LIMIT + 1))).status).toBe(201);
  await untilGivenBack();
  const { total } = await memory('n2');
  expect(total.primary_rejections).toBe(before.primary_rejections + 2);
  expect(total.primary_document_rejections).toBe(before.primary_document_rejections + 2);
  expect(total.primary_in_bytes).toBe(before.primary_in_bytes + 2 * LIMIT + 1);
  const bulkBytes = lines.reduce<number>((sum, line) => sum + JSON.stringify(line).length + 1, 0);
  const coordinated = (await memory('n1')).total.coordinating_in_bytes - coordinatedBefore;
  expect(coordinated).toBe(2 * LIMIT + 1 + bulkBytes);
});

it('a primary of another node takes a page that is larger than its limit in pieces', async () => {
  await create('page', 'n1', 1, 0);
  await create('pieces', 'n2', 1, 0);
  const lines = Array.from({ length: 6 }, () => [{ index: {} }, documentOf(LIMIT / 2)]).flat();
  expect((await ok(cluster.node('n1').bulk('/page/_bulk?refresh', lines))).errors).toBe(false);
  const request = { source: { index: 'page' }, dest: { index: 'pieces' } };
  const copied = await ok(cluster.node('n1').post('/_reindex?refresh', request));
  expect(copied).toMatchObject({ created: 6, failures: [], retries: { bulk: 2 } });
});

it('a replica takes operations up to its limit, and refuses more until there is room: nothing is lost', async () => {
  await create('replicas', 'n1', SHARDS, 1);
  const write = async (body: Json, id: string): Promise<void> => {
    const { _shards } = await ok(cluster.node('n1').put(`/replicas/_doc/${id}`, body));
    expect(_shards).toEqual({ total: 2, successful: 2, failed: 0 });
  };
  // One after the other they fit, as large as they may be.
  const probe = (await memory('n2')).total.replica_in_bytes;
  await write({ text: '' }, 'probe');
  await untilGivenBack();
  const frame = (await memory('n2')).total.replica_in_bytes - probe;
  const body = { text: 'x'.repeat(LIMIT - frame - 64) };
  for (let at = 0; at < 3; at++) await write(body, `alone-${at}`);
  await untilGivenBack();
  const { total: before } = await memory('n2');
  expect(before.replica_rejections).toBe(0);
  // Two at once do not.
  let written = 0;
  const rejections = async (): Promise<number> => (await memory('n2')).total.replica_rejections as number;
  for (let round = 0; (await rejections()) === 0 && round < ROUNDS_MAX; round++) {
    const ids = Array.from({ length: 4 * SHARDS }, (_, at) => `${round}-${at}`);
    await Promise.all(ids.map((id) => write(body, id)));
    written += ids.length;
  }
  expect(await rejections()).toBeGreaterThan(0);
  await untilGivenBack();
  // No copy was given up for it, and each has everything.
  const { status } = await ok(cluster.node().get('/_cluster/health/replicas'));
  expect(status).toBe('green');
  await ok(cluster.node().post('/replicas/_refresh'));
  const allocations = await ok(cluster.node().get('/_cat/shards/replicas?format=json&h=docs,prirep,state'));
  for (const prirep of ['p', 'r']) {
    const copies = (allocations as { docs: string; prirep: string }[]).filter((copy) => copy.prirep === prirep);
    const documents = copies.reduce((sum, { docs }) => sum + Number(docs), 0);
    expect([prirep, documents]).toEqual([prirep, written + 4]);
  }
});

it('a replica takes what is larger than its limit where no other is held', async () => {
  await create('large', 'n1', 1, 1);
  const before = (await memory('n2')).total.replica_rejections;
  const answer = await ok(cluster.node('n1').post('/large/_doc', { text: 'x'.repeat(2 * LIMIT) }));
  expect(answer._shards).toEqual({ total: 2, successful: 2, failed: 0 });
  expect((await memory('n2')).total.replica_rejections).toBe(before);
});
