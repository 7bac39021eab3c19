/** Whether a document matches a query, by the plainest means: for the queries whose meaning needs no analyzer. */
import { at, isArray, isObject, type Json, type JsonObject } from '../json.js';

/** Fields whose values are compared as they were written. */
const KEYWORDS: ReadonlySet<string> = new Set(['tags', 'same', 'colour', 'title.raw', 'inner.word']);
const NUMBERS: ReadonlySet<string> = new Set(['serial', 'tiny', 'small', 'whole', 'inner.number']);

/** The values that a document has in a field; undefined where that is not plain. */
function valuesOf(source: JsonObject, field: string): readonly Json[] | undefined {
  if (!KEYWORDS.has(field) && !NUMBERS.has(field)) return undefined;
  const [first = '', second] = (field === 'same' ? 'tags' : field).split('.');
  const value = second === undefined || second === 'raw' ? source[first] : at(source, first, second);
  const values = isArray(value) ? value : value === undefined ? [] : [value];
  // `colour` says what is written for null.
  return values.flatMap((each) => (each === null ? (field === 'colour' ? ['none'] : []) : [each]));
}

type Matches = (source: JsonObject, body: JsonObject, id: string) => boolean | undefined;

function anyValue(
  source: JsonObject,
  body: JsonObject,
  test: (value: Json, wanted: Json) => boolean | undefined,
): boolean | undefined {
  const fields = Object.entries(body).filter(([name]) => name !== 'boost' && name !== '_name');
  const [[field, wanted] = ['', null]] = fields;
  const values = valuesOf(source, field);
  if (values === undefined || fields.length !== 1) return undefined;
  const results = values.map((value) => test(value, wanted));
  return results.includes(undefined) ? undefined : results.includes(true);
}

function isTerm(value: Json, wanted: Json): boolean | undefined {
  if (isObject(wanted)) return 'case_insensitive' in wanted ? undefined : isTerm(value, wanted['value'] ?? null);
  return typeof value === 'number' ? value === Number(wanted) : value === wanted;
}

const COMPARED: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  gte: (value, bound) => value >= bound,
  gt: (value, bound) => value > bound,
  lte: (value, bound) => value <= bound,
  lt: (value, bound) => value < bound,
};

function isWithin(value: Json, bounds: Json): boolean | undefined {
  if (typeof value !== 'number' || !isObject(bounds)) return undefined;
  return Object.entries(bounds).every(([name, bound]) => COMPARED[name]?.(value, Number(bound)) ?? true);
}

function bool(source: JsonObject, body: JsonObject, id: string): boolean | undefined {
  const of = (name: string): (boolean | undefined)[] => {
    const clauses = body[name] ?? [];
    return (isArray(clauses) ? clauses : [clauses]).map((clause) => matchesPlainly(source, clause as JsonObject, id));
  };
  const [required, optional, excluded] = [[...of('must'), ...of('filter')], of('should'), of('must_not')];
  if ([...required, ...optional, ...excluded].includes(undefined) || 'minimum_should_match' in body) return undefined;
  const wanted = required.length === 0 && optional.length > 0 ? 1 : 0;
  const found = optional.filter((each) => each).length;
  return required.every((each) => each) && found >= wanted && !excluded.some((each) => each);
}

const KINDS: Readonly<Record<string, Matches>> = {
  match_all: () => true,
  match_none: () => false,
  ids: (_source, { values }, id) => isArray(values) && values.includes(id),
  term: (source, body) => anyValue(source, body, isTerm),
  terms: (source, body) =>
    anyValue(source, body, (value, wanted) => isArray(wanted) && wanted.some((each) => isTerm(value, each) === true)),
  range: (source, body) => anyValue(source, body, isWithin),
  exists: (source, { field }) => {
    const values = typeof field === 'string' ? valuesOf(source, field) : undefined;
    return values === undefined ? undefined : values.length > 0;
  },
  constant_score: (source, { filter }, id) => matchesPlainly(source, filter as JsonObject, id),
  boosting: (source, { positive }, id) => matchesPlainly(source, positive as JsonObject, id),
  dis_max: (source, { queries }, id) => bool(source, { should: queries ?? [] }, id),
  bool,
};

/** Undefined where the query, or one within it, is not plain. */
export function matchesPlainly(source: JsonObject, query: JsonObject, id: string): boolean | undefined {
  const [[kind, body] = ['', null]] = Object.entries(query);
  return isObject(body) ? KINDS[kind]?.(source, body, id) : undefined;
}
