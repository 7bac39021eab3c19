// Index and search with the official JavaScript client.
import { Client } from '@elastic/elasticsearch';

const client = new Client({ node: process.env.QUARRY_URL ?? 'http://localhost:9200' });
const index = 'example-books';

await client.indices.delete({ index, ignore_unavailable: true });
await client.indices.create({
  index,
  settings: { number_of_replicas: 0 },
  mappings: { properties: { title: { type: 'text' }, author: { type: 'keyword' }, year: { type: 'integer' } } },
});

const books = [
  { title: 'The Left Hand of Darkness', author: 'Ursula K. Le Guin', year: 1969 },
  { title: 'The Dispossessed', author: 'Ursula K. Le Guin', year: 1974 },
  { title: 'Heart of Darkness', author: 'Joseph Conrad', year: 1899 },
];
for (const [at, document] of books.entries()) await client.index({ index, id: String(at + 1), document });
await client.indices.refresh({ index });

const found = await client.search({
  index,
  query: { bool: { must: { match: { title: 'darkness' } }, filter: { range: { year: { gte: 1900 } } } } },
  aggs: { authors: { terms: { field: 'author' } } },
});
for (const { _id: id, _source: book } of found.hits.hits) console.log(`${id}: ${book.title} (${book.year})`);
for (const { key, doc_count: count } of found.aggregations.authors.buckets) console.log(`${key}: ${count}`);

await client.close();
