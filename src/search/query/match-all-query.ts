/** `match_all` and `match_none`. */
import type { QueryPlan } from '../plan/query-plan.js';
import { CommonOptions, type QueryParser } from './query-parser.js';
import type { Place } from '../body/place.js';

function parse(place: Place, name: 'match_all' | 'match_none'): QueryPlan {
  const common = new CommonOptions(name);
  const readers = common.readers;
  for (const [option, value] of place.members()) {
    const read = Object.hasOwn(readers, option) ? readers[option] : undefined;
    if (read === undefined) throw value.errorWithPlace(`[${name}] unknown field [${option}]`, 'parsing_exception');
    read(value);
  }
  return common.named(name === 'match_all' ? { match_all: common.boosted } : { match_none: common.boosted });
}

export const matchAllQuery: QueryParser = { name: 'match_all', parse: (place) => parse(place, 'match_all') };
export const matchNoneQuery: QueryParser = { name: 'match_none', parse: (place) => parse(place, 'match_none') };
