/** `bool`: clauses that must, should or must not match. */
import { readBoolean } from '../../body/read.js';
import type { BoolPlan } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from '../query-parser.js';
import type { Place } from '../../body/place.js';
import { readMinimumShouldMatch } from '../full-text/text-options.js';

const NAME = 'bool';

export const boolQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<BoolPlan> = {};
    const common = new CommonOptions(NAME);
    const clauses = (occur: 'must' | 'filter' | 'should' | 'must_not') => (value: Place) => {
      if (!value.isArray && !value.isObject) throw value.error(`[${NAME}] query does not support [${value.step}]`);
      draft[occur] = [...(draft[occur] ?? []), ...value.items().map((clause) => context.parseQuery(clause))];
    };
    readOptions(place, NAME, {
      ...common.readers,
      must: clauses('must'),
      filter: clauses('filter'),
      should: clauses('should'),
      must_not: clauses('must_not'),
      mustNot: clauses('must_not'),
      minimum_should_match: (value) => void (draft.minimum_should_match = readMinimumShouldMatch(value)),
      adjust_pure_negative: (value) => void (draft.adjust_pure_negative = readBoolean(value)),
    });
    return common.named({ bool: { ...draft, ...common.boosted } });
  },
};
