/** What a table of generators is: the body of an aggregation by the name of its type. */
import type { Chance } from '../chance.js';
import type { JsonObject } from '../../json.js';

export type AggregationKinds = Readonly<Record<string, (chance: Chance) => JsonObject>>;
