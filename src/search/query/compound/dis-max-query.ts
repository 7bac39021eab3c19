/** `dis_max`: the best of several queries. */
import type { Place } from '../../body/place.js';
import { readNumber } from '../../body/read.js';
import type { DisMaxPlan } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from '../query-parser.js';

const NAME = 'dis_max';

export const disMaxQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<DisMaxPlan> = {};
    const common = new CommonOptions(NAME);
    readOptions(place, NAME, {
      ...common.readers,
      queries: (value) => void (draft.queries = value.items().map((query) => context.parseQuery(query))),
      tie_breaker: (value) => void (draft.tie_breaker = readTieBreaker(value)),
    });
    const { queries } = draft;
    if (queries === undefined || queries.length === 0) {
      throw place.error(`[${NAME}] requires 'queries' field with at least one clause`);
    }
    return common.named({ dis_max: { ...draft, queries, ...common.boosted } });
  },
};

function readTieBreaker(place: Place): number {
  const multiplier = readNumber(place);
  if (multiplier >= 0 && multiplier <= 1) return multiplier;
  throw place.error('[tie_breaker]: tieBreakerMultiplier must be in [0, 1]', 'illegal_argument_exception');
}
