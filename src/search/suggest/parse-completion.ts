/** The suggester `completion`. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt } from '../body/read.js';
import { checkRegexLength, readRegexFlags, readStates } from '../query/term-level/regexp-query.js';
import { readFuzziness } from '../query/full-text/text-options.js';
import type { SearchSettings } from '../settings.js';
import { commonOf, readCommon, textOf, type CommonDraft, type SuggestTexts } from './suggest-options.js';
import type { CompletionPlan, Suggestion, WantedPlan } from './suggest-plan.js';

/** Length of a text of which nothing is known. */
const UNKNOWN_LENGTH = 5;
const STATES_DEFAULT = 10_000;

type Fuzzy = Omit<Extract<WantedPlan, { fuzzy: unknown }>['fuzzy'], 'text'>;
type Regex = Omit<Extract<WantedPlan, { regex: unknown }>['regex'], 'pattern'>;

interface CompletionDraft extends CommonDraft {
  fuzzy?: Fuzzy;
  regex?: Regex;
  contexts?: JsonObject;
  skip_duplicates?: boolean;
}

const OPTIONS: Readonly<Record<string, (draft: CompletionDraft, value: Place) => void>> = {
  fuzzy: (draft, value) => {
    if (value.isObject) draft.fuzzy = readFuzzy(value);
    else if (readBoolean(value)) draft.fuzzy = DEFAULT_FUZZY;
  },
  regex: (draft, value) => {
    draft.regex = readRegex(value);
  },
  contexts: readContexts,
  context: readContexts,
  skip_duplicates: (draft, value) => {
    draft.skip_duplicates = readBoolean(value);
  },
};

function readContexts(draft: CompletionDraft, value: Place): void {
  if (!value.isObject)
    throw value.errorWithPlace(`[completion] contexts doesn't support values of type: ${value.token}`);
  draft.contexts = value.value as JsonObject;
}

export function parseCompletion(name: string, place: Place, texts: SuggestTexts, settings: SearchSettings): Suggestion {
  const draft: CompletionDraft = {};
  for (const [option, value] of place.members()) {
    if (readCommon(draft, option, value)) continue;
    const read = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
    if (read === undefined) throw value.errorWithPlace(`[completion] unknown field [${option}]`);
    read(draft, value);
  }
  const { field, analyzer, size, shardSize } = commonOf(draft);
  const plan: CompletionPlan = {
    text: textOf(texts),
    field,
    ...(analyzer === undefined ? {} : { analyzer }),
    ...{ size, shard_size: shardSize },
    skip_duplicates: draft.skip_duplicates ?? false,
    wanted: wantedOf(texts, draft, settings),
    ...(draft.contexts === undefined ? {} : { contexts: draft.contexts }),
  };
  return { name, plan: { completion: plan }, size };
}

function wantedOf(texts: SuggestTexts, { fuzzy, regex }: CompletionDraft, settings: SearchSettings): WantedPlan {
  const text = texts.prefix ?? texts.text;
  if (texts.regex !== undefined && text === undefined) {
    if (fuzzy !== undefined) throw illegalArgument("can not use 'fuzzy' options with 'regex");
    checkRegexLength(texts.regex, settings);
    const options = regex ?? { flags: [], max_determinized_states: STATES_DEFAULT };
    return { regex: { pattern: texts.regex, ...options } };
  }
  if (text === undefined) throw illegalArgument("'prefix/text' or 'regex' must be defined");
  return fuzzy === undefined ? { prefix: { text } } : { fuzzy: { text, ...fuzzy } };
}

const DEFAULT_FUZZY: Fuzzy = {
  edits: 1,
  transpositions: true,
  min_length: 3,
  prefix_length: 1,
  unicode_aware: false,
};

function readFuzzy(place: Place): Fuzzy {
  const fuzzy: { -readonly [Name in keyof Fuzzy]: Fuzzy[Name] } = { ...DEFAULT_FUZZY };
  for (const [option, value] of place.members()) {
    if (option === 'fuzziness') fuzzy.edits = editsOf(value);
    else if (option === 'transpositions') fuzzy.transpositions = readBoolean(value);
    else if (option === 'min_length') fuzzy.min_length = notNegative(value, 'fuzzyMinLength');
    else if (option === 'prefix_length') fuzzy.prefix_length = notNegative(value, 'fuzzyPrefixLength');
    else if (option === 'unicode_aware') fuzzy.unicode_aware = readBoolean(value);
    // Texts are compared without an automaton, so there are no states of one.
    else if (option === 'max_determinized_states') readStates(value);
    else throw value.errorWithPlace(`[fuzzy] unknown field [${option}]`);
  }
  return fuzzy;
}

function editsOf(value: Place): number {
  const fuzziness = readFuzziness(value);
  if ('edits' in fuzziness) return fuzziness.edits;
  const { low, high } = fuzziness.auto;
  if (UNKNOWN_LENGTH < low) return 0;
  return UNKNOWN_LENGTH < high ? 1 : 2;
}

function notNegative(value: Place, name: string): number {
  const number = readInt(value);
  if (number < 0) throw illegalArgument(`${name} must not be negative`);
  return number;
}

function readRegex(place: Place): Regex {
  if (!place.isObject) throw place.errorWithPlace(`[completion] regex doesn't support values of type: ${place.token}`);
  const regex: { -readonly [Name in keyof Regex]: Regex[Name] } = {
    flags: [],
    max_determinized_states: STATES_DEFAULT,
  };
  for (const [option, value] of place.members()) {
    if (option === 'flags') regex.flags = readRegexFlags(value);
    else if (option === 'max_determinized_states') regex.max_determinized_states = readStates(value);
    else if (option !== 'flags_value') throw value.errorWithPlace(`[regexp] unknown field [${option}]`);
  }
  return regex;
}
