/** Queries to be stored, made of the words and numbers of prose, so that each of them matches something somewhere. */
import { seededRandom } from '../../src/base/random.js';
import type { Corpus } from '../corpus.js';

export interface StoredQuery {
  readonly id: string;
  readonly query: object;
}

interface Prose {
  readonly title: string;
  readonly body: string;
  readonly category: string;
  readonly chars: number;
}

/** Draws from one document. */
interface Drawn {
  readonly prose: Prose;
  /** A place among the words of the body. */
  readonly at: number;
  readonly words: readonly string[];
  readonly word: () => string;
}

const WORD = /[a-z0-9]{4,}/g;
const RANGE = 50;

/** Several words, neighbouring words, a range, and all of these together, in turns. */
const kinds: readonly ((drawn: Drawn) => object)[] = [
  ({ word }) => ({ match: { body: { query: `${word()} ${word()} ${word()}`, operator: 'and' } } }),
  ({ words, at }) => ({ match_phrase: { body: words.slice(at, at + 2).join(' ') } }),
  ({ prose: { chars, category } }) => ({
    bool: {
      filter: [{ term: { category } }, { range: { chars: { gte: chars - RANGE, lt: chars + RANGE } } }],
    },
  }),
  ({ prose: { chars }, word }) => ({
    bool: {
      must: [{ term: { body: word() } }],
      should: [{ term: { body: word() } }, { match: { title: word() } }],
      minimum_should_match: 1,
      must_not: [{ term: { title: word() } }],
      filter: [{ range: { chars: { gte: chars - RANGE } } }],
    },
  }),
  ({ word }) => ({ term: { body: word() } }),
];

/** The same for the same corpus and number. */
export function makeQueries(corpus: Corpus, count: number): readonly StoredQuery[] {
  const random = seededRandom(2026);
  return Array.from({ length: count }, (_, number) => {
    const line = corpus.lines[random.below(corpus.lines.length)]?.toString() ?? '{}';
    const prose = JSON.parse(line) as Prose;
    const words = prose.body.toLowerCase().match(WORD) ?? ['word'];
    const drawn: Drawn = {
      prose,
      words,
      at: random.below(Math.max(1, words.length - 1)),
      word: () => words[random.below(words.length)] ?? 'word',
    };
    const query = kinds[number % kinds.length]?.(drawn) ?? { match_none: {} };
    return { id: String(number), query };
  });
}
