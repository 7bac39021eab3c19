/**
 * `_bulk` over HTTP: one index of one shard, one client, one request at a time, durability per request.
 *
 * The same bodies go to each server, warmed by a first pass into an index that is thrown away; every answer is checked for item count
 * and errors, and the final count must equal the documents sent.
 */
import { Client } from 'undici';
import { readCorpus, type Corpus, type CorpusName } from './corpus.js';
import { privateMegabytes, startOpenSearch, startQuarry, type Server } from './servers.js';

interface Measured {
  readonly documentsPerSecond: number;
  readonly megabytesPerSecond: number;
}

const documentsPerRequest: Readonly<Record<string, number>> = { wiki: 1_000, logs: 5_000 };
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

function bulkBodies(corpus: Corpus): { body: Buffer; documents: number }[] {
  const step = documentsPerRequest[corpus.name] ?? 1_000;
  const action = Buffer.from('{"index":{}}\n');
  const newline = Buffer.from('\n');
  const bodies: { body: Buffer; documents: number }[] = [];
  for (let from = 0; from < corpus.lines.length; from += step) {
    const lines = corpus.lines.slice(from, from + step);
    bodies.push({ body: Buffer.concat(lines.flatMap((line) => [action, line, newline])), documents: lines.length });
  }
  return bodies;
}

async function call(
  client: Client,
  method: 'PUT' | 'POST' | 'GET' | 'DELETE',
  path: string,
  body?: Buffer | string,
): Promise<Buffer> {
  const contentType = path.includes('_bulk') ? 'application/x-ndjson' : 'application/json';
  const answer = await client.request({ method, path, headers: { 'content-type': contentType }, body: body ?? null });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode >= 300)
    throw new Error(`${method} ${path}: ${answer.statusCode} ${bytes.toString('utf8', 0, 500)}`);
  return bytes;
}

/** Loads all bodies into a new index and returns the seconds spent in bulk requests. */
async function load(
  client: Client,
  corpus: Corpus,
  bodies: readonly { body: Buffer; documents: number }[],
): Promise<number> {
  const settings = { 'index.number_of_shards': 1, 'index.number_of_replicas': 0 };
  await call(client, 'PUT', '/bench', JSON.stringify({ settings, mappings: mappings[corpus.name] ?? {} }));
  let seconds = 0;
  for (const { body, documents } of bodies) {
    const started = performance.now();
    const answer = await call(client, 'POST', '/bench/_bulk', body);
    seconds += (performance.now() - started) / 1_000;
    const { errors, items } = JSON.parse(answer.toString()) as { errors: boolean; items: unknown[] };
    if (errors || items.length !== documents)
      throw new Error(
        `a bulk answer has errors, or ${items.length} items for ${documents}: ${answer.toString('utf8', 0, 500)}`,
      );
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
