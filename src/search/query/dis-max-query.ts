/** `dis_max`: the best of several queries. */
import { readNumber } from '../body/read.js';
import type { DisMaxPlan } from '../plan/query-plan.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from './query-parser.js';

const NAME = 'dis_max';

export const disMaxQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<DisMaxPlan> = {};
    const common = new CommonOptions(NAME);
    readOptions(place, NAME, {
      ...common.readers,
      queries: (value) => void (draft.queries = value.items().map((query) => context.parseQuery(query))),
      tie_breaker: (value) => void (draft.tie_breaker = readNumber(value)),
    });
    const { queries } = draft;
    if (queries === undefined || queries.length === 0) {
      throw place.error(`[${NAME}] requires 'queries' field with at least one clause`);
    }
    return common.named({ dis_max: { ...draft, queries, ...common.boosted } });
  },
};
