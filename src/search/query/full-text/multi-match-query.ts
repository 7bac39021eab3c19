/** `multi_match`: analysed text against several fields. */
import { QuarryError } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readNumber, readVerbatim, readText } from '../../body/read.js';
import type { MultiMatchPlan, MultiMatchType } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from '../query-parser.js';
import { FuzzyDraft, readCount, readMinimumShouldMatch, readOperator, readZeroTerms } from './text-options.js';
import { defaultFields, readWeightedFields } from './weighted-fields.js';

const NAME = 'multi_match';

const TYPES: readonly MultiMatchType[] = [
  'best_fields',
  'most_fields',
  'cross_fields',
  'phrase',
  'phrase_prefix',
  'bool_prefix',
];

export function readMultiMatchType(place: Place): MultiMatchType {
  const text = readText(place);
  const type = TYPES.find((known) => known === text.toLowerCase());
  if (type !== undefined) return type;
  throw new QuarryError('parse_exception', `failed to parse [${NAME}] query type [${text}]. unknown type.`);
}

/** Options that a type of the query has no use for. */
function checkType(place: Place, type: MultiMatchType, isFuzzy: boolean, hasSlop: boolean): void {
  if (isFuzzy && (type === 'cross_fields' || type === 'phrase' || type === 'phrase_prefix')) {
    throw place.error(`Fuzziness not allowed for type [${type}]`);
  }
  if (hasSlop && type === 'bool_prefix') throw place.error(`[slop] not allowed for type [${type}]`);
}

/** Common terms need no cutoff: windows without candidates are skipped anyhow. */
function refuseCutoff(place: Place, type: MultiMatchType | undefined): Error {
  if (type === 'bool_prefix') return place.error(`[cutoff_frequency] not allowed for type [${type}]`);
  return place.error(`[${NAME}] query does not support [cutoff_frequency]`);
}

export const multiMatchQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<MultiMatchPlan> = {};
    const common = new CommonOptions(NAME);
    const fuzzy = new FuzzyDraft(NAME);
    let cutoff: Place | undefined;
    readOptions(place, NAME, {
      ...common.readers,
      ...fuzzy.readers,
      query: (value) => void (draft.query = readVerbatim(value)),
      fields: (value) => void (draft.fields = readWeightedFields(value, NAME)),
      type: (value) => void (draft.type = readMultiMatchType(value)),
      tie_breaker: (value) => void (draft.tie_breaker = readNumber(value)),
      operator: (value) => void (draft.operator = readOperator(value)),
      minimum_should_match: (value) => void (draft.minimum_should_match = readMinimumShouldMatch(value)),
      analyzer: (value) => void (draft.analyzer = readText(value)),
      lenient: (value) => void (draft.lenient = readBoolean(value)),
      zero_terms_query: (value) => void (draft.zero_terms = readZeroTerms(value)),
      slop: (value) => void (draft.slop = readCount(value, 0, 'No negative slop allowed.')),
      cutoff_frequency: (value) => void (cutoff = value),
      auto_generate_synonyms_phrase_query: (value) => void (draft.synonym_phrases = readBoolean(value)),
    });
    const { query } = draft;
    if (query === undefined || query === null) throw place.error('No text specified for multi_match query');
    if (cutoff !== undefined) throw refuseCutoff(cutoff, draft.type);
    checkType(place, draft.type ?? 'best_fields', fuzzy.isFuzzy, draft.slop !== undefined && draft.slop > 0);
    if (draft.fields === undefined || draft.fields.length === 0) {
      const { fields, isAll } = defaultFields(context.settings);
      draft.fields = fields;
      if (isAll) draft.lenient ??= true;
    }
    const { fields } = draft;
    if (fields.some(({ field }) => field === '*')) draft.lenient ??= true;
    const plan = { ...draft, query, fields, ...fuzzy.plan, ...fuzzy.maxExpansions, ...common.boosted };
    return common.named({ multi_match: plan });
  },
};
