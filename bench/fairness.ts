/**
 * What small requests take beside heavy ones: a document by id, a small search and a single write, alone and while clients ask for an
 * aggregation over all documents of the same shard again and again. Nobody may be refused, and the heavy clients must have been answered meanwhile.
 */
import { Client } from 'undici';
import { readCorpus, type Corpus } from './corpus.js';
import { fillLogs, startHeavySearches } from './heavy-searches.js';
import { quantile } from './quantile.js';
import { startOpenSearch, startQuarry, type Server } from './servers.js';

const INDEX = 'fair';
/** Requests of each kind before anything is measured. */
const WARM_UPS = 200;

interface Small {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  path(round: number): string;
  readonly body?: unknown;
}

const SMALL: readonly Small[] = [
  { name: 'document by id', method: 'GET', path: (round) => `/fair/_doc/${round % WARM_UPS}` },
  {
    name: 'small search',
    method: 'POST',
    path: () => '/fair/_search?request_cache=false',
    body: { size: 1, query: { term: { status: 404 } } },
  },
  {
    name: 'single write',
    method: 'PUT',
    path: (round) => `/fair/_doc/written-${round}`,
    body: {
      '@timestamp': '2024-01-01T00:00:00Z',
      clientip: '10.0.0.1',
      request: 'GET / HTTP/1.0',
      status: 200,
      size: 1,
    },
  },
];

async function call(client: Client, method: Small['method'], path: string, body?: unknown): Promise<string> {
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const options =
    body === undefined ? { method, path } : { method, path, body: text, headers: { 'content-type': type } };
  const answer = await client.request(options);
  const told = await answer.body.text();
  if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${answer.statusCode} ${told.slice(0, 500)}`);
  return told;
}

interface Bound {
  readonly rounds: number;
  /** No request begins later. */
  readonly seconds: number;
}

/** Milliseconds of each request. `from` is the number of the first. */
async function timed(client: Client, small: Small, from: number, bound: Bound): Promise<readonly number[]> {
  const endMs = performance.now() + bound.seconds * 1_000;
  const times: number[] = [];
  while (times.length < bound.rounds && performance.now() < endMs) {
    const startMs = performance.now();
    await call(client, small.method, small.path(from + times.length), small.body);
    times.push(performance.now() - startMs);
  }
  return times;
}

function described(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(2)} ms (p99 ${quantile(times, 0.99).toFixed(2)} of ${times.length})`;
}

async function measure(server: Server, corpus: Corpus, heavyClients: number, bound: Bound): Promise<void> {
  const client = new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 });
  try {
    await fillLogs(client, INDEX, corpus);
    for (const small of SMALL) {
      await timed(client, small, 0, { rounds: Math.min(WARM_UPS, bound.rounds), seconds: bound.seconds });
      const alone = await timed(client, small, WARM_UPS, bound);
      const heavy = startHeavySearches(server.url, INDEX, heavyClients);
      let beside: readonly number[];
      let heavyTimes: readonly number[];
      try {
        beside = await timed(client, small, WARM_UPS + bound.rounds, bound);
      } finally {
        heavyTimes = await heavy.stop();
      }
      if (heavyTimes.length === 0) throw new Error('no heavy search was answered');
      const told = `  ${server.name.padEnd(10)} ${small.name.padEnd(14)} alone ${described(alone)}; beside ${described(beside)}`;
      console.log(`${told}; heavy ${described(heavyTimes)}`);
    }
  } finally {
    await client.close();
  }
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, heavyClients = 1, rounds = 3, seconds = 2 } = size;
  const corpus = await readCorpus('logs', documents);
  console.log(`${corpus.source} logs, ${corpus.lines.length} documents, one shard, ${heavyClients} heavy clients`);
  for (const start of [startQuarry, () => startOpenSearch('4g')]) {
    const server = await start();
    if (server === undefined) continue;
    try {
      await measure(server, corpus, heavyClients, { rounds, seconds });
    } finally {
      await server.stop();
    }
  }
}
