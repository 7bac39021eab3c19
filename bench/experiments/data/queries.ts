/** Queries of an experiment: the user's own, or some made for the fields of a mapping out of what documents have there. */
import { seededRandom, type Random } from '../../../src/base/random.js';
import { isObject, type Json, type JsonObject } from '../../json.js';
import { fieldsOf, valuesAt, type Field } from './fields.js';

export interface Query {
  /** Queries of one kind are timed together. */
  readonly kind: string;
  readonly body: JsonObject;
  /** Fields that it looks at, where that is known. */
  readonly fields: readonly string[];
}

/** Of each kind that is made: enough that none is in a cache for being the same. */
const PER_KIND = 60;
const FIELDS_PER_KIND = 2;
const LOOKED_AT = 2_000;
const KINDS_MAX = 12;
const QUERIES_MAX = 10_000;
const WORD = /[\p{L}\p{N}]{2,}/gu;
const NUMBERS: ReadonlySet<string> = new Set([
  ...['long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'scaled_float', 'unsigned_long'],
]);
const EXACT: ReadonlySet<string> = new Set(['keyword', 'ip', 'boolean', 'constant_keyword', 'version']);
/** Longer ones are rarely asked for, and keywords may leave them out. */
const TERM_LENGTH_MAX = 128;

/** One JSON object a line: the body of a search, or `{"name": ..., "body": ...}`. */
export function parseQueries(text: string, file: string): readonly Query[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new Error(`[${file}] holds no queries`);
  if (lines.length > QUERIES_MAX) throw new Error(`[${file}] holds ${lines.length} queries; at most ${QUERIES_MAX}`);
  const queries = lines.map((line, at) => parseQuery(line, `[${file}] line ${at + 1}`));
  // Too many kinds would each be timed for too short.
  if (new Set(queries.map(({ kind }) => kind)).size <= KINDS_MAX) return queries;
  return queries.map((query) => ({ ...query, kind: 'all queries' }));
}

function parseQuery(line: string, place: string): Query {
  let parsed: Json;
  try {
    parsed = JSON.parse(line) as Json;
  } catch {
    throw new Error(`${place} is not JSON`);
  }
  if (!isObject(parsed)) throw new Error(`${place} is no object`);
  const { name, body = parsed, ...rest } = parsed;
  if (body === parsed) return { kind: 'queries', body: parsed, fields: [] };
  if (!isObject(body)) throw new Error(`${place}: [body] is no object`);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error(`${place}: [${unknown}] beside [body], which takes [name] alone`);
  if (name !== undefined && typeof name !== 'string') throw new Error(`${place}: [name] is no text`);
  return { kind: name ?? 'queries', body, fields: [] };
}

/** The same queries for the same documents. Throws where no field can be asked for anything. */
export function makeQueries(mappings: JsonObject, lines: readonly Buffer[], seed: number): readonly Query[] {
  const documents = lines.slice(0, LOOKED_AT).map((line) => JSON.parse(line.toString()) as Json);
  const random = seededRandom(seed);
  const fields = fieldsOf(mappings).map((field) => ({ ...field, values: valuesOf(documents, field) }));
  const used = fields.filter(({ values }) => values.length > 0);
  const makers = [...textMakers(used), ...exactMakers(used), ...rangeMakers(used)];
  if (makers.length === 0) throw new Error('the mapping has no field that queries could be made for: give --queries');
  return makers
    .slice(0, KINDS_MAX)
    .flatMap(({ kind, field, make }) =>
      Array.from({ length: PER_KIND }, () => ({ kind, body: make(random), fields: [field] })),
    );
}

interface FilledField extends Field {
  readonly values: readonly Json[];
}

interface Maker {
  readonly kind: string;
  readonly field: string;
  readonly make: (random: Random) => JsonObject;
}

function valuesOf(documents: readonly Json[], { source }: Field): readonly Json[] {
  return documents.flatMap((document) => valuesAt(document, source)).filter((value) => value !== null);
}

function pick<T>(items: readonly T[], random: Random): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

function textMakers(fields: readonly FilledField[]): readonly Maker[] {
  const texts = fields
    .filter(({ type }) => type === 'text' || type === 'match_only_text')
    .map(({ path, values }) => ({
      path,
      texts: values.flatMap((value) => {
        const words = textOf(value).match(WORD) ?? [];
        return words.length > 0 ? [words] : [];
      }),
    }))
    .filter((field) => field.texts.length > 0)
    .sort((left, right) => lengthOf(right.texts) - lengthOf(left.texts));
  return texts.slice(0, FIELDS_PER_KIND).flatMap(({ path, texts: all }): Maker[] => {
    const words = (random: Random, count: number): string => {
      const text = pick(all, random);
      const from = random.below(Math.max(1, text.length - count + 1));
      return text.slice(from, from + count).join(' ');
    };
    const match = (query: string, operator = 'or'): JsonObject => ({ match: { [path]: { query, operator } } });
    return [
      { kind: `word in ${path}`, field: path, make: (random) => ({ query: match(words(random, 1)) }) },
      {
        kind: `all of two words in ${path}`,
        field: path,
        make: (random) => ({ query: match(words(random, 2), 'and') }),
      },
      { kind: `any of three words in ${path}`, field: path, make: (random) => ({ query: match(words(random, 3)) }) },
      {
        kind: `phrase in ${path}`,
        field: path,
        make: (random) => ({ query: { match_phrase: { [path]: words(random, 2) } } }),
      },
    ];
  });
}

function lengthOf(texts: readonly (readonly string[])[]): number {
  return texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
}

function exactMakers(fields: readonly FilledField[]): readonly Maker[] {
  const exact = fields.filter(({ type }) => EXACT.has(type));
  const terms = exact.slice(0, FIELDS_PER_KIND).flatMap(({ path, values }): Maker[] => {
    const short = values.filter((value) => textOf(value).length <= TERM_LENGTH_MAX);
    if (short.length === 0) return [];
    const make = (random: Random): JsonObject => ({ query: { term: { [path]: pick(short, random) } } });
    return [{ kind: `term of ${path}`, field: path, make }];
  });
  const counted = exact.find(({ type }) => type === 'keyword');
  if (counted === undefined) return terms;
  const { path } = counted;
  const make = (): JsonObject => ({ size: 0, aggs: { values: { terms: { field: path } } } });
  return [...terms, { kind: `values of ${path} counted`, field: path, make }];
}

function rangeMakers(fields: readonly FilledField[]): readonly Maker[] {
  const sortable = fields.filter(({ type }) => NUMBERS.has(type) || type === 'date');
  return sortable.slice(0, FIELDS_PER_KIND).flatMap(({ path, values }): Maker[] => {
    const sorted = [...values].sort(compare);
    const make = (random: Random): JsonObject => {
      const from = random.below(sorted.length);
      const to = Math.min(sorted.length - 1, from + 1 + random.below(Math.max(1, sorted.length >> 2)));
      const range = { gte: sorted[from] ?? null, lte: sorted[to] ?? null };
      return { query: { range: { [path]: range } }, sort: [{ [path]: 'desc' }] };
    };
    return [{ kind: `range of ${path}, sorted`, field: path, make }];
  });
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function compare(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return textOf(left) < textOf(right) ? -1 : 1;
}
