/** A shard without replicas goes from node to node while clients search and read it: none of them is told of a failure. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';
import { DOCUMENTS, indexHelpers } from './index-helpers.js';

const MOVES = 8;
const CLIENTS_OF_NODE = 4;

let cluster: TestCluster;
const { create, write, settled, memberWith, ok } = indexHelpers(() => cluster);

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 2, settings: { 'node.processors': '2' } });
  await create('moving', { number_of_replicas: 0 });
  await write('moving');
});

afterAll(() => cluster.stop());

it('searches, counts and reads go on', async () => {
  let isOver = false;
  let answered = 0;
  const failures: string[] = [];
  const ask = async (name: string, at: number): Promise<void> => {
    const node = cluster.node(name);
    // Never the same twice, so that nothing is answered from a cache.
    for (let time = 0; !isOver; time++) {
      const filter = [{ range: { n: { gte: -1 - (time * CLIENTS_OF_NODE + at) } } }];
      const search = { query: { bool: { filter } }, track_total_hits: true };
      const found = await node.post('/moving/_search', search);
      const total = found.status === 200 && ((found.json() as Json).hits.total.value as number);
      if (total !== DOCUMENTS || (found.json() as Json)._shards.failed > 0) failures.push(found.text);
      const read = await node.get(`/moving/_doc/${time % DOCUMENTS}`);
      if (read.status !== 200) failures.push(read.text);
      const counted = await node.post('/moving/_count', { query: { bool: { filter } } });
      if (counted.status !== 200 || (counted.json() as Json).count !== DOCUMENTS) failures.push(counted.text);
      answered += 3;
    }
  };
  const clients = ['n1', 'n2'].flatMap((name) => Array.from({ length: CLIENTS_OF_NODE }, (_, at) => ask(name, at)));
  for (let move = 0; move < MOVES; move++) {
    const { name: from } = await memberWith('moving', 'p');
    const command = { move: { index: 'moving', shard: 0, from_node: from, to_node: from === 'n1' ? 'n2' : 'n1' } };
    await ok(cluster.node().post('/_cluster/reroute', { commands: [command] }));
    await settled('moving');
  }
  isOver = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(MOVES);
});
