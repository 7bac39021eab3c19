/** Nodes that are cut off from their master, or stand still, and what they may answer meanwhile. */
import { afterEach, expect, test } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Answer, Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

const INDEX = {
  settings: { number_of_shards: 1, number_of_replicas: 1, 'index.unassigned.node_left.delayed_timeout': '0' },
  mappings: { properties: { n: { type: 'long' } } },
};
const NO_MASTER = { status: 503, error: { type: 'master_not_discovered_exception' } };
const BLOCKED = { type: 'cluster_block_exception', reason: 'blocked by: [SERVICE_UNAVAILABLE/2/no master];' };

let cluster: TestCluster;

afterEach(async () => {
  await cluster.stop();
});

async function primaryOf(index: string, asked?: string): Promise<string> {
  const rows: Json[] = (await cluster.node(asked).get(`/_cat/shards/${index}?format=json`)).json();
  return must(
    rows.find(({ prirep, state }) => prirep === 'p' && state === 'STARTED'),
    'a primary',
  ).node;
}

function others(name: string): readonly string[] {
  return cluster.members.map((member) => member.name).filter((each) => each !== name);
}

async function whenWithoutMaster(name: string): Promise<void> {
  await cluster.until(`[${name}] without a master`, async () =>
    (await cluster.masterName(name)) === undefined || (await cluster.masterName(name)) === '-' ? true : undefined,
  );
}

async function timed(work: Promise<Answer>): Promise<{ answer: Answer; tookMs: number }> {
  const startedMs = performance.now();
  const answer = await work;
  return { answer, tookMs: performance.now() - startedMs };
}

/** Starts three nodes with one index whose primary is not on the master's node. */
async function start(settings: Record<string, unknown> = {}): Promise<{ primary: string; index: string }> {
  cluster = await TestCluster.start({ nodes: 3 });
  const master = must(await cluster.until('a master', () => cluster.masterName()), 'master');
  const index = 'test';
  const filter = { 'index.routing.allocation.exclude._name': master };
  await cluster.node().put(`/${index}`, { ...INDEX, settings: { ...INDEX.settings, ...filter, ...settings } });
  await cluster.waitForHealth();
  return { primary: await primaryOf(index), index };
}

test(
  'a primary that is cut off ends its writes in time, then refuses them, and reads as the setting says',
  { timeout: 180_000 },
  async () => {
    const { primary, index } = await start();
    const path = `/${index}/_doc/1`;
    expect((await cluster.node(primary).put(path, { n: 1 })).status).toBe(201);
    const [other = ''] = others(primary);
    cluster.isolate(primary);
    // Carried out before the node knows: no other copy can have it.
    const first = await timed(cluster.node(primary).put(`${path}?timeout=2s`, { n: 2 }));
    expect(first.answer.status).toBe(503);
    expect(first.tookMs).toBeLessThan(30_000);
    await whenWithoutMaster(primary);
    const second = await timed(cluster.node(primary).put(`${path}?timeout=1s`, { n: 3 }));
    expect(second.answer.json()).toMatchObject({ status: 503, error: BLOCKED });
    expect(second.tookMs).toBeLessThan(20_000);
    const lines = [{ index: { _id: '1' } }, { n: 4 }];
    const bulk = await cluster.node(primary).bulk(`/${index}/_bulk?timeout=100ms`, lines);
    expect(bulk.json()).toMatchObject({ errors: true, items: [{ index: { status: 503, error: BLOCKED } }] });
    expect((await cluster.node(primary).post(`/${index}/_refresh`)).status).toBe(503);
    const created = await cluster.node(primary).put('/other?master_timeout=100ms');
    expect(created.json()).toMatchObject(NO_MASTER);
    // Reads go on by default.
    expect((await cluster.node(primary).get(path)).status).toBe(200);
    expect((await cluster.node(primary).get(`/${index}/_search`)).status).toBe(200);
    // What the master knows is told by a master, or by this node when it is asked for what it knows itself.
    for (const path of [
      '/_cat/nodes',
      '/_cat/shards',
      '/_cluster/state',
      '/_cluster/settings',
      `/${index}/_settings`,
    ]) {
      const waited = await cluster.node(primary).get(`${path}?master_timeout=50ms`);
      expect(waited.json(), path).toMatchObject(NO_MASTER);
      expect((await cluster.node(primary).get(`${path}?local=true`)).status, path).toBe(200);
    }
    const { blocks } = (await cluster.node(primary).get('/_cluster/state/blocks?local=true')).json();
    const noMaster = { description: 'no master', retryable: true, levels: ['write', 'metadata_write'] };
    expect(blocks).toEqual({ global: { 2: noMaster } });
    expect((await cluster.node(primary).get('/_cluster/health?local=true')).json().status).toBe('red');
    // The others go on without it.
    await cluster.until('another primary', async () =>
      (await primaryOf(index, other)) === primary ? undefined : true,
    );
    expect((await cluster.node(other).put(`${path}?timeout=30s`, { n: 5 })).status).toBe(200);
    cluster.links.healAll();
    await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3', primary);
    for (const member of cluster.members) {
      const found = await member.node.get(`/${index}/_doc/1`);
      expect(found.json()._source).toEqual({ n: 5 });
    }
  },
);

