/** A node without the role `ingest` has another one run its pipelines. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, TestNode } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

let cluster: TestCluster;
let plain: TestNode;

beforeAll(async () => {
  cluster = await TestCluster.start({
    nodes: ['plain'],
    settingsOf: { plain: { 'node.roles': 'master,data' } },
  });
  await cluster.add('runs', { 'node.roles': 'ingest' });
  plain = cluster.node('plain');
  await cluster.until('both nodes', async () => {
    const { number_of_nodes: count } = (await plain.get('/_cluster/health')).json() as Json;
    return count === 2 ? true : undefined;
  });
  const processors = [
    { set: { field: 'by', value: 'pipeline' } },
    { drop: { if: 'ctx.n == 2' } },
    { fail: { if: 'ctx.n == 3', message: 'not three' } },
    { set: { if: 'ctx.n == 4', field: '_index', value: 'other' } },
    { grok: { field: 'line', patterns: ['%{IP:ip} %{NUMBER:bytes:int}'], ignore_missing: true } },
  ];
  expect((await plain.put('/_ingest/pipeline/p', { processors })).status).toBe(200);
});

afterAll(async () => {
  await cluster.stop();
});

async function source(path: string): Promise<Json> {
  return (await plain.get(path)).json()._source;
}

it('for single documents and bulks, with the outcome of each', async () => {
  const index = await plain.put('/x/_doc/1?pipeline=p&refresh=true', { line: '10.0.0.1 7' });
  expect([index.status, await source('/x/_doc/1')]).toEqual([
    201,
    { line: '10.0.0.1 7', by: 'pipeline', ip: '10.0.0.1', bytes: 7 },
  ]);
  const lines = [1, 2, 3, 4].flatMap((n) => [{ index: { _index: 'x', _id: `b${n}` } }, { n }]);
  const body = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  const { items, errors } = (await plain.request('POST', '/_bulk?pipeline=p', body)).json();
  const outcomes = items.map(({ index: item }: Json) => [item._index, item.status, item.result ?? item.error.reason]);
  expect([errors, outcomes]).toEqual([
    true,
    [
      ['x', 201, 'created'],
      ['x', 200, 'noop'],
      ['x', 500, expect.stringContaining('not three')],
      ['other', 201, 'created'],
    ],
  ]);
  expect([await source('/x/_doc/b1'), await source('/other/_doc/b4')]).toEqual([
    { n: 1, by: 'pipeline' },
    { n: 4, by: 'pipeline' },
  ]);
});

it('for pipelines that indices name, and counts them where they ran', async () => {
  await plain.put('/named', { settings: { 'index.default_pipeline': 'p', number_of_replicas: 0 } });
  await plain.put('/named/_doc/1', { n: 9 });
  expect(await source('/named/_doc/1')).toEqual({ n: 9, by: 'pipeline' });
  const { nodes } = (await plain.get('/_nodes/stats/ingest,transport')).json();
  const byName = Object.fromEntries(Object.values(nodes as Json).map((node: Json) => [node.name, node]));
  expect(byName.plain.ingest.total.count).toBe(0);
  expect(byName.runs.ingest.pipelines.p.count).toBe(6);
  for (const { transport } of [byName.plain, byName.runs]) {
    expect(transport.total_outbound_connections).toBeGreaterThan(0);
    expect(transport.rx_count).toBeGreaterThan(0);
    expect(transport.tx_size_in_bytes).toBeGreaterThan(transport.tx_count);
    expect(transport.inbound_calls).toEqual({
      active: expect.any(Number),
      completed: expect.toSatisfy((count: number) => count > 0),
      rejected: 0,
      refused: 0,
    });
    const { sent, completed, failed, ...faults } = transport.outbound_calls;
    expect(completed).toBeGreaterThan(0);
    expect(completed + failed).toBeLessThanOrEqual(sent);
    expect(faults).toEqual({ misanswered: 0, rejected: 0 });
  }
});

it('says so when there is none, and writes without a pipeline as before', async () => {
  await cluster.member('runs').terminate();
  await cluster.until('one node', async () => {
    const { number_of_nodes: count } = (await plain.get('/_cluster/health')).json() as Json;
    return count === 1 ? true : undefined;
  });
  const refused = await plain.put('/x/_doc/late?pipeline=p', { n: 1 });
  expect([refused.status, refused.json().error.reason]).toEqual([
    500,
    'There are no ingest nodes in this cluster, unable to forward request to an ingest node.',
  ]);
  expect((await plain.put('/x/_doc/late', { n: 1 })).status).toBe(201);
});
