// A cluster of three: an index with replicas, where its copies are, and the same answer from every node.
import { Client } from '@elastic/elasticsearch';

const urls = (process.env.QUARRY_URLS ?? 'http://localhost:9200,http://localhost:9201,http://localhost:9202').split(
  ',',
);
const clients = urls.map((node) => new Client({ node }));
const [first] = clients;
const index = 'example-shards';

await first.indices.delete({ index, ignore_unavailable: true });
await first.indices.create({ index, settings: { number_of_shards: 3, number_of_replicas: 1 } });
const health = await first.cluster.health({ index, wait_for_status: 'green', timeout: '30s' });
console.log(
  `${health.number_of_nodes} nodes, ${health.active_shards} copies of ${health.active_primary_shards} shards, ${health.status}`,
);

const copies = await first.cat.shards({ index, format: 'json', h: ['shard', 'prirep', 'node'] });
for (const shard of ['0', '1', '2']) {
  const nodes = copies.filter((copy) => copy.shard === shard).map(({ node }) => node);
  console.log(`shard ${shard}: ${nodes.length} copies on ${new Set(nodes).size} nodes`);
}

// Write through one node, read through all of them.
for (let number = 0; number < 30; number++) await first.index({ index, id: String(number), document: { number } });
await first.indices.refresh({ index });
for (const [at, client] of clients.entries()) {
  const { count } = await client.count({ index, query: { range: { number: { lt: 20 } } } });
  console.log(`node ${at + 1} counts ${count}`);
}
await Promise.all(clients.map((client) => client.close()));
