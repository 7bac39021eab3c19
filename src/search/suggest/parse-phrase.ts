/** The suggester `phrase`. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readNumber, readText } from '../body/read.js';
import { readNamedTemplate, readParams } from '../request/search-template.js';
import {
  commonOf,
  readCommon,
  readSize,
  readSpell,
  spellOf,
  textOf,
  type CommonDraft,
  type SpellDraft,
  type SuggestTexts,
} from './suggest-options.js';
import type { Collate, GeneratorPlan, PhrasePlan, SmoothingPlan, Suggestion } from './suggest-plan.js';

/** Words of a phrase that are corrected: as the kernels have it. */
const TOKEN_LIMIT_MAX = 500;
const GENERATORS_MAX = 16;
const GENERATOR_SIZE = 5;

type PhraseDraft = CommonDraft & {
  -readonly [Name in keyof PhrasePlan]?: PhrasePlan[Name];
} & { collate?: Collate };

const OPTIONS: Readonly<Record<string, (draft: PhraseDraft, value: Place) => void>> = {
  real_word_error_likelihood: (draft, value) => {
    const likelihood = readNumber(value);
    if (likelihood <= 0) throw illegalArgument('real_word_error_likelihood must be > 0.0');
    draft.real_word_error_likelihood = likelihood;
  },
  confidence: (draft, value) => {
    const confidence = readNumber(value);
    if (confidence < 0) throw illegalArgument('confidence must be >= 0.0');
    draft.confidence = confidence;
  },
  max_errors: (draft, value) => {
    const errors = readNumber(value);
    if (errors <= 0) throw illegalArgument('max_error must be > 0.0');
    draft.max_errors = errors;
  },
  separator: (draft, value) => {
    draft.separator = readText(value);
  },
  gram_size: (draft, value) => {
    const size = readInt(value);
    if (size < 1) throw illegalArgument('gramSize must be >= 1');
    draft.gram_size = size;
  },
  force_unigrams: (draft, value) => {
    draft.force_unigrams = readBoolean(value);
  },
  token_limit: (draft, value) => {
    const limit = readInt(value);
    if (limit <= 0) throw illegalArgument('token_limit must be >= 1');
    if (limit > TOKEN_LIMIT_MAX) throw illegalArgument(`[token_limit] must be at most [${TOKEN_LIMIT_MAX}]`);
    draft.token_limit = limit;
  },
  direct_generator: (draft, value) => {
    const generators = value.items().map(readGenerator);
    if (generators.length > GENERATORS_MAX) {
      throw illegalArgument(`[direct_generator] has at most [${GENERATORS_MAX}] generators`);
    }
    draft.generators = generators;
  },
  smoothing: (draft, value) => {
    draft.smoothing = readSmoothing(value);
  },
  highlight: (draft, value) => {
    const tags = readHighlight(value);
    if (tags !== undefined) draft.highlight = tags;
  },
  collate: (draft, value) => {
    draft.collate = readCollate(value);
  },
};

export function parsePhrase(name: string, place: Place, texts: SuggestTexts): Suggestion {
  const draft: PhraseDraft = {};
  for (const [option, value] of place.members()) {
    if (readCommon(draft, option, value)) continue;
    const read = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
    if (read === undefined) throw value.error(`suggester[phrase] doesn't support field [${option}]`);
    read(draft, value);
  }
  const { field, analyzer, size, shardSize } = commonOf(draft);
  const plan: PhrasePlan = {
    text: textOf(texts),
    field,
    ...(analyzer === undefined ? {} : { analyzer }),
    shard_size: shardSize,
    generators: draft.generators ?? [],
    default_spell: spellOf({}),
    smoothing: draft.smoothing ?? { stupid_backoff: { discount: 0.4 } },
    ...(draft.gram_size === undefined ? {} : { gram_size: draft.gram_size }),
    real_word_error_likelihood: draft.real_word_error_likelihood ?? 0.95,
    confidence: draft.confidence ?? 1,
    max_errors: draft.max_errors ?? 1,
    separator: draft.separator ?? ' ',
    force_unigrams: draft.force_unigrams ?? true,
    token_limit: draft.token_limit ?? 10,
    ...(draft.highlight === undefined ? {} : { highlight: draft.highlight }),
  };
  return { name, plan: { phrase: plan }, size, ...(draft.collate === undefined ? {} : { collate: draft.collate }) };
}

