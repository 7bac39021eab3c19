/** Random queries of analysed text. */
import type { Chance, Option } from '../chance.js';
import { TEXTS, tag, word, words } from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import type { QueryKinds } from './kind.js';

export const textField = (chance: Chance): string => chance.pick(TEXTS);

export const minimumShouldMatch = (chance: Chance): Json =>
  chance.pick<Json>([1, 2, '1', '-1', '50%', '-25%', '75%', '2<75%', '1<-1 3<50%', 0]);
export const fuzziness = (chance: Chance): Json => chance.pick<Json>(['AUTO', 0, 1, 2, '1', 'AUTO:2,5', 'auto']);
export const boost = (chance: Chance): number => chance.pick([0, 0.5, 1, 1.5, 2, 10]);

export const named: (chance: Chance) => Readonly<Record<string, Option>> = (chance) => ({
  boost: [0.15, () => boost(chance)],
  _name: [0.03, () => chance.pick(['first', 'second'])],
});

const fuzzyOptions = (chance: Chance): Readonly<Record<string, Option>> => ({
  fuzziness: [0.25, () => fuzziness(chance)],
  prefix_length: [0.1, () => chance.between(0, 3)],
  max_expansions: [0.1, () => chance.between(1, 30)],
  fuzzy_transpositions: [0.05, () => chance.yes(0.5)],
});

const analysis = (chance: Chance): Readonly<Record<string, Option>> => ({
  analyzer: [0.08, () => chance.pick(['standard', 'english', 'whitespace', 'keyword', 'simple', 'stop'])],
});

const lenient = (chance: Chance): Readonly<Record<string, Option>> => ({ lenient: [0.1, () => chance.yes(0.7)] });
const operator = (chance: Chance): Json => chance.pick(['and', 'or', 'AND', 'OR']);
const zeroTerms = (chance: Chance): Json => chance.pick(['none', 'all']);

/** A text, some of which has words that are in no document. */
function searched(chance: Chance): string {
  if (chance.yes(0.04)) return chance.pick(['', 'the', '!!!', 'nowhere', 'Ämber']);
  return words(chance, 1, 5);
}

function onField(chance: Chance, query: string, options: JsonObject): JsonObject {
  const field = chance.yes(0.1) ? chance.pick(['tags', 'colour', 'absent', 'typing', 'kind']) : textField(chance);
  if (Object.keys(options).length === 0 && chance.yes(0.4)) return { [field]: query };
  return { [field]: { query, ...options } };
}

function fieldsWithBoosts(chance: Chance): string[] {
  const known = [...TEXTS, 'tags', 'typing', 'colour', 'ti*', 'note', 'comments.text', 'absent'];
  return chance.some(known, 4).map((name) => (chance.yes(0.3) ? `${name}^${chance.pick([0.5, 2, 3])}` : name));
}

