/** `constant_score`: a filter whose matches all score the boost. */
import type { QueryPlan } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type QueryParser } from '../query-parser.js';

const NAME = 'constant_score';

export const constantScoreQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    let filter: QueryPlan | undefined;
    readOptions(place, NAME, {
      ...common.readers,
      filter: (value) => {
        if (value.isArray) throw value.error(`unexpected token [${value.token}]`);
        filter = context.parseQuery(value);
      },
    });
    if (filter === undefined) throw place.error(`[${NAME}] requires a 'filter' element`);
    return common.named({ constant_score: { filter, ...common.boosted } });
  },
};
