/** `match`: analysed text against one field. */
import { readBoolean, readVerbatim, readText } from '../../body/read.js';
import type { MatchPlan } from '../../plan/query-plan.js';
import { CommonOptions, fieldOf, readScalarOptions, type Draft, type QueryParser } from '../query-parser.js';
import { FuzzyDraft, readMinimumShouldMatch, readOperator, readZeroTerms } from './text-options.js';

const NAME = 'match';

export const matchQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const { field, body } = fieldOf(place, NAME);
    const draft: Draft<MatchPlan> = {};
    const common = new CommonOptions(NAME);
    const fuzzy = new FuzzyDraft(NAME);
    if (!body.isObject) draft.query = readVerbatim(body);
    else {
      readScalarOptions(body, NAME, {
        ...common.readers,
        ...fuzzy.readers,
        query: (value) => void (draft.query = readVerbatim(value)),
        operator: (value) => void (draft.operator = readOperator(value)),
        minimum_should_match: (value) => void (draft.minimum_should_match = readMinimumShouldMatch(value)),
        analyzer: (value) => void (draft.analyzer = readText(value)),
        lenient: (value) => void (draft.lenient = readBoolean(value)),
        zero_terms_query: (value) => void (draft.zero_terms = readZeroTerms(value)),
        auto_generate_synonyms_phrase_query: (value) => void (draft.synonym_phrases = readBoolean(value)),
      });
    }
    const { query } = draft;
    if (query === undefined || query === null) throw body.error('No text specified for text query');
    return common.named({ match: { ...draft, field, query, ...fuzzy.plan, ...common.boosted } });
  },
};
