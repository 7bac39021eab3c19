import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

const DIMS = 16;
/** Of an index whose segments have graphs once they are merged: more than a segment may have without one. */
const MANY = 6_000;
const random = seededRandom(7);

function randomVector(): number[] {
  return Array.from({ length: DIMS }, () => Math.fround(random.below(1 << 20) / (1 << 19) - 1));
}

async function ok(answer: Promise<Answer>): Promise<Json> {
  const { status, text } = await answer;
  expect([status, text.slice(0, 400)]).toEqual([200, expect.anything()]);
  return JSON.parse(text);
}

const vectors = Array.from({ length: MANY }, randomVector);
const deleted = (at: number): boolean => at % 50 === 3;

function truth(query: readonly number[], counts: (at: number) => boolean): string[] {
  const distance = (vector: readonly number[]): number =>
    vector.reduce((sum, value, at) => sum + (value - (query[at] ?? 0)) ** 2, 0);
  const near = vectors.map((vector, at) => [distance(vector), String(at)] as const);
  const counted = near.filter(([, id]) => counts(Number(id)) && !deleted(Number(id)));
  return counted
    .sort(([left], [right]) => left - right)
    .slice(0, 10)
    .map(([, id]) => id);
}

async function recall(counts: (at: number) => boolean, filter?: Json): Promise<number> {
  let found = 0;
  const rounds = 20;
  for (let round = 0; round < rounds; round++) {
    const query = randomVector();
    const more = filter === undefined ? {} : { filter };
    const knn = { field: 'v', query_vector: query, k: 10, num_candidates: 100, ...more };
    const answer = await ok(node.post('/many/_search', { knn, _source: false }));
    const ids = new Set(answer.hits.hits.map((hit: Json) => hit._id));
    found += truth(query, counts).filter((id) => ids.has(id)).length;
  }
  return found / (rounds * 10);
}

const everything = (): boolean => true;

async function recallsWell(): Promise<void> {
  expect(await recall(everything)).toBeGreaterThanOrEqual(0.95);
  expect(await recall((at) => at % 4 === 1, { term: { n: 1 } })).toBeGreaterThanOrEqual(0.95);
  expect(await recall((at) => at < 40, { range: { at: { lt: 40 } } })).toBe(1);
}

type Entry = readonly [string, Json];

async function fill(entries: readonly Entry[]): Promise<void> {
  const lines = entries.flatMap(([id, document]) => [{ index: { _id: id } }, document]);
  expect((await ok(node.bulk('/many/_bulk?refresh', lines))).errors).toBe(false);
}

beforeAll(async () => {
  node = await TestNode.start();
  const v = { type: 'dense_vector', dims: DIMS, similarity: 'l2_norm' };
  await ok(
    node.put('/many', {
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: { properties: { v, n: { type: 'long' }, at: { type: 'long' } } },
    }),
  );
  for (let from = 0; from < MANY; from += 1_500) {
    const some = vectors.slice(from, from + 1_500);
    await fill(some.map((vector, at): Entry => [String(from + at), { v: vector, n: (from + at) % 4, at: from + at }]));
  }
  const gone = vectors.flatMap((_, at) => (deleted(at) ? [{ delete: { _id: String(at) } }] : []));
  await ok(node.bulk('/many/_bulk?refresh', gone));
});

afterAll(async () => {
  await node.stop();
});

it('small segments are searched exactly', async () => {
  expect(await recall(everything)).toBe(1);
});

it('graphs of merged segments find nearly all', async () => {
  await ok(node.post('/many/_forcemerge?max_num_segments=1'));
  await ok(node.post('/many/_refresh'));
  const usage = await ok(node.post('/many/_disk_usage?run_expensive_tasks=true'));
  // More than the vectors alone: a graph as well.
  expect(usage.many.fields.v.knn_vectors_in_bytes).toBeGreaterThan(MANY * (DIMS + 10) * 4);
  await recallsWell();
});

it('graphs stay over a restart and take more documents', async () => {
  await node.signal('SIGTERM');
  node = await TestNode.start({}, node.directory);
  await ok(node.get('/_cluster/health/many?wait_for_status=green&timeout=30s'));
  await recallsWell();
  const more = Array.from({ length: 400 }, randomVector);
  const from = vectors.length;
  vectors.push(...more);
  await fill(more.map((v, at): Entry => [String(from + at), { v, n: (from + at) % 4, at: from + at }]));
  await recallsWell();
  await ok(node.post('/many/_forcemerge?max_num_segments=1'));
  await ok(node.post('/many/_refresh'));
  await recallsWell();
});
