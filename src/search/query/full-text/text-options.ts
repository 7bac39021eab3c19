/** Options that the full-text queries share, and the forms their values take. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readText } from '../../body/read.js';
import type { FuzzinessPlan, FuzzyOptionsPlan, Operator, RewritePlan, ZeroTerms } from '../../plan/query-plan.js';
import type { Draft, OptionReaders } from '../query-parser.js';

export function readOperator(place: Place): Operator {
  const text = readText(place);
  const operator = text.toLowerCase();
  if (operator === 'or' || operator === 'and') return operator;
  throw illegalArgument(`operator needs to be either [or] or [and], but not [${text}]`);
}

export function readZeroTerms(place: Place): ZeroTerms {
  const text = readText(place);
  const value = text.toLowerCase();
  if (value === 'none' || value === 'all') return value;
  throw place.error(`Unsupported zero_terms_query value [${text}]`);
}

const MINIMUM_SHOULD_MATCH = /^\s*(?:-?\d+%?|(?:\d+\s*<\s*-?\d+%?)(?:\s+\d+\s*<\s*-?\d+%?)*)\s*$/;

/** `2`, `-1`, `75%`, `-25%`, `2<-25% 9<-3`. */
export function readMinimumShouldMatch(place: Place): string {
  const text = readText(place);
  if (MINIMUM_SHOULD_MATCH.test(text)) return text.trim().replaceAll(/\s*<\s*/g, '<');
  throw place.error(`For input string: "${text}"`, 'number_format_exception');
}

export function readFuzziness(place: Place): FuzzinessPlan {
  const text = readText(place).trim();
  if (/^auto$/i.test(text)) return { auto: { low: 3, high: 6 } };
  if (/^auto:/i.test(text)) return readAutoFuzziness(text.slice('auto:'.length));
  const edits = text === '' ? NaN : Number(text);
  if (edits === 0 || edits === 1 || edits === 2) return { edits };
  if (Number.isNaN(edits)) throw illegalArgument(`Invalid fuzziness value: ${text}`);
  throw illegalArgument(`Valid edit distances are [0, 1, 2] but was [${text}]`);
}

function readAutoFuzziness(range: string): FuzzinessPlan {
  const match = /^(\d{1,9}),(\d{1,9})$/.exec(range);
  if (match === null) throw new QuarryError('parse_exception', 'failed to find low and high distance values');
  const low = Number(match[1]);
  const high = Number(match[2]);
  if (low > high) throw illegalArgument(`fuzziness lowDistance must be lower than highDistance, got [${low}, ${high}]`);
  return { auto: { low, high } };
}

const CONSTANT_REWRITES = [
  'constant_score',
  'constant_score_auto',
  'constant_score_filter',
  'constant_score_boolean',
  'constant_score_blended',
];

export function readRewrite(place: Place): RewritePlan {
  const text = readText(place);
  if (CONSTANT_REWRITES.includes(text)) return 'constant_score';
  if (text === 'scoring_boolean') return 'scoring_boolean';
  const match = /^(top_terms|top_terms_boost|top_terms_blended_freqs)_(\d{1,9})$/.exec(text);
  const count = Number(match?.[2]);
  switch (match?.[1]) {
    case 'top_terms':
      return { top_terms: count };
    case 'top_terms_boost':
      return { top_terms_boost: count };
    case 'top_terms_blended_freqs':
      return { top_terms_blended_freqs: count };
    default:
      throw illegalArgument(`Failed to parse rewrite_method [${text}]`);
  }
}

/** A number of terms or documents that must not be negative (or, with `least` 1, not zero). */
export function readCount(place: Place, least: 0 | 1, refusal: string): number {
  const value = readInt(place);
  if (value >= least) return value;
  throw illegalArgument(refusal);
}

/** `fuzziness` and what goes with it. */
export class FuzzyDraft {
  readonly #options: Draft<FuzzyOptionsPlan> = {};
  readonly #query: string;

  constructor(query: string) {
    this.#query = query;
  }

  /** Readers by the names that `match` and `multi_match` use. */
  get readers(): OptionReaders {
    const options = this.#options;
    return {
      fuzziness: (value) => void (options.fuzziness = readFuzziness(value)),
      prefix_length: (value) =>
        void (options.prefix_length = readCount(
          value,
          0,
          `[${this.#query}] requires prefix length to be non-negative.`,
        )),
      max_expansions: (value) =>
        void (options.max_expansions = readCount(value, 1, `[${this.#query}] requires maxExpansions to be positive.`)),
      fuzzy_transpositions: (value) => void (options.transpositions = readBoolean(value)),
      fuzzy_rewrite: (value) => void (options.rewrite = readRewrite(value)),
    };
  }

  get maxExpansions(): { readonly max_expansions?: number } {
    const count = this.#options.max_expansions;
    return count === undefined ? {} : { max_expansions: count };
  }

  get isFuzzy(): boolean {
    return this.#options.fuzziness !== undefined;
  }

  /** Nothing where the request has no `fuzziness`: the other options then mean nothing, as in the API. */
  get plan(): { readonly fuzzy?: FuzzyOptionsPlan } {
    const { fuzziness, ...others } = this.#options;
    return fuzziness === undefined ? {} : { fuzzy: { ...others, fuzziness } };
  }
}