test('a node that is cut off answers no read where the setting blocks all', { timeout: 180_000 }, async () => {
  const { primary, index } = await start();
  const [other = ''] = others(primary);
  const setting = { persistent: { 'cluster.no_master_block': 'all' } };
  expect((await cluster.node().put('/_cluster/settings', setting)).status).toBe(200);
  expect((await cluster.node(primary).put(`/${index}/_doc/1`, { n: 1 })).status).toBe(201);
  cluster.isolate(primary);
  await whenWithoutMaster(primary);
  const mapping = `/${index}/_mapping?local=true`;
  for (const path of [`/${index}/_doc/1`, `/${index}/_search`, `/${index}/_count`, mapping, '/_stats']) {
    expect((await cluster.node(primary).get(path)).json(), path).toMatchObject({ status: 503, error: BLOCKED });
  }
  // What tells of the node itself is told.
  expect((await cluster.node(primary).get('/')).status).toBe(200);
  expect((await cluster.node(primary).get('/_cluster/health?local')).status).toBe(200);
  const health = await cluster.node(primary).get('/_cluster/health?master_timeout=100ms');
  expect(health.json()).toMatchObject(NO_MASTER);
  // Where there is a master nothing is refused.
  expect((await cluster.node(other).put(`/${index}/_doc/1?timeout=30s`, { n: 2 })).status).toBe(200);
  expect((await cluster.node(other).get(`/${index}/_doc/1`)).json()._source).toEqual({ n: 2 });
  // Started anew it knows no cluster at all until one lets it in.
  await cluster.member(primary).kill();
  await cluster.member(primary).start();
  for (const path of ['/_search', `/${index}/_doc/1`, '/_mapping?local=true']) {
    const answer = (await cluster.node(primary).get(path)).json();
    expect(answer, path).toMatchObject({ status: 503, error: { type: 'cluster_block_exception' } });
    expect(answer.error.reason, path).toContain('[SERVICE_UNAVAILABLE/1/state not recovered / initialized]');
  }
  const written = await cluster.node(primary).put(`/${index}/_doc/1?timeout=100ms`, { n: 3 });
  expect(written.status).toBe(503);
  cluster.links.healAll();
  await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3', primary);
  expect((await cluster.node(primary).get(`/${index}/_doc/1`)).json()._source).toEqual({ n: 2 });
});

