// Load a CSV file in bulk. The file is streamed: its size does not matter. Documents that are refused are reported.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client } from '@elastic/elasticsearch';

const client = new Client({ node: process.env.QUARRY_URL ?? 'http://localhost:9200' });
const [file] = process.argv.slice(2);
const index = 'example-cities';
if (file === undefined) throw new Error('usage: node examples/bulk-load.mjs FILE.csv');

await client.indices.delete({ index, ignore_unavailable: true });
await client.indices.create({
  index,
  settings: { number_of_replicas: 0 },
  mappings: {
    properties: {
      name: { type: 'text' },
      country: { type: 'keyword' },
      population: { type: 'long' },
      location: { type: 'geo_point' },
    },
  },
});

const result = await client.helpers.bulk({
  datasource: documents(file),
  onDocument: () => ({ index: { _index: index } }),
  onDrop: ({ document, error }) => console.log(`refused ${document.name}: ${error.reason}`),
  refreshOnCompletion: true,
});
console.log(`${result.successful} of ${result.total} documents`);

const { count } = await client.count({ index, query: { range: { population: { gte: 10_000_000 } } } });
console.log(`${count} cities above ten million`);
await client.close();

/** One object per line, with the names of the first line. */
async function* documents(name) {
  let names;
  for await (const line of createInterface({ input: createReadStream(name), crlfDelay: Infinity })) {
    const values = [...line.matchAll(/"([^"]*)"|([^,]+)/gu)].map(([, quoted, plain]) => quoted ?? plain);
    if (names === undefined) names = values;
    else yield Object.fromEntries(names.map((key, at) => [key, values[at]]));
  }
}
