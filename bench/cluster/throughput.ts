/** Bulk requests with no, one and two replicas, and searches that any copy answers. */
import { logFields, type Corpus } from '../corpus.js';
import type { Answer, BenchCluster } from './nodes.js';

const INDEX = 'throughput';
const SHARDS = 3;
const CLIENTS = 4;
const DOCUMENTS_PER_REQUEST = 1_000;

export interface ThroughputSize {
  readonly replicas: number;
  readonly searchSeconds: number;
}

export async function throughput(cluster: BenchCluster, corpus: Corpus, size: ThroughputSize): Promise<void> {
  const { replicas, searchSeconds } = size;
  const settings = { number_of_shards: SHARDS, number_of_replicas: replicas };
  await cluster.ask('PUT', `/${INDEX}`, { settings, mappings: { properties: logFields } });
  await cluster.settle();
  const seconds = await write(cluster, corpus);
  await verify(cluster, corpus.lines.length, replicas);
  console.log(
    `bulk, replicas ${replicas}: ${(corpus.lines.length / seconds).toFixed(0)} documents/s, ` +
      `${(corpus.bytes / 1e6 / seconds).toFixed(1)} MB/s of JSON (${CLIENTS} clients, ${corpus.source} documents)`,
  );
  if (searchSeconds > 0) await search(cluster, replicas, searchSeconds);
  await cluster.ask('DELETE', `/${INDEX}`);
}

/** Seconds until the last answer. */
async function write(cluster: BenchCluster, corpus: Corpus): Promise<number> {
  const bodies: string[] = [];
  for (let from = 0; from < corpus.lines.length; from += DOCUMENTS_PER_REQUEST) {
    const lines = corpus.lines.slice(from, from + DOCUMENTS_PER_REQUEST);
    bodies.push(lines.map((line) => `{"index":{}}\n${line.toString()}\n`).join(''));
  }
  const startMs = performance.now();
  let next = 0;
  const client = async (number: number): Promise<void> => {
    for (let at = next++; at < bodies.length; at = next++) {
      const { errors } = await cluster.ask('POST', `/${INDEX}/_bulk`, bodies[at], cluster.some(number + at));
      if (errors !== false) throw new Error('a bulk failed');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return (performance.now() - startMs) / 1_000;
}

async function verify(cluster: BenchCluster, documents: number, replicas: number): Promise<void> {
  await cluster.ask('POST', `/${INDEX}/_refresh`);
  const rows = await cluster.rows(`/_cat/shards/${INDEX}?format=json&h=prirep,docs`);
  const sum = rows.reduce((total, { docs }) => total + Number(docs), 0);
  if (rows.length !== SHARDS * (1 + replicas) || sum !== documents * (1 + replicas)) {
    throw new Error(`copies are not complete: ${JSON.stringify(rows)}`);
  }
}

/** Two kinds of queries by turns; each answer must be as the first of its kind. */
async function search(cluster: BenchCluster, replicas: number, seconds: number): Promise<void> {
  const queries = [
    { size: 10, track_total_hits: true, query: { match: { request: 'html' } } },
    { size: 0, track_total_hits: true, aggs: { status: { terms: { field: 'status' } } } },
  ];
  const essence = ({ hits, aggregations }: Answer): string =>
    JSON.stringify([(hits as { total: unknown }).total, aggregations ?? null]);
  const ask = async (turn: number): Promise<string> =>
    essence(await cluster.ask('POST', `/${INDEX}/_search`, queries[turn % queries.length], cluster.some(turn)));
  const expected = await Promise.all(queries.map((_, turn) => ask(turn)));
  const endMs = performance.now() + seconds * 1_000;
  let answered = 0;
  const client = async (number: number): Promise<void> => {
    for (let turn = number; performance.now() < endMs; turn++, answered++) {
      if ((await ask(turn)) !== expected[turn % queries.length]) throw new Error('two answers to one question differ');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  console.log(`search, replicas ${replicas}: ${(answered / seconds).toFixed(0)} requests/s (${CLIENTS} clients)`);
}
