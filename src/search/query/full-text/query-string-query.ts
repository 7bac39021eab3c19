/** `query_string`: Lucene's query syntax. */
import { readBoolean, readNumber, readText } from '../../body/read.js';
import { readTimeZone } from '../../body/time-zone.js';
import type { QueryPlan, WeightedField } from '../../plan/query-plan.js';
import type { SearchSettings } from '../../settings.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from '../query-parser.js';
import { parseQueryString, type QueryStringOptions } from '../query-string/parse.js';
import { checkRegexLength } from '../term-level/regexp-query.js';
import { readMultiMatchType } from './multi-match-query.js';
import { readCount, readFuzziness, readMinimumShouldMatch, readOperator, readRewrite } from './text-options.js';
import { defaultFields, readWeightedFields } from './weighted-fields.js';

const NAME = 'query_string';
const NOT_NEGATIVE = `[${NAME}] requires a number that is not negative`;

/** Defaults of everything that a request may leave out. */
export function queryStringOptions(options: Draft<QueryStringOptions>, settings: SearchSettings): QueryStringOptions {
  const { fields, isAll } = searchedFields(options.fields, settings);
  return {
    ...options,
    fields,
    defaultOperator: options.defaultOperator ?? 'or',
    lenient: options.lenient ?? (isAll || settings.queryStringLenient),
    phraseSlop: options.phraseSlop ?? 0,
    synonymPhrases: options.synonymPhrases ?? true,
    positionIncrements: options.positionIncrements ?? true,
    type: options.type ?? 'best_fields',
    allowLeadingWildcard: options.allowLeadingWildcard ?? true,
    analyzeWildcard: options.analyzeWildcard ?? false,
    fuzziness: options.fuzziness ?? { auto: { low: 3, high: 6 } },
    fuzzyPrefixLength: options.fuzzyPrefixLength ?? 0,
    fuzzyMaxExpansions: options.fuzzyMaxExpansions ?? 50,
    fuzzyTranspositions: options.fuzzyTranspositions ?? true,
    checkRegex: (pattern) => {
      checkRegexLength(pattern, settings);
    },
  };
}

function searchedFields(
  fields: readonly WeightedField[] | undefined,
  settings: SearchSettings,
): { readonly fields: readonly WeightedField[]; readonly isAll: boolean } {
  if (fields === undefined || fields.length === 0) return defaultFields(settings);
  return { fields, isAll: fields.some(({ field }) => field === '*') };
}

export const queryStringQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<QueryStringOptions> = {};
    const common = new CommonOptions(NAME);
    let query: string | undefined;
    const escape = { isOn: false };
    readOptions(place, NAME, {
      ...common.readers,
      query: (value) => void (query = readText(value)),
      fields: (value) => void (draft.fields = readWeightedFields(value, NAME)),
      default_field: (value) => {
        if (value.value !== null) draft.fields = readWeightedFields(value, NAME);
      },
      default_operator: (value) => void (draft.defaultOperator = readOperator(value)),
      analyzer: (value) => void (draft.analyzer = readText(value)),
      quote_analyzer: (value) => void (draft.quoteAnalyzer = readText(value)),
      quote_field_suffix: (value) => void (draft.quoteFieldSuffix = readText(value)),
      lenient: (value) => void (draft.lenient = readBoolean(value)),
      phrase_slop: (value) => void (draft.phraseSlop = readCount(value, 0, NOT_NEGATIVE)),
      minimum_should_match: (value) => void (draft.minimumShouldMatch = readMinimumShouldMatch(value)),
      type: (value) => void (draft.type = readMultiMatchType(value)),
      tie_breaker: (value) => void (draft.tieBreaker = readNumber(value)),
      allow_leading_wildcard: (value) => void (draft.allowLeadingWildcard = readBoolean(value)),
      time_zone: (value) => void (draft.timeZone = readTimeZone(value)),
      rewrite: (value) => void (draft.rewrite = readRewrite(value)),
      fuzzy_rewrite: (value) => void (draft.fuzzyRewrite = readRewrite(value)),
      fuzzy_prefix_length: (value) => void (draft.fuzzyPrefixLength = readCount(value, 0, NOT_NEGATIVE)),
      fuzzy_max_expansions: (value) => void (draft.fuzzyMaxExpansions = readCount(value, 0, NOT_NEGATIVE)),
      fuzzy_transpositions: (value) => void (draft.fuzzyTranspositions = readBoolean(value)),
      fuzziness: (value) => void (draft.fuzziness = readFuzziness(value)),
      analyze_wildcard: (value) => void (draft.analyzeWildcard = readBoolean(value)),
      escape: (value) => void (escape.isOn = readBoolean(value)),
      auto_generate_synonyms_phrase_query: (value) => void (draft.synonymPhrases = readBoolean(value)),
      enable_position_increments: (value) => void (draft.positionIncrements = readBoolean(value)),
      max_determinized_states: (value) => void readNumber(value),
    });
    if (query === undefined) throw place.error(`[${NAME}] must be provided with a [query]`);
    const text = escape.isOn ? escapeAll(query) : query;
    const plan = parseQueryString(text, queryStringOptions(draft, context.settings));
    return common.named(boosted(plan, common.boost));
  },
};

/** Every character that means something to the syntax stands for itself. */
function escapeAll(query: string): string {
  return query.replaceAll(/[\\+\-!():^[\]"{}~*?|&/]/g, '\\$&');
}

function boosted(plan: QueryPlan, boost: number | undefined): QueryPlan {
  return boost === undefined ? plan : { bool: { must: [plan], boost } };
}
