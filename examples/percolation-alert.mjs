// Alerts by percolation: queries are stored, and each event finds the queries that match it.
import { Client } from '@elastic/elasticsearch';

const client = new Client({ node: process.env.QUARRY_URL ?? 'http://localhost:9200' });
const index = 'example-alerts';

await client.indices.delete({ index, ignore_unavailable: true });
await client.indices.create({
  index,
  settings: { number_of_replicas: 0 },
  mappings: {
    properties: {
      // The query of an alert, and whom it tells.
      query: { type: 'percolator' },
      tell: { type: 'keyword' },
      // Fields of the events that queries may name.
      message: { type: 'text' },
      service: { type: 'keyword' },
      latency_ms: { type: 'integer' },
    },
  },
});

const alerts = {
  'slow-checkout': {
    tell: 'payments',
    query: { bool: { filter: [{ term: { service: 'checkout' } }, { range: { latency_ms: { gt: 500 } } }] } },
  },
  'out-of-memory': { tell: 'operations', query: { match_phrase: { message: 'out of memory' } } },
};
for (const [id, document] of Object.entries(alerts)) await client.index({ index, id, document });
await client.indices.refresh({ index });

const events = [
  { service: 'checkout', latency_ms: 830, message: 'paid' },
  { service: 'search', latency_ms: 12, message: 'killed: out of memory' },
  { service: 'search', latency_ms: 9, message: 'answered' },
];
const { hits } = await client.search({ index, query: { percolate: { field: 'query', documents: events } } });
for (const { _id: id, _source: alert, fields } of hits.hits) {
  // Places of the events that an alert matches.
  const places = fields['_percolator_document_slot'];
  console.log(`${id} tells ${alert.tell} of ${places.map((at) => JSON.stringify(events[at].message)).join(', ')}`);
}
await client.close();