function multiMatch(chance: Chance): JsonObject {
  const type = chance.pick(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix']);
  const isFuzzy = type === 'best_fields' || type === 'most_fields' || type === 'bool_prefix';
  return {
    query: searched(chance),
    fields: fieldsWithBoosts(chance),
    ...(chance.yes(0.8) ? { type } : {}),
    ...chance.options({
      ...(isFuzzy ? fuzzyOptions(chance) : {}),
      ...analysis(chance),
      ...lenient(chance),
      ...named(chance),
      ...(type.startsWith('phrase') ? { slop: [0.3, () => chance.between(0, 4)] as const } : {}),
      tie_breaker: [0.3, () => chance.pick([0, 0.3, 0.7, 1])],
      operator: [0.3, () => operator(chance)],
      minimum_should_match: [0.15, () => minimumShouldMatch(chance)],
      zero_terms_query: [0.05, () => zeroTerms(chance)],
      auto_generate_synonyms_phrase_query: [0.05, () => chance.yes(0.5)],
    }),
  };
}

const queryStringPieces: readonly ((chance: Chance) => string)[] = [
  (chance) => word(chance),
  (chance) => `"${words(chance, 2, 3)}"`,
  (chance) => `"${words(chance, 2, 3)}"~${chance.between(1, 3)}`,
  (chance) => `+${word(chance)}`,
  (chance) => `-${word(chance)}`,
  (chance) => `NOT ${word(chance)}`,
  (chance) => `${word(chance)} AND ${word(chance)}`,
  (chance) => `${word(chance)} OR ${word(chance)}`,
  (chance) => `${word(chance)} && !${word(chance)}`,
  (chance) => `(${words(chance, 1, 3)})^${chance.pick([2, 0.5])}`,
  (chance) => `(+${word(chance)} ${word(chance)} -${word(chance)})`,
  (chance) => `${word(chance)}~`,
  (chance) => `${word(chance)}~1`,
  (chance) => `${word(chance).slice(0, 3)}*`,
  (chance) => `*${word(chance).slice(-3)}`,
  (chance) => `${word(chance).slice(0, 1)}?${word(chance).slice(2)}`,
  (chance) => `/${word(chance).slice(0, 2)}.*[a-m]/`,
  (chance) => `tags:${tag(chance)}`,
  (chance) => `title:(${words(chance, 1, 3)})`,
  (chance) => `note:"${words(chance, 2, 2)}"`,
  (chance) => `whole:[${chance.between(-500, 0)} TO ${chance.between(0, 500)}]`,
  (chance) => `single:{${chance.between(-50, 0)} TO *}`,
  (chance) => `tiny:>=${chance.between(-10, 10)}`,
  (chance) => `small:<${chance.between(10, 300)}`,
  (chance) => `day:[2024-01-01 TO 2024-${String(chance.between(2, 12)).padStart(2, '0')}-15]`,
  (chance) => `_exists_:${chance.pick(['tags', 'whole', 'title', 'absent', 'comments'])}`,
  (chance) => `flag:${chance.pick(['true', 'false'])}`,
  (chance) => `t\\*:${word(chance)}`,
  (chance) => `address:"10.0.0.0/${chance.between(12, 28)}"`,
  () => '*:*',
];

function queryString(chance: Chance): JsonObject {
  const pieces = chance.times(1, 3, () => chance.pick(queryStringPieces)(chance));
  const target: JsonObject = chance.one<JsonObject>(
    () => ({ fields: fieldsWithBoosts(chance) }),
    () => ({ default_field: textField(chance) }),
  );
  return {
    query: pieces.join(' '),
    ...target,
    ...chance.options({
      ...named(chance),
      ...analysis(chance),
      lenient: [0.7, () => true],
      default_operator: [0.3, () => operator(chance)],
      allow_leading_wildcard: [0.05, () => chance.yes(0.8)],
      analyze_wildcard: [0.05, () => chance.yes(0.5)],
      phrase_slop: [0.1, () => chance.between(0, 3)],
      fuzziness: [0.1, () => fuzziness(chance)],
      fuzzy_prefix_length: [0.05, () => chance.between(0, 2)],
      minimum_should_match: [0.1, () => minimumShouldMatch(chance)],
      type: [0.15, () => chance.pick(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'bool_prefix'])],
      tie_breaker: [0.1, () => chance.pick([0, 0.4])],
      quote_field_suffix: [0.03, () => '.english'],
      rewrite: [0.05, () => chance.pick(['constant_score', 'scoring_boolean', 'top_terms_10'])],
    }),
  };
}

const simplePieces: readonly ((chance: Chance) => string)[] = [
  (chance) => word(chance),
  (chance) => `"${words(chance, 2, 3)}"`,
  (chance) => `"${words(chance, 2, 3)}"~${chance.between(1, 3)}`,
  (chance) => `+${word(chance)}`,
  (chance) => `-${word(chance)}`,
  (chance) => `${word(chance)} | ${word(chance)}`,
  (chance) => `(${word(chance)} + ${word(chance)})`,
  (chance) => `${word(chance).slice(0, 3)}*`,
  (chance) => `${word(chance)}~${chance.between(1, 2)}`,
];

