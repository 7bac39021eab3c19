/** A random query of any type: those made of others as long as levels are left. */
import type { Chance } from '../chance.js';
import type { JsonObject } from '../../json.js';
import { compoundQueries } from './compound.js';
import { geoQueries } from './geo.js';
import type { QueryKinds } from './kind.js';
import { positionalQueries } from './positional.js';
import { termQueries } from './terms.js';
import { textQueries } from './text.js';

const LEAVES: QueryKinds = { ...termQueries, ...textQueries, ...positionalQueries, ...geoQueries };
/** Queries that both servers answer alike whatever is around them, so that most combinations tell something. */
const FREQUENT = ['term', 'match', 'range', 'terms', 'match_all', 'prefix', 'exists', 'match_phrase'] as const;

/** The names of all types. */
export const QUERY_NAMES: readonly string[] = [...Object.keys(LEAVES), ...Object.keys(compoundQueries(randomQuery, 0))];

export function randomQuery(chance: Chance, depth: number): JsonObject {
  if (depth <= 0) return queryOf(chance.yes(0.5) ? chance.pick(FREQUENT) : chance.pick(Object.keys(LEAVES)), chance, 0);
  return queryOf(chance.yes(0.3) ? 'bool' : chance.pick(QUERY_NAMES), chance, depth);
}

/** A query of that type. */
export function queryOf(name: string, chance: Chance, depth: number): JsonObject {
  const make = LEAVES[name] ?? compoundQueries(randomQuery, depth - 1)[name];
  if (make === undefined) throw new Error(`no query ${name}`);
  return { [name]: make(chance) };
}
