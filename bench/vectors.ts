/**
 * The nearest vectors over HTTP: how many of the ten nearest a walk of the graph finds, and how long it takes, beside looking at
 * every vector (the same documents in a field that has no graph). Also with a filter that lets a tenth of the documents through.
 *
 * Exact answers are held against what the vectors themselves say.
 */
import { Client } from 'undici';
import { seededRandom } from '../src/base/random.js';
import { call, mergeToOne, sendBulk } from './bulk-load.js';
import { quantile } from './quantile.js';
import { startQuarry } from './servers.js';

const CLUSTERS = 100;
const DOCUMENTS_PER_REQUEST = 1_000;
const NEAREST = 10;
const CANDIDATES = [20, 100, 400];
const RANDOM_STEPS = 1 << 20;

type Vector = readonly number[];

const random = seededRandom(2026);

/** A number between -1 and 1. */
function fraction(): number {
  return random.below(RANDOM_STEPS) / (RANDOM_STEPS / 2) - 1;
}

function clusteredVectors(dims: number): () => Vector {
  const centres = Array.from({ length: CLUSTERS }, () => Array.from({ length: dims }, fraction));
  return () => (centres[random.below(CLUSTERS)] ?? []).map((at) => Math.fround(at + fraction() * 0.5));
}

async function fill(client: Client, vectors: readonly Vector[], dims: number): Promise<void> {
  const field = { type: 'dense_vector', dims, similarity: 'l2_norm' };
  const properties = {
    walked: field,
    exact: { ...field, index_options: { type: 'flat' } },
    tenth: { type: 'byte' },
  };
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await call(client, 'PUT', '/vectors', JSON.stringify({ settings, mappings: { properties } }));
  for (let from = 0; from < vectors.length; from += DOCUMENTS_PER_REQUEST) {
    const some = vectors.slice(from, from + DOCUMENTS_PER_REQUEST);
    const lines = some.map((vector, at) => {
      const text = JSON.stringify(vector);
      return `{"index":{"_id":"${from + at}"}}\n{"walked":${text},"exact":${text},"tenth":${(from + at) % 10}}\n`;
    });
    (await sendBulk(client, 'vectors', { body: Buffer.from(lines.join('')), documents: some.length })).check();
  }
  await call(client, 'POST', '/vectors/_refresh');
}

interface Found {
  readonly ids: readonly string[];
  readonly milliseconds: number;
}

async function find(client: Client, field: string, query: Vector, candidates: number, filter?: object): Promise<Found> {
  const sizes = { k: NEAREST, num_candidates: candidates };
  const knn = { field, query_vector: query, ...sizes, ...(filter === undefined ? {} : { filter }) };
  const body = JSON.stringify({ _source: false, query: { knn } });
  const started = performance.now();
  const answer = await call(client, 'POST', '/vectors/_search?request_cache=false', body);
  const milliseconds = performance.now() - started;
  const { hits } = JSON.parse(answer.toString()) as { hits: { hits: { _id: string }[] } };
  return { ids: hits.hits.map(({ _id }) => _id), milliseconds };
}

/** Throws where looking at everything is not what it says. */
function checkExact(query: Vector, vectors: readonly Vector[], { ids }: Found): void {
  const distance = (vector: Vector): number =>
    vector.reduce((sum, value, at) => sum + (value - (query[at] ?? 0)) ** 2, 0);
  const nearest = vectors.map(distance).sort((left, right) => left - right)[NEAREST - 1] ?? Infinity;
  const wrong = ids.find((id) => distance(vectors[Number(id)] ?? []) > nearest * 1.0001);
  if (wrong !== undefined) throw new Error(`document ${wrong} is not among the ${NEAREST} nearest`);
}

async function compare(client: Client, queries: readonly Vector[], filter?: object): Promise<void> {
  const exact: Found[] = [];
  for (const query of queries) exact.push(await find(client, 'exact', query, NEAREST, filter));
  const exactMs = quantile(
    exact.map(({ milliseconds }) => milliseconds),
    0.5,
  );
  console.log(`  exact            ${exactMs.toFixed(2)} ms`);
  for (const candidates of CANDIDATES) {
    const walked: Found[] = [];
    for (const query of queries) walked.push(await find(client, 'walked', query, candidates, filter));
    const ms = quantile(
      walked.map(({ milliseconds }) => milliseconds),
      0.5,
    );
    const wanted = exact.flatMap(({ ids }, at) => ids.map((id) => walked[at]?.ids.includes(id) ?? false));
    const recall = wanted.filter(Boolean).length / Math.max(1, wanted.length);
    const ratio = `${(exactMs / ms).toFixed(1)}x`;
    console.log(
      `  candidates ${String(candidates).padEnd(5)} ${ms.toFixed(2)} ms (${ratio}), recall ${recall.toFixed(3)}`,
    );
  }
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, dims = 16, queries: count = 10 } = size;
  const draw = clusteredVectors(dims);
  const vectors = Array.from({ length: documents }, draw);
  const queries = Array.from({ length: count }, draw);
  const server = await startQuarry();
  const client = new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 });
  try {
    const filled = performance.now();
    await fill(client, vectors, dims);
    const merged = performance.now();
    await mergeToOne(client, 'vectors');
    const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
    const done = performance.now();
    console.log(
      `${documents} vectors of ${dims} dimensions: indexed in ${seconds(merged - filled)} s, merged to one segment in ${seconds(done - merged)} s`,
    );
    const [first] = queries;
    if (first !== undefined) checkExact(first, vectors, await find(client, 'exact', first, NEAREST));
    await compare(client, queries);
    console.log('  among a tenth of the documents');
    await compare(client, queries, { term: { tenth: 3 } });
  } finally {
    await client.close();
    await server.stop();
  }
}
