/** Searches that keep processors busy beside what is measured: an aggregation over all documents of an index of log lines, again and again. */
import { Client } from 'undici';
import { call, sendBulk } from './bulk-load.js';
import { logFields, type Corpus } from './corpus.js';

const HEAVY = JSON.stringify({
  size: 0,
  aggs: {
    statuses: { terms: { field: 'status' }, aggs: { sizes: { percentiles: { field: 'size' } } } },
    clients: { cardinality: { field: 'clientip' } },
    hours: {
      date_histogram: { field: '@timestamp', fixed_interval: '1h' },
      aggs: { sizes: { sum: { field: 'size' } } },
    },
  },
});

const DOCUMENTS_PER_REQUEST = 2_000;

/** Makes the index, of one shard, with the documents of a corpus of logs; their ids are numbers from 0 on. */
export async function fillLogs(client: Client, index: string, { lines }: Corpus): Promise<void> {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await call(client, 'PUT', `/${index}`, JSON.stringify({ settings, mappings: { properties: logFields } }));
  for (let from = 0; from < lines.length; from += DOCUMENTS_PER_REQUEST) {
    const part = lines.slice(from, from + DOCUMENTS_PER_REQUEST);
    const body = part.map((line, at) => `{"index":{"_id":"${from + at}"}}\n${line.toString()}\n`).join('');
    (await sendBulk(client, index, { body: Buffer.from(body), documents: part.length })).check();
  }
  await call(client, 'POST', `/${index}/_refresh`);
}

/** `count` clients with a connection each, until they are told to stop; gives the milliseconds of each search. */
export function startHeavySearches(url: string, index: string, count: number): { stop(): Promise<readonly number[]> } {
  let isOver = false;
  const run = async (): Promise<readonly number[]> => {
    const client = new Client(url, { headersTimeout: 0, bodyTimeout: 0 });
    const times: number[] = [];
    try {
      while (!isOver) {
        const startMs = performance.now();
        await call(client, 'POST', `/${index}/_search?request_cache=false`, HEAVY);
        times.push(performance.now() - startMs);
      }
    } finally {
      await client.close();
    }
    return times;
  };
  const running = Promise.all(Array.from({ length: count }, run));
  // Told by `stop`.
  running.catch(() => undefined);
  return {
    stop: async () => {
      isOver = true;
      return (await running).flat();
    },
  };
}
