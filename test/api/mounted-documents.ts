/** Documents of all kinds, of which snapshots are mounted, and searches over them. */
import type { Json, TestNode } from './node-harness.js';

/** Of which {@link indexSource} deletes the first. */
export const DOCUMENTS = 4_000;
const DELETED = 50;
export const SOURCE_DOCUMENTS = DOCUMENTS - DELETED;

/** The same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = ['river', 'stone', 'cloud', 'amber', 'north', 'paper', 'quiet', 'lamp', 'field', 'copper'];

function sourceOf(n: number, random: () => number): Json {
  const pick = (): string => WORDS[Math.floor(random() * random() * WORDS.length)] ?? '';
  const noise = Array.from({ length: 300 }, () => Math.floor(random() * 2 ** 32).toString(36)).join(' ');
  return {
    n,
    tag: pick(),
    tags: [pick(), pick()],
    text: Array.from({ length: 4 + Math.floor(random() * 8) }, pick).join(' '),
    price: Math.floor(random() * 10_000) / 100,
    at: new Date(1_700_000_000_000 + Math.floor(random() * 1e10)).toISOString(),
    place: { lat: random() * 90, lon: random() * 90 },
    parts: [{ kind: pick(), size: Math.floor(random() * 50) }],
    vector: [random() + 0.1, random(), random()],
    ...(random() < 0.3 ? { rare: Math.floor(random() * 100) } : {}),
    noise,
  };
}

export const MAPPING = {
  properties: {
    n: { type: 'integer' },
    tag: { type: 'keyword' },
    tags: { type: 'keyword' },
    text: { type: 'text' },
    price: { type: 'double' },
    at: { type: 'date' },
    place: { type: 'geo_point' },
    parts: { type: 'nested', properties: { kind: { type: 'keyword' }, size: { type: 'integer' } } },
    vector: { type: 'dense_vector', dims: 3, similarity: 'l2_norm' },
    rare: { type: 'short' },
    noise: { type: 'keyword', index: false, doc_values: false },
  },
};

/** An index `source` of some segments with deletions. `ok` throws where an answer is an error. */
export async function indexSource(
  node: TestNode,
  ok: (asked: ReturnType<TestNode['get']>) => Promise<Json>,
  shards: number,
): Promise<void> {
  const settings = { number_of_shards: shards, number_of_replicas: 0 };
  await ok(node.put('/source', { settings, mappings: MAPPING }));
  const random = randomNumbers(7);
  for (let from = 0; from < DOCUMENTS; from += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, at) => [
      { index: { _id: String(from + at) } },
      sourceOf(from + at, random),
    ]);
    const { errors } = await ok(node.bulk('/source/_bulk?refresh=true', lines.flat()));
    if (errors !== false) throw new Error('documents were refused');
  }
  await ok(node.post('/source/_delete_by_query?refresh=true', { query: { range: { n: { lt: DELETED } } } }));
  await ok(node.post('/source/_forcemerge?max_num_segments=2'));
}

/** Whose answer is the same for the same documents. */
export function searchOf(random: () => number): Json {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const word = (): string => pick(WORDS);
  const low = Math.floor(random() * DOCUMENTS);
  const queries: readonly (() => Json)[] = [
    () => ({ match_all: {} }),
    () => ({ match: { text: `${word()} ${word()}` } }),
    () => ({ match_phrase: { text: `${word()} ${word()}` } }),
    () => ({ terms: { tags: [word(), word()] } }),
    () => ({ range: { n: { gte: low, lt: low + 900 } } }),
    () => ({ range: { price: { lt: random() * 100 } } }),
    () => ({ exists: { field: 'rare' } }),
    () => ({ prefix: { tag: word().slice(0, 2) } }),
    () => ({ ids: { values: [String(low), String(low + 1), '1'] } }),
    () => ({ nested: { path: 'parts', query: { term: { 'parts.kind': word() } } } }),
    () => ({ geo_distance: { distance: '1500km', place: { lat: random() * 90, lon: random() * 90 } } }),
    () => ({ knn: { field: 'vector', query_vector: [random(), random(), random()], k: 5, num_candidates: 50 } }),
    () => ({
      bool: {
        must: [{ match: { text: word() } }],
        filter: [{ term: { tag: word() } }],
        must_not: [{ term: { rare: 7 } }],
      },
    }),
  ];
  const aggregations: readonly (() => Json)[] = [
    () => ({ terms: { field: pick(['tag', 'tags']) }, aggs: { mean: { avg: { field: 'price' } } } }),
    () => ({ histogram: { field: 'price', interval: 25 } }),
    () => ({ date_histogram: { field: 'at', calendar_interval: 'month' } }),
    () => ({ stats: { field: 'price' } }),
    () => ({ cardinality: { field: 'n' } }),
    () => ({ nested: { path: 'parts' }, aggs: { sizes: { stats: { field: 'parts.size' } } } }),
    () => ({ missing: { field: 'rare' } }),
    () => ({ top_hits: { size: 2, sort: [{ n: 'desc' }] } }),
  ];
  const sorts: readonly Json[] = [
    ['n'],
    [{ price: 'desc' }, 'n'],
    [{ rare: { order: 'asc', missing: '_first' } }, 'n'],
  ];
  return {
    query: pick(queries)(),
    size: pick([0, 3, 20]),
    track_total_hits: true,
    ...(random() < 0.6 ? { sort: pick(sorts) } : { sort: ['_score', 'n'] }),
    ...(random() < 0.5 ? { aggs: { wanted: pick(aggregations)() } } : {}),
    ...(random() < 0.2 ? { highlight: { fields: { text: {} } }, docvalue_fields: ['at', 'tags'] } : {}),
  };
}

/** Without what tells the indices apart. */
export function comparable({ hits, aggregations }: Json): string {
  return JSON.stringify({ hits, aggregations }).replaceAll(/"_index":"[^"]*"/g, '"_index":"source"');
}
