/**
 * `_bulk` over HTTP: one index of one shard, one client, one request at a time, durability per request.
 *
 * The same bodies go to each server, warmed by a first pass into an index that is thrown away; every answer is checked for item count
 * and errors, and the final count must equal the documents sent.
 */
import { Client } from 'undici';
import { bulkBodies, call, sendBulk, type BulkBody } from './bulk-load.js';
import { readCorpus, type Corpus, type CorpusName } from './corpus.js';
import { privateMegabytes, startOpenSearch, startQuarry, type Server } from './servers.js';

interface Measured {
  readonly documentsPerSecond: number;
  readonly megabytesPerSecond: number;
}

const mappings: Readonly<Record<string, object>> = {
  wiki: {
    properties: {
      title: { type: 'text' },
      body: { type: 'text' },
      category: { type: 'keyword' },
      source: { type: 'keyword' },
      id: { type: 'keyword' },
      page_id: { type: 'long' },
      part: { type: 'integer' },
      chars: { type: 'integer' },
    },
  },
  logs: {
    properties: {
      '@timestamp': { type: 'date' },
      clientip: { type: 'keyword' },
      request: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 256 } } },
      status: { type: 'integer' },
      size: { type: 'long' },
    },
  },
};

/** Loads all bodies into a new index and returns the seconds spent in bulk requests. */
async function load(client: Client, corpus: Corpus, bodies: readonly BulkBody[]): Promise<number> {
  const settings = { 'index.number_of_shards': 1, 'index.number_of_replicas': 0 };
  await call(client, 'PUT', '/bench', JSON.stringify({ settings, mappings: mappings[corpus.name] ?? {} }));
  let seconds = 0;
  for (const body of bodies) {
    const started = performance.now();
    const answer = await sendBulk(client, 'bench', body);
    seconds += (performance.now() - started) / 1_000;
    answer.check();
  }
  await call(client, 'POST', '/bench/_refresh');
  const { count } = JSON.parse((await call(client, 'GET', '/bench/_count')).toString()) as { count: number };
  if (count !== corpus.lines.length) throw new Error(`${count} documents counted, ${corpus.lines.length} sent`);
  await call(client, 'DELETE', '/bench');
  return seconds;
}

async function measure(server: Server, corpus: Corpus, passes: number): Promise<Measured> {
  const client = new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 });
  const bodies = bulkBodies(corpus);
  let best = Infinity;
  for (let pass = 0; pass <= passes; pass++) {
    const seconds = await load(client, corpus, bodies);
    if (pass > 0) best = Math.min(best, seconds);
  }
  await client.close();
  return { documentsPerSecond: corpus.lines.length / best, megabytesPerSecond: corpus.bytes / best / 1e6 };
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const quarry = await startQuarry();
  console.log(
    `quarry ready after ${quarry.readyMs.toFixed(0)} ms, idle private memory ${privateMegabytes(quarry.pid).toFixed(0)} MB`,
  );
  const peer = await startOpenSearch('4g');
  try {
    for (const name of ['wiki', 'logs'] satisfies CorpusName[]) {
      const corpus = await readCorpus(name, size['documents'] ?? 1_000);
      const ours = await measure(quarry, corpus, size['passes'] ?? 1);
      const line = `${name} (${corpus.source}, ${corpus.lines.length} documents): quarry ${ours.documentsPerSecond.toFixed(0)} documents/s, ${ours.megabytesPerSecond.toFixed(1)} MB/s`;
      if (peer === undefined) {
        console.log(line);
        continue;
      }
      const theirs = await measure(peer, corpus, size['passes'] ?? 1);
      const ratio = ours.documentsPerSecond / theirs.documentsPerSecond;
      console.log(`${line}; opensearch ${theirs.documentsPerSecond.toFixed(0)} documents/s: ${ratio.toFixed(1)}x`);
    }
  } finally {
    await quarry.stop();
    await peer?.stop();
  }
}
