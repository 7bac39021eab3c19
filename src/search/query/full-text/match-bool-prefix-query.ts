/** `match_bool_prefix`: a `bool` of terms, the last one as a prefix. */
import { readVerbatim, readText } from '../../body/read.js';
import type { MatchPlan } from '../../plan/query-plan.js';
import { CommonOptions, fieldOf, readScalarOptions, type Draft, type QueryParser } from '../query-parser.js';
import { FuzzyDraft, readMinimumShouldMatch, readOperator } from './text-options.js';

const NAME = 'match_bool_prefix';

export const matchBoolPrefixQuery: QueryParser = {
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
      });
    }
    const { query } = draft;
    if (query === undefined || query === null) throw body.error('No text specified for text query');
    const plan = { ...draft, field, query, ...fuzzy.plan, ...fuzzy.maxExpansions, ...common.boosted };
    return common.named({ match_bool_prefix: plan });
  },
};