function simpleQueryString(chance: Chance): JsonObject {
  return {
    query: chance.times(1, 4, () => chance.pick(simplePieces)(chance)).join(' '),
    fields: fieldsWithBoosts(chance),
    ...chance.options({
      ...named(chance),
      ...analysis(chance),
      lenient: [0.7, () => true],
      default_operator: [0.3, () => operator(chance)],
      flags: [0.15, () => chance.pick(['ALL', 'NONE', 'AND|OR|PREFIX', 'NOT|PHRASE', 'FUZZY|SLOP|WHITESPACE'])],
      minimum_should_match: [0.1, () => minimumShouldMatch(chance)],
      analyze_wildcard: [0.05, () => chance.yes(0.5)],
      fuzzy_max_expansions: [0.05, () => chance.between(1, 20)],
      fuzzy_prefix_length: [0.05, () => chance.between(0, 2)],
      fuzzy_transpositions: [0.05, () => chance.yes(0.5)],
    }),
  };
}

function moreLikeThis(chance: Chance): JsonObject {
  const like = chance.times<Json>(1, 2, () =>
    chance.one<Json>(
      () => words(chance, 2, 12),
      () => ({ _id: `d${chance.below(100)}`, routing: 'one' }),
    ),
  );
  return {
    fields: chance.some(['title', 'body', 'note', 'tags'], 3),
    like,
    min_term_freq: chance.between(1, 2),
    min_doc_freq: chance.between(1, 6),
    ...chance.options({
      ...named(chance),
      unlike: [0.1, () => words(chance, 1, 4)],
      max_query_terms: [0.3, () => chance.between(1, 8)],
      max_doc_freq: [0.1, () => chance.between(20, 100)],
      min_word_length: [0.1, () => chance.between(1, 6)],
      max_word_length: [0.05, () => chance.between(5, 9)],
      stop_words: [0.1, () => ['the', 'of']],
      boost_terms: [0.1, () => chance.pick([1, 2])],
      include: [0.1, () => chance.yes(0.5)],
      minimum_should_match: [0.3, () => minimumShouldMatch(chance)],
    }),
  };
}

export const textQueries: QueryKinds = {
  match: (chance) =>
    onField(
      chance,
      searched(chance),
      chance.options({
        ...fuzzyOptions(chance),
        ...analysis(chance),
        ...lenient(chance),
        ...named(chance),
        operator: [0.25, () => operator(chance)],
        minimum_should_match: [0.15, () => minimumShouldMatch(chance)],
        zero_terms_query: [0.05, () => zeroTerms(chance)],
      }),
    ),
  match_phrase: (chance) =>
    onField(
      chance,
      searched(chance),
      chance.options({ ...analysis(chance), ...named(chance), slop: [0.4, () => chance.between(0, 5)] }),
    ),
  match_phrase_prefix: (chance) => {
    const text = words(chance, 1, 3);
    const options = chance.options({
      ...named(chance),
      slop: [0.3, () => chance.between(0, 4)],
      max_expansions: [0.2, () => chance.between(1, 20)],
    });
    return onField(chance, text.slice(0, text.length - chance.between(0, 2)), options);
  },
  match_bool_prefix: (chance) =>
    onField(
      chance,
      words(chance, 1, 4),
      chance.options({
        ...fuzzyOptions(chance),
        ...named(chance),
        operator: [0.3, () => operator(chance)],
        minimum_should_match: [0.15, () => minimumShouldMatch(chance)],
      }),
    ),
  multi_match: multiMatch,
  combined_fields: (chance) => ({
    query: searched(chance),
    fields: chance.some(['title', 'body', 'note'], 3).map((name) => (chance.yes(0.3) ? `${name}^2` : name)),
    ...chance.options({
      ...named(chance),
      operator: [0.3, () => operator(chance)],
      minimum_should_match: [0.2, () => minimumShouldMatch(chance)],
    }),
  }),
  query_string: queryString,
  simple_query_string: simpleQueryString,
  more_like_this: moreLikeThis,
};
