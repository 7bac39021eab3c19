/** `boosting`: matches of one query, those that match another as well pushed down. */
import { readNumber } from '../../body/read.js';
import type { BoostingPlan } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from '../query-parser.js';

const NAME = 'boosting';

export const boostingQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<BoostingPlan> = {};
    const common = new CommonOptions(NAME);
    readOptions(place, NAME, {
      ...common.readers,
      positive: (value) => void (draft.positive = context.parseQuery(value)),
      negative: (value) => void (draft.negative = context.parseQuery(value)),
      negative_boost: (value) => void (draft.negative_boost = readNumber(value)),
    });
    const { positive, negative, negative_boost } = draft;
    if (positive === undefined) throw place.error(`[${NAME}] query requires 'positive' query to be set'`);
    if (negative === undefined) throw place.error(`[${NAME}] query requires 'negative' query to be set'`);
    if (negative_boost === undefined || negative_boost < 0) {
      throw place.error(`[${NAME}] query requires 'negative_boost' to be set to be a positive value'`);
    }
    return common.named({ boosting: { positive, negative, negative_boost, ...common.boosted } });
  },
};
