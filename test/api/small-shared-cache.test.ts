/** Partially mounted indices through a cache of few regions, of which searches over many shards need more at once than there are. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

const REGIONS = 4;
const SHARDS = 24;
/** Each is one segment of each shard: a search over a shard reads several files. */
const ROUNDS = 3;
const DOCUMENTS_OF_ROUND = 240;
/** Documents that are asked for at once, each with a count over all shards. */
const BESIDE = 8;
const INDICES = ['partial-one', 'partial-two'];
const SETTINGS = {
  'xpack.searchable.snapshot.shared_cache.size': `${REGIONS * 64}kb`,
  'xpack.searchable.snapshot.shared_cache.region_size': '64kb',
};

let node: TestNode;
let repositories: string;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(300);
  return answer.json();
}

async function rejections(): Promise<number> {
  const { nodes } = await ok(node.get('/_searchable_snapshots/cache/stats'));
  const [figures] = Object.values(nodes) as Json[];
  expect(figures.shared_cache.num_regions).toBe(REGIONS);
  return figures.shared_cache.rejections;
}

async function indexDocuments(name: string, shards: number, rounds: number): Promise<void> {
  const settings = { number_of_shards: shards, number_of_replicas: 0, 'index.merge.policy.segments_per_tier': 20 };
  await ok(node.put(`/${name}`, { settings, mappings: { properties: { tag: { type: 'keyword' } } } }));
  for (let round = 0; round < rounds; round++) {
    const lines = Array.from({ length: DOCUMENTS_OF_ROUND }, (_, at) => [
      { index: { _id: `${round}-${at}` } },
      { n: round * DOCUMENTS_OF_ROUND + at, tag: at % 2 === 0 ? 'even' : 'odd', text: `word${at % 7} and more` },
    ]);
    await ok(node.bulk(`/${name}/_bulk?refresh=true`, lines.flat()));
  }
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-small-cache-'));
  node = await TestNode.start({ 'path.repo': repositories, ...SETTINGS });
  await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await indexDocuments('many', SHARDS, ROUNDS);
  await indexDocuments('segments', 1, REGIONS + 2);
  await ok(node.put('/_snapshot/archive/all?wait_for_completion=true', { indices: 'many,segments' }));
  const mount = '/_snapshot/archive/all/_mount?wait_for_completion=true&storage=shared_cache';
  for (const index of INDICES) await ok(node.post(mount, { index: 'many', renamed_index: index }));
  await ok(node.post(mount, { index: 'segments', renamed_index: 'partial-segments' }));
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

it('is among the settings that a node shows', async () => {
  const { nodes } = await ok(node.get('/_nodes/settings'));
  const [{ settings }] = Object.values(nodes) as [Json];
  expect(settings.xpack.searchable.snapshot.shared_cache).toEqual({ region_size: '65536', size: '256kb' });
});

describe('a shared cache of four regions', () => {
  it('answers searches over many small shards at once', async () => {
    const bodies: readonly Json[] = [
      { query: { term: { tag: 'odd' } }, size: 5, sort: [{ n: 'desc' }] },
      { query: { match: { text: 'word3' } }, size: 20 },
      { size: 0, aggs: { tags: { terms: { field: 'tag' } }, most: { max: { field: 'n' } } } },
    ];
    const asked = INDICES.flatMap((index) =>
      bodies.map(async (body) => {
        const path = `_search?request_cache=false&preference=_local`;
        const [expected, found] = await Promise.all([
          ok(node.post(`/many/${path}`, body)),
          ok(node.post(`/${index}/${path}`, body)),
        ]);
        expect(found._shards, JSON.stringify(found._shards.failures)).toMatchObject({
          successful: SHARDS,
          failed: 0,
        });
        expect(found.hits.total).toEqual(expected.hits.total);
        expect(found.aggregations).toEqual(expected.aggregations);
        expect(found.hits.hits.map(({ _score }: Json) => _score)).toEqual(
          expected.hits.hits.map(({ _score }: Json) => _score),
        );
      }),
    );
    await Promise.all(asked);
    expect(await rejections()).toBe(0);
  });

  it('answers documents by id, counts and explanations beside them', async () => {
    const asked = Array.from({ length: BESIDE }, async (_, at) => {
      const index = INDICES[at % 2] ?? '';
      const id = `${at % ROUNDS}-${at}`;
      const query = { term: { tag: 'odd' } };
      const [document, count, explained] = await Promise.all([
        ok(node.get(`/${index}/_doc/${id}`)),
        ok(node.post(`/${index}/_count`, { query })),
        ok(node.post(`/${index}/_explain/${id}`, { query })),
      ]);
      expect(document).toMatchObject({ _id: id, found: true });
      expect(count).toMatchObject({ count: (ROUNDS * DOCUMENTS_OF_ROUND) / 2, _shards: { failed: 0 } });
      expect(explained.matched).toBe(at % 2 === 1);
    });
    await Promise.all(asked);
    expect(await rejections()).toBe(0);
  });

  it('refuses what alone needs more files than there are regions, and answers others after that', async () => {
    const query = { match: { text: 'word3' } };
    const asked: readonly Promise<Answer>[] = [
      node.post('/partial-segments/_search', { query }),
      node.post('/partial-segments/_explain/0-3', { query }),
    ];
    for (const refused of await Promise.all(asked)) {
      expect(refused.status, refused.text.slice(0, 300)).toBe(429);
      expect(refused.text).toContain('the shared cache of searchable snapshots has [4] regions of [65536] bytes');
    }
    expect(await rejections()).toBeGreaterThan(0);
    const found = await ok(node.post('/partial-one/_search?request_cache=false', { query }));
    expect(found._shards).toMatchObject({ successful: SHARDS, failed: 0 });
  });
});