function readGenerator(place: Place): GeneratorPlan {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] in [direct_generator] but found [${place.token}]`);
  const spell: SpellDraft = {};
  const own: { field?: string; size?: number; pre_filter?: string; post_filter?: string } = {};
  for (const [option, value] of place.members()) {
    if (readSpell(spell, option, value)) continue;
    if (option === 'field') own.field = readText(value);
    else if (option === 'size') own.size = readSize(value);
    else if (option === 'pre_filter') own.pre_filter = readText(value);
    else if (option === 'post_filter') own.post_filter = readText(value);
    else throw value.errorWithPlace(`[direct_generator] unknown field [${option}]`);
  }
  const { field, size = GENERATOR_SIZE, ...filters } = own;
  if (field === undefined) throw illegalArgument('Required [field]');
  return { field, size, ...filters, spell: spellOf(spell) };
}

function numbersOf(place: Place, defaults: Readonly<Record<string, number>>, model: string): Record<string, number> {
  const numbers: Record<string, number> = { ...defaults };
  for (const [name, value] of place.members()) {
    if (!Object.hasOwn(defaults, name)) throw value.error(`[${model}] unknown field [${name}]`);
    const number = readNumber(value);
    if (number < 0) throw illegalArgument(`${name} must be positive`);
    numbers[name] = number;
  }
  return numbers;
}

/** How far from 1 the sum of the weights may be. */
const LAMBDA_SLACK = 0.001;

function readSmoothing(place: Place): SmoothingPlan {
  const members = place.members();
  const [only] = members;
  if (only === undefined || members.length > 1) throw illegalArgument('only one smoothing model supported');
  const [model, value] = only;
  if (!value.isObject) throw value.error(`[${model}] must be an object but was [${value.token}]`);
  if (model === 'stupid_backoff') {
    const { discount = 0 } = numbersOf(value, { discount: 0.4 }, model);
    if (discount <= 0) throw illegalArgument('discount must be positive');
    return { stupid_backoff: { discount } };
  }
  if (model === 'laplace') {
    const { alpha = 0 } = numbersOf(value, { alpha: 0.5 }, model);
    if (alpha <= 0) throw illegalArgument('alpha must be positive');
    return { laplace: { alpha } };
  }
  if (model !== 'linear_interpolation') throw value.error(`suggester[phrase] doesn't support object field [${model}]`);
  const lambdas = { trigram_lambda: 0, bigram_lambda: 0, unigram_lambda: 0 };
  const { trigram_lambda = 0, bigram_lambda = 0, unigram_lambda = 0 } = numbersOf(value, lambdas, model);
  const sum = trigram_lambda + bigram_lambda + unigram_lambda;
  if (Math.abs(sum - 1) > LAMBDA_SLACK) throw illegalArgument('linear smoothing lambdas must sum to 1');
  return { linear_interpolation: { trigram_lambda, bigram_lambda, unigram_lambda } };
}

function readHighlight(place: Place): readonly [string, string] | undefined {
  const tags: { pre_tag?: string; post_tag?: string } = {};
  for (const [name, value] of place.members()) {
    if (name === 'pre_tag' || name === 'post_tag') tags[name] = readText(value);
    else throw value.error(`suggester[phrase][highlight] doesn't support field [${name}]`);
  }
  const { pre_tag: before, post_tag: after } = tags;
  if (before !== undefined && after !== undefined) return [before, after];
  if (before === after) return undefined;
  throw illegalArgument('Pre and post tag must both be null or both not be null.');
}

function readCollate(place: Place): Collate {
  let template: Collate['template'] | undefined;
  let params: Collate['params'] = {};
  let prune = false;
  for (const [name, value] of place.members()) {
    if (name === 'query') template = readNamedTemplate(value);
    else if (name === 'params') params = readParams(value);
    else if (name === 'prune') prune = readBoolean(value);
    else throw value.error(`suggester[phrase][collate] doesn't support field [${name}]`);
  }
  if (template === undefined) throw illegalArgument('suggester[phrase][collate] needs a [query]');
  return { template, params, prune };
}
