// Nearest vectors: with a filter, and beside a text query. Real vectors come from a model; these have three dimensions.
import { Client } from '@elastic/elasticsearch';

const client = new Client({ node: process.env.QUARRY_URL ?? 'http://localhost:9200' });
const index = 'example-colours';

await client.indices.delete({ index, ignore_unavailable: true });
await client.indices.create({
  index,
  settings: { number_of_replicas: 0 },
  mappings: {
    properties: {
      name: { type: 'text' },
      warm: { type: 'boolean' },
      rgb: { type: 'dense_vector', dims: 3, similarity: 'l2_norm', index_options: { type: 'hnsw' } },
    },
  },
});

const colours = [
  { name: 'dark red', warm: true, rgb: [0.55, 0, 0] },
  { name: 'crimson', warm: true, rgb: [0.86, 0.08, 0.24] },
  { name: 'dark orange', warm: true, rgb: [1, 0.55, 0] },
  { name: 'navy', warm: false, rgb: [0, 0, 0.5] },
  { name: 'dark violet', warm: false, rgb: [0.58, 0, 0.83] },
];
await client.helpers.bulk({
  datasource: colours,
  onDocument: () => ({ index: { _index: index } }),
  refreshOnCompletion: true,
});

const wine = [0.5, 0, 0.2];
const knn = { field: 'rgb', query_vector: wine, k: 3, num_candidates: 10 };
const names = ({ hits }) => hits.hits.map(({ _source: { name } }) => name).join(', ');

console.log(`nearest: ${names(await client.search({ index, knn }))}`);
console.log(
  `nearest cold ones: ${names(await client.search({ index, knn: { ...knn, filter: { term: { warm: false } } } }))}`,
);
// The scores of both are added up; the boost says how much the words count.
const query = { match: { name: { query: 'violet', boost: 2 } } };
console.log(`with words: ${names(await client.search({ index, knn, query, size: 3 }))}`);
await client.close();
