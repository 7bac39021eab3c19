/** What the suggesters read alike. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readInt, readNumber, readText } from '../body/read.js';
import type { SpellPlan } from './suggest-plan.js';

/** Options that an entry may have, and that a shard may look for. */
export const SIZE_MAX = 10_000;
const SIZE_DEFAULT = 5;
const SHARD_SIZE_LEAST = 5;

/** The texts beside a suggester. */
export interface SuggestTexts {
  text?: string;
  prefix?: string;
  regex?: string;
}

export interface CommonDraft {
  field?: string;
  analyzer?: string;
  size?: number;
  shard_size?: number;
}

/** True: the option is one that all suggesters have. */
export function readCommon(draft: CommonDraft, name: string, value: Place): boolean {
  if (name === 'field') draft.field = readText(value);
  else if (name === 'analyzer') draft.analyzer = readText(value);
  else if (name === 'size') draft.size = readSize(value);
  else if (name === 'shard_size') draft.shard_size = bounded(readInt(value), 'shard_size');
  else return false;
  return true;
}

export function readSize(value: Place): number {
  const size = readInt(value);
  if (size <= 0) throw illegalArgument('size must be positive');
  return bounded(size, 'size');
}

function bounded(size: number, name: string): number {
  if (size < 0) throw illegalArgument(`${name} must be positive`);
  if (size <= SIZE_MAX) return size;
  throw illegalArgument(`[${name}] of a suggestion must be at most [${SIZE_MAX}] but was [${size}]`);
}

export interface Common {
  readonly field: string;
  readonly analyzer?: string;
  readonly size: number;
  readonly shardSize: number;
}

export function commonOf(draft: CommonDraft): Common {
  const { field, analyzer, size = SIZE_DEFAULT, shard_size: shardSize } = draft;
  if (field === undefined) throw new QuarryError('parse_exception', 'the required field option [field] is missing');
  if (field === '') throw illegalArgument('suggestion field name is empty');
  return {
    ...{ field, size, shardSize: shardSize ?? Math.max(size, SHARD_SIZE_LEAST) },
    ...(analyzer === undefined ? {} : { analyzer }),
  };
}

export type SpellDraft = { -readonly [Name in keyof SpellPlan]?: SpellPlan[Name] };

const DEFAULT_SPELL: SpellPlan = {
  suggest_mode: 'missing',
  accuracy: 0.5,
  sort: 'score',
  string_distance: 'internal',
  max_edits: 2,
  max_inspections: 5,
  max_term_freq: 0.01,
  prefix_length: 1,
  min_word_length: 4,
  min_doc_freq: 0,
};

export function spellOf(draft: SpellDraft): SpellPlan {
  return { ...DEFAULT_SPELL, ...draft };
}

const MODES = ['missing', 'popular', 'always'] as const;
const SORTS = ['score', 'frequency'] as const;
const DISTANCES = ['internal', 'damerau_levenshtein', 'levenshtein', 'jaro_winkler', 'ngram'] as const;

function oneOf<Word extends string>(value: Place, words: readonly Word[], what: string): Word {
  const given = readText(value);
  const word = words.find((candidate) => candidate === given.toLowerCase());
  if (word === undefined) throw illegalArgument(`Illegal ${what} ${given}`);
  return word;
}

function atLeast(number: number, least: number, reason: string): number {
  if (number < least) throw illegalArgument(reason);
  return number;
}

/** A share up to 1, or a whole number. */
function frequency(value: Place, name: string): number {
  const number = atLeast(readNumber(value), 0, `${name} must be positive`);
  if (number <= 1 || Number.isInteger(number)) return number;
  throw illegalArgument(`if ${name} is greater than 1, it must not be a fraction`);
}

const SPELL_OPTIONS: Readonly<Record<string, (draft: SpellDraft, value: Place) => void>> = {
  suggest_mode: (draft, value) => {
    draft.suggest_mode = oneOf(value, MODES, 'suggest mode');
  },
  accuracy: (draft, value) => {
    const accuracy = readNumber(value);
    if (accuracy < 0 || accuracy > 1) throw illegalArgument('accuracy must be between 0 and 1');
    draft.accuracy = accuracy;
  },
  sort: (draft, value) => {
    draft.sort = oneOf(value, SORTS, 'sort');
  },
  string_distance: (draft, value) => {
    draft.string_distance = oneOf(value, DISTANCES, 'distance option');
  },
  max_edits: (draft, value) => {
    const edits = readInt(value);
    if (edits < 1 || edits > 2) throw illegalArgument('maxEdits must be between 1 and 2');
    draft.max_edits = edits;
  },
  max_inspections: (draft, value) => {
    draft.max_inspections = atLeast(readInt(value), 0, 'maxInspections must be positive');
  },
  max_term_freq: (draft, value) => {
    draft.max_term_freq = frequency(value, 'maxTermFreq');
  },
  prefix_length: (draft, value) => {
    draft.prefix_length = atLeast(readInt(value), 0, 'prefixLength must be positive');
  },
  min_word_length: (draft, value) => {
    draft.min_word_length = atLeast(readInt(value), 1, 'minWordLength must be greater or equal to 1');
  },
  min_doc_freq: (draft, value) => {
    draft.min_doc_freq = frequency(value, 'minDocFreq');
  },
};

/** True: the option is one of those that say which terms are near enough. */
export function readSpell(draft: SpellDraft, name: string, value: Place): boolean {
  const read = Object.hasOwn(SPELL_OPTIONS, name) ? SPELL_OPTIONS[name] : undefined;
  read?.(draft, value);
  return read !== undefined;
}

/** The text that words are taken from. */
export function textOf({ text, prefix, regex }: SuggestTexts): string {
  const found = text ?? prefix ?? regex;
  if (found === undefined) throw illegalArgument('The required text option is missing');
  return found;
}
