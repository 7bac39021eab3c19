/** Phrases of words that most documents hold: merged segments list pairs of them, which must answer as positions do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { ok } from './knn-answers.js';
import { TestNode, type Json } from './node-harness.js';

/** Enough for a merged segment to list pairs. */
const DOCUMENTS = 17_000;
const BATCH = 4_250;
const WORDS = ['of', 'the', 'to', 'history', 'day', 'well'];
/** A word in so many of a document's words, of 16. */
const WEIGHTS = [6, 4, 3, 1, 1, 1];
const PHRASES = ['of the', 'the of', 'of of', 'history of', 'of well', 'to the day', 'of the history of', 'well day'];

let node: TestNode;
let repositories: string;
let texts: string[];

const random = seededRandom(22);
const drawn = WORDS.flatMap((word, place) => Array.from({ length: WEIGHTS[place] ?? 0 }, () => word));
const text = (): string =>
  Array.from({ length: random.below(12) }, () => drawn[random.below(drawn.length)] ?? '').join(' ');

function occurrences(words: readonly string[], phrase: readonly string[]): number {
  return words.filter((_, at) => phrase.every((word, place) => words[at + place] === word)).length;
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-pairs-'));
  node = await TestNode.start({
    'path.repo': repositories,
    'xpack.searchable.snapshot.shared_cache.size': '8mb',
    'xpack.searchable.snapshot.shared_cache.region_size': '64kb',
  });
  texts = Array.from({ length: DOCUMENTS }, text);
  await ok(node.put('/prose', { settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 } }));
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const lines = texts
      .slice(from, from + BATCH)
      .flatMap((body, at) => [{ index: { _id: String(from + at) } }, { body: [body, 'the end'], kept: at % 3 > 0 }]);
    expect((await ok(node.bulk('/prose/_bulk?refresh', lines))).errors).toBe(false);
  }
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function answers(filter?: Json, index = 'prose'): Promise<unknown[]> {
  const found = [];
  for (const body of PHRASES) {
    const phrase = { match_phrase: { body } };
    const query = filter === undefined ? phrase : { bool: { must: phrase, filter } };
    const { hits } = await ok(
      node.post(`/${index}/_search`, { query, track_total_hits: true, size: 20, _source: false }),
    );
    found.push([body, hits.total.value, hits.hits.map(({ _id, _score }: Json) => [_id, _score])]);
  }
  return found;
}

describe('phrases of frequent words', () => {
  it('are found and scored alike before and after a merge, and as counted word by word', async () => {
    const kept = { term: { kept: true } };
    const before = [await answers(), await answers(kept)];
    await ok(node.post('/prose/_forcemerge?max_num_segments=1'));
    expect(await ok(node.get('/_cat/segments/prose?format=json'))).toHaveLength(1);
    expect([await answers(), await answers(kept)]).toEqual(before);
    const counted = PHRASES.map((phrase) => {
      const holds = (body: string): boolean =>
        occurrences(body.split(' '), phrase.split(' ')) + occurrences(['the', 'end'], phrase.split(' ')) > 0;
      return [phrase, texts.filter(holds).length];
    });
    expect(before[0]?.map((answer) => (answer as unknown[]).slice(0, 2))).toEqual(counted);
  });

  it('leave deleted documents out, and are explained', async () => {
    const gone = texts.flatMap((_, at) => (at % 5 === 0 ? [{ delete: { _id: String(at) } }] : []));
    await ok(node.bulk('/prose/_bulk?refresh', gone));
    const query = { match_phrase: { body: 'history of' } };
    const left = texts.filter((body, at) => at % 5 > 0 && occurrences(body.split(' '), ['history', 'of']) > 0);
    expect((await ok(node.post('/prose/_count', { query }))).count).toBe(left.length);
    const { hits } = await ok(node.post('/prose/_search', { query, size: 1, explain: true }));
    const [best] = hits.hits;
    expect(best._explanation.value).toBe(best._score);
  });

  it('are found alike where their pairs lie in a repository', async () => {
    await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
    await ok(node.put('/_snapshot/archive/first?wait_for_completion=true', { indices: 'prose' }));
    const body = { index: 'prose', renamed_index: 'mounted' };
    await ok(node.post('/_snapshot/archive/first/_mount?wait_for_completion=true&storage=shared_cache', body));
    const kept = { term: { kept: true } };
    const here = [await answers(), await answers(kept)];
    expect([await answers(undefined, 'mounted'), await answers(kept, 'mounted')]).toEqual(here);
    const { total } = await ok(node.get('/mounted/_searchable_snapshots/stats'));
    expect(total[0].cached_bytes_written.sum).toBeGreaterThan(0);
  });

  it('take part in other queries, and slop ignores pairs', async () => {
    const both = { bool: { should: [{ match_phrase: { body: 'of the' } }, { match_phrase: { body: 'the of' } }] } };
    const holds = (body: string, phrase: string): boolean => occurrences(body.split(' '), phrase.split(' ')) > 0;
    const live = texts.filter((_, at) => at % 5 > 0);
    const either = live.filter((body) => holds(body, 'of the') || holds(body, 'the of'));
    expect((await ok(node.post('/prose/_count', { query: both }))).count).toBe(either.length);
    const sloppy = { match_phrase: { body: { query: 'well day', slop: 1 } } };
    const near = live.filter((body) => /\bwell (\w+ )?day\b/.test(body));
    expect((await ok(node.post('/prose/_count', { query: sloppy }))).count).toBe(near.length);
  });
});