test(
  'a primary that stood still is fenced by the next term: what it had not acknowledged is gone',
  { timeout: 180_000 },
  async () => {
    const { primary, index } = await start();
    const [other = ''] = others(primary);
    const member = cluster.member(primary);
    expect((await cluster.node(primary).put(`/${index}/_doc/kept`, { n: 1 })).status).toBe(201);
    member.pause();
    // Received by the sockets of a process that does not run.
    const writes = Array.from({ length: 5 }, (_, n) =>
      fetch(`http://127.0.0.1:${member.ports.http}/${index}/_doc/late-${n}?timeout=2s`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ n }),
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await cluster.until('another primary', async () =>
      (await primaryOf(index, other).catch(() => primary)) === primary ? undefined : true,
    );
    expect((await cluster.node(other).put(`/${index}/_doc/kept?timeout=30s`, { n: 2 })).status).toBe(200);
    member.resume();
    const statuses = await Promise.all(writes);
    await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3', other);
    await cluster.node(other).post(`/${index}/_refresh`);
    const found = await cluster.node(other).get(`/${index}/_search?size=100&sort=_doc`);
    const ids = new Set(found.json().hits.hits.map(({ _id }: Json) => _id as string));
    // A write that was acknowledged went to the next primary.
    for (const [n, status] of statuses.entries()) {
      if (status === 201) expect(ids).toContain(`late-${n}`);
    }
    expect((await cluster.node(primary).get(`/${index}/_doc/kept`)).json()._source).toEqual({ n: 2 });
    for (const preference of ['_primary', '_replica']) {
      const copy = await cluster.node(other).get(`/${index}/_search?size=100&preference=${preference}`);
      expect(new Set(copy.json().hits.hits.map(({ _id }: Json) => _id as string))).toEqual(ids);
    }
  },
);

test(
  'an asynchronous translog is copied as well: a killed primary loses nothing that its replica has',
  { timeout: 180_000 },
  async () => {
    const translog = { 'index.translog.durability': 'async', 'index.translog.sync_interval': '1h' };
    const { primary, index } = await start(translog);
    const [other = ''] = others(primary);
    const lines = Array.from({ length: 500 }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat();
    const { errors, items } = (await cluster.node(other).bulk(`/${index}/_bulk`, lines)).json();
    expect(errors).toBe(false);
    expect(items[0].index._shards).toEqual({ total: 2, successful: 2, failed: 0 });
    await cluster.member(primary).kill();
    await cluster.until('another primary', async () =>
      (await primaryOf(index, other).catch(() => primary)) === primary ? undefined : true,
    );
    await cluster.until('a refresh', async () =>
      (await cluster.node(other).post(`/${index}/_refresh`)).status === 200 ? true : undefined,
    );
    expect((await cluster.node(other).get(`/${index}/_count`)).json()).toMatchObject({ count: 500 });
    await cluster.member(primary).start();
    await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3', other);
    const count = await cluster.node(other).get(`/${index}/_count?preference=_replica`);
    expect(count.json()).toMatchObject({ count: 500 });
  },
);

test('a replica that cannot be reached, while the master reaches both, is given up', { timeout: 180_000 }, async () => {
  cluster = await TestCluster.start({
    nodes: ['master', 'd1', 'd2'],
    settingsOf: {
      master: { 'node.roles': 'master' },
      d1: { 'node.roles': 'data' },
      d2: { 'node.roles': 'data' },
    },
    settings: { 'cluster.initial_master_nodes': 'master' },
  });
  await cluster.node('master').put('/test', INDEX);
  await cluster.waitForHealth('wait_for_status=green', 'master');
  expect((await cluster.node('master').put('/test/_doc/1', { n: 1 })).json()._shards.successful).toBe(2);
  const primary = await primaryOf('test', 'master');
  // Nothing is refused and nothing is answered: only the primary's own patience ends this.
  cluster.links.set('d1', 'd2', 'hang');
  const { answer, tookMs } = await timed(cluster.node(primary).put('/test/_doc/2?timeout=60s', { n: 2 }));
  expect(answer.json()).toMatchObject({ result: 'created', _shards: { total: 2, successful: 1, failed: 0 } });
  expect(tookMs).toBeLessThan(60_000);
  cluster.links.healAll();
  await cluster.waitForHealth('wait_for_status=green', 'master');
  await cluster.node('master').post('/test/_refresh');
  for (const preference of ['_primary', '_replica']) {
    const count = await cluster.node('master').get(`/test/_count?preference=${preference}`);
    expect(count.json().count).toBe(2);
  }
});
