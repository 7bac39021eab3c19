import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Json } from './node-harness.js';

/**
 * Scores of a random collection against BM25 worked out here from its published formula, with lengths rounded as norms are:
 * nothing of the engine is used but its answers.
 */

const K1 = 1.2;
const B = 0.75;
const SEED = 20_250_101;
const VOCABULARY = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'larch', 'maple', 'oak', 'pine', 'rowan', 'yew'];

let node: TestNode;
const documents: string[][] = [];

/** Lengths below 24 are exact, those above keep their four highest bits. */
function lengthOfNorm(length: number): number {
  const exact = 24;
  if (length < exact) return length;
  const rest = length - exact;
  const bits = rest.toString(2).length;
  if (bits < 4) return length;
  const dropped = 2 ** (bits - 4);
  return exact + Math.floor(rest / dropped) * dropped;
}

function idf(documentFrequency: number): number {
  return Math.log(1 + (documents.length - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

const averageLength = (): number => documents.reduce((sum, words) => sum + words.length, 0) / documents.length;

function saturated(weight: number, frequency: number, words: readonly string[]): number {
  const norm = K1 * (1 - B + (B * lengthOfNorm(words.length)) / averageLength());
  return weight - weight / (1 + frequency / norm);
}

const frequencyOf = (word: string, words: readonly string[]): number => words.filter((other) => other === word).length;
const documentFrequency = (word: string): number => documents.filter((words) => words.includes(word)).length;

function termScore(word: string, words: readonly string[], boost = 1): number {
  const frequency = frequencyOf(word, words);
  return frequency === 0 ? 0 : saturated(boost * idf(documentFrequency(word)), frequency, words);
}

function phraseScore(phrase: readonly string[], words: readonly string[]): number {
  const frequency = words.filter((_, at) => phrase.every((word, offset) => words[at + offset] === word)).length;
  const weight = phrase.reduce((sum, word) => sum + idf(documentFrequency(word)), 0);
  return frequency === 0 ? 0 : saturated(weight, frequency, words);
}

beforeAll(async () => {
  node = await TestNode.start();
  const source = seededRandom(SEED);
  const uniform = (): number => source.below(1_000_000) / 1_000_000;
  const skewed = (): string => VOCABULARY[Math.floor(uniform() ** 2 * VOCABULARY.length)] ?? 'ash';
  for (let n = 0; n < 400; n++) {
    const length = 1 + Math.floor(uniform() ** 3 * 150);
    documents.push(Array.from({ length }, skewed));
  }
  await node.put('/trees', { settings: { number_of_shards: 1 }, mappings: { properties: { text: { type: 'text' } } } });
  const lines = documents.flatMap((words, id) => [{ index: { _id: String(id) } }, { text: words.join(' ') }]);
  expect((await node.bulk('/trees/_bulk?refresh', lines)).json().errors).toBe(false);
  await node.post('/trees/_forcemerge?max_num_segments=1');
  await node.put('/forest', {
    settings: { number_of_shards: 5 },
    mappings: { properties: { text: { type: 'text' } } },
  });
  expect((await node.bulk('/forest/_bulk?refresh', lines)).json().errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

type Scoring = (words: readonly string[]) => number;

const [rare, middle, common] = ['yew', 'hazel', 'ash'] as const;

it.each<[string, unknown, Scoring]>([
  ['a common term', { match: { text: common } }, (words) => termScore(common, words)],
  ['a rare term', { term: { text: rare } }, (words) => termScore(rare, words)],
  ['a boosted term', { term: { text: { value: middle, boost: 2.5 } } }, (words) => termScore(middle, words, 2.5)],
  [
    'a union',
    { match: { text: `${common} ${middle} ${rare}` } },
    (words) => termScore(common, words) + termScore(middle, words) + termScore(rare, words),
  ],
  [
    'an intersection',
    { match: { text: { query: `${common} ${rare}`, operator: 'and' } } },
    (words) => (words.includes(common) && words.includes(rare) ? termScore(common, words) + termScore(rare, words) : 0),
  ],
  ['a phrase', { match_phrase: { text: `${common} birch` } }, (words) => phraseScore([common, 'birch'], words)],
  [
    'a bool with a filter',
    {
      bool: {
        must: [{ match: { text: middle } }],
        filter: [{ match: { text: common } }],
        should: [{ match: { text: rare } }],
      },
    },
    (words) =>
      words.includes(middle) && words.includes(common) ? termScore(middle, words) + termScore(rare, words) : 0,
  ],
])('%s scores as BM25 says, in every document', async (_name, query, score) => {
  const answer = (await node.post('/trees/_search', { query, size: 400 })).json();
  const expected = documents.map((words, id) => [String(id), score(words)] as const).filter(([, each]) => each > 0);
  expect(answer.hits.total.value).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(5);
  const byId = new Map<string, number>(answer.hits.hits.map((hit: Json) => [hit._id, hit._score]));
  for (const [id, each] of expected) expect(Math.abs((byId.get(id) ?? 0) / each - 1)).toBeLessThan(1e-5);
  const scores = answer.hits.hits.map((hit: Json) => hit._score);
  expect(scores).toEqual([...scores].sort((left: number, right: number) => right - left));
  const top = (await node.post('/trees/_search', { query })).json();
  expect(top.hits.hits.map((hit: Json) => hit._score)).toEqual(scores.slice(0, 10));
});

describe('dfs_query_then_fetch', () => {
  const query = { match: { text: `${common} ${rare}` } };
  const scoresOf = (answer: Json): readonly [string, number][] =>
    answer.hits.hits.map((hit: Json) => [hit._id, hit._score] as const).sort();

  it.each([
    ['a search', '/forest/_search?search_type=dfs_query_then_fetch', { query, size: 400 }],
    ['an explained one', '/forest/_search?search_type=dfs_query_then_fetch', { query, size: 400, explain: true }],
    ['a sliced scroll', '/forest/_search?search_type=dfs_query_then_fetch&scroll=1m', { query, size: 400 }],
  ])('scores %s as one shard with all documents does', async (_name, path, body) => {
    const whole = (await node.post('/trees/_search', { query, size: 400 })).json();
    const shared = (await node.post(path, body)).json();
    const expected = new Map(scoresOf(whole));
    expect(shared.hits.total).toEqual(whole.hits.total);
    for (const [id, score] of scoresOf(shared)) {
      expect(Math.abs(score / (expected.get(id) ?? 0) - 1)).toBeLessThan(1e-6);
    }
    for (const { _score, _explanation } of shared.hits.hits.filter((hit: Json) => hit._explanation !== undefined)) {
      expect(Math.abs(_explanation.value / _score - 1)).toBeLessThan(1e-6);
    }
  });

  it('is asked for in the header of a search of several', async () => {
    const lines = [
      { index: 'forest', search_type: 'dfs_query_then_fetch' },
      { query, size: 400 },
    ];
    const [answer] = (await node.bulk('/_msearch', lines)).json().responses;
    const whole = (await node.post('/trees/_search', { query, size: 400 })).json();
    expect(answer.hits.max_score / whole.hits.max_score).toBeCloseTo(1, 6);
  });

  it('is one of two types', async () => {
    const refused = await node.post('/forest/_search?search_type=dfs_query_and_fetch', { query });
    expect([refused.status, refused.json().error.reason]).toEqual([400, 'No search type for [dfs_query_and_fetch]']);
  });
});
