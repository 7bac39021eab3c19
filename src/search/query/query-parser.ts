/**
 * The contract of every query type: one file each, listed in `query-parsers.ts`.
 *
 * A parser gets the value that follows the query's name, which is an object (checked before). It returns the plan, with
 * every name, type and limit checked that does not need a mapping, or throws with the API's error type and sentence and the
 * place in the body. It adds `_name` through {@link withCommon}, so that no query forgets it.
 */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readNumber, readText } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { SearchSettings } from '../settings.js';

/** Parses a query that stands somewhere in a request. */
export type ParseQuery = (place: Place) => QueryPlan;

export interface QueryContext {
  readonly settings: SearchSettings;
  /** Parses a query inside this one; counts nesting. */
  readonly parseQuery: ParseQuery;
  /** What holds one level further down, where something nests that is no query of its own; counts nesting. */
  enter(): QueryContext;
}

export interface QueryParser {
  readonly name: string;
  parse(place: Place, context: QueryContext): QueryPlan;
}

/** A plan under construction. */
export type Draft<T> = { -readonly [Member in keyof T]?: T[Member] };

/** What an option's value is handed to. */
export type OptionReaders = Readonly<Record<string, (value: Place) => void>>;

/** `boost` and `_name`, which every query takes. */
export class CommonOptions {
  boost: number | undefined;
  name: string | undefined;
  readonly #query: string;

  constructor(query: string) {
    this.#query = query;
  }

  get readers(): OptionReaders {
    return {
      boost: (value) => {
        this.boost = readBoost(value, this.#query);
      },
      _name: (value) => {
        this.name = readText(value);
      },
    };
  }

  /** The member `boost` of a plan, where it says anything. */
  get boosted(): { readonly boost?: number } {
    return this.boost === undefined ? {} : { boost: this.boost };
  }

  named(plan: QueryPlan): QueryPlan {
    return this.name === undefined ? plan : { named: { name: this.name, query: plan } };
  }
}

function readBoost(value: Place, query: string): number {
  const boost = readNumber(value);
  if (boost >= 0) return boost;
  throw illegalArgument(
    `negative [boost] are not allowed in [${query}], use a value between 0 and 1 to deboost, got [${boost}]`,
  );
}

/** Reads the members of `body`; an unknown one is refused by name. */
export function readOptions(body: Place, query: string, readers: OptionReaders): void {
  for (const [name, value] of body.members()) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw unsupported(value, query, name);
    read(value);
  }
}

/** As {@link readOptions} where every option is a scalar. */
export function readScalarOptions(body: Place, query: string, readers: OptionReaders): void {
  for (const [name, value] of body.members()) {
    if (!value.isScalar) throw value.error(`[${query}] unknown token [${value.token}] after [${name}]`);
  }
  readOptions(body, query, readers);
}

/** The field of `{"field": {..}, "option": ..}`: the one member of `place` that is no option. Undefined where there is none. */
export function fieldBesideOptions(
  place: Place,
  query: string,
  readers: OptionReaders,
): { readonly field: string; readonly body: Place } | undefined {
  let found: { readonly field: string; readonly body: Place } | undefined;
  for (const [name, value] of place.members()) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read !== undefined) {
      read(value);
      continue;
    }
    if (!value.isObject) throw unsupported(value, query, name);
    if (found !== undefined) throw severalFields(value, query, found.field, name);
    found = { field: name, body: value };
  }
  return found;
}

function severalFields(place: Place, query: string, first: string, second: string): Error {
  return place.error(`[${query}] query doesn't support multiple fields, found [${first}] and [${second}]`);
}

function unsupported(value: Place, query: string, option: string): Error {
  return value.error(`[${query}] query does not support [${option}]`);
}

/** The one field of `{"field": ..}`, and what stands there. */
export function fieldOf(place: Place, query: string): { readonly field: string; readonly body: Place } {
  const [first, second] = place.members();
  if (first === undefined) throw illegalArgument('field name is null or empty');
  if (second !== undefined) throw severalFields(second[1], query, first[0], second[0]);
  if (first[0] === '') throw illegalArgument('field name is null or empty');
  return { field: first[0], body: first[1] };
}
