/** An index for each of the segment formats 1 to 5, which segments of `best_compression` still have: they need no later one. */
import { expect } from 'vitest';
import type { Answer, Json, TestNode } from '../api/node-harness.js';

type Client = Pick<TestNode, 'put' | 'post' | 'get' | 'delete' | 'bulk'>;

const DOCUMENTS = 40;
const DELETED = 5;
const COMMON = { n: { type: 'integer' }, text: { type: 'text' }, tag: { type: 'keyword' } };

interface Kept {
  readonly format: number;
  readonly settings?: Json;
  readonly properties: Json;
  /** Members beside the common ones. */
  readonly document: (number: number) => Json;
  /** Queries, and which documents they find. */
  readonly queries: readonly (readonly [Json, (number: number) => boolean])[];
}

const KEPT: readonly Kept[] = [
  { format: 1, properties: {}, document: () => ({}), queries: [] },
  {
    format: 2,
    properties: { parts: { type: 'nested', properties: { size: { type: 'integer' } } } },
    document: (n) => ({ parts: [{ size: n }, { size: 2 * n }] }),
    queries: [[{ nested: { path: 'parts', query: { term: { 'parts.size': 10 } } } }, (n) => n === 10 || n === 5]],
  },
  {
    format: 3,
    properties: { span: { type: 'integer_range' } },
    document: (n) => ({ span: { gte: n, lt: n + 3 } }),
    queries: [[{ range: { span: { gte: 10, lte: 10 } } }, (n) => n >= 8 && n <= 10]],
  },
  {
    format: 4,
    settings: { sort: { field: 'n', order: 'desc' } },
    properties: {},
    document: () => ({}),
    queries: [[{ range: { n: { lt: 7 } } }, (n) => n < 7]],
  },
  {
    format: 5,
    properties: { at: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' } },
    document: (n) => ({ at: [n, 1] }),
    queries: [
      [{ knn: { field: 'at', query_vector: [11.2, 1], k: 3, num_candidates: DOCUMENTS } }, (n) => n >= 10 && n <= 12],
    ],
  },
];

function documentOf({ document }: Kept, n: number): Json {
  return { n, text: `the ${n % 2 === 0 ? 'even' : 'odd'} one`, tag: `t${n % 4}`, ...document(n) };
}

async function ok(answer: Promise<Answer>): Promise<Json> {
  const done = await answer;
  expect(done.status, done.text).toBeLessThan(300);
  return done.json();
}

/** Two segments each, and a deletion. */
export async function fillFormats(node: Client): Promise<void> {
  for (const kept of KEPT) {
    const name = `format-${kept.format}`;
    const one = { number_of_shards: 1, number_of_replicas: 0, codec: 'best_compression' };
    const settings = { index: { ...one, ...kept.settings } };
    await ok(node.put(`/${name}`, { settings, mappings: { properties: { ...COMMON, ...kept.properties } } }));
    for (const from of [0, DOCUMENTS / 2]) {
      const numbers = Array.from({ length: DOCUMENTS / 2 }, (_, at) => from + at);
      const lines = numbers.map((n) => [{ index: { _id: String(n) } }, documentOf(kept, n)]);
      await ok(node.bulk(`/${name}/_bulk?refresh=true`, lines.flat()));
    }
    await ok(node.delete(`/${name}/_doc/${DELETED}?refresh=true`));
    await ok(node.post(`/${name}/_flush`));
  }
}

export async function verifyFormats(node: Client): Promise<void> {
  for (const kept of KEPT) {
    const name = `format-${kept.format}`;
    await verifyIndex(node, name, kept, [DELETED]);
    // What was kept takes more, and is merged with it.
    await ok(
      node.bulk(`/${name}/_bulk?refresh=true`, [{ index: { _id: String(DELETED) } }, documentOf(kept, DELETED)]),
    );
    await ok(node.post(`/${name}/_forcemerge?max_num_segments=1`));
    await verifyIndex(node, name, kept, []);
  }
}

async function verifyIndex(node: Client, name: string, kept: Kept, gone: readonly number[]): Promise<void> {
  const numbers = Array.from({ length: DOCUMENTS }, (_, n) => n).filter((n) => !gone.includes(n));
  const found = async (query: Json): Promise<readonly number[]> => {
    const { hits } = await ok(node.post(`/${name}/_search`, { size: DOCUMENTS, query, sort: ['n'] }));
    const sources = (hits.hits as Json[]).map(({ _source }) => _source);
    for (const source of sources) expect(source).toEqual(documentOf(kept, source.n as number));
    return sources.map(({ n }) => n as number);
  };
  const common: Kept['queries'] = [
    [{ match_all: {} }, () => true],
    [{ match: { text: 'even' } }, (n) => n % 2 === 0],
    [{ match_phrase: { text: 'the odd one' } }, (n) => n % 2 === 1],
    [{ term: { tag: 't3' } }, (n) => n % 4 === 3],
  ];
  for (const [query, finds] of [...common, ...kept.queries]) {
    expect(await found(query), `${name} ${JSON.stringify(query)}`).toEqual(numbers.filter(finds));
  }
  const { aggregations } = await ok(node.post(`/${name}/_search`, { size: 0, aggs: { sum: { sum: { field: 'n' } } } }));
  expect(aggregations.sum.value).toBe(numbers.reduce((sum, n) => sum + n, 0));
}
