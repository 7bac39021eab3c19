/** What a table of generators is: the body of a query by the name of its type. */
import type { Chance } from '../chance.js';
import type { JsonObject } from '../../json.js';

export type QueryKinds = Readonly<Record<string, (chance: Chance) => JsonObject>>;

/** Makes a whole query, of no more than so many levels. */
export type MakeQuery = (chance: Chance, depth: number) => JsonObject;
