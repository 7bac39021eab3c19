/** Queries over records of the cluster state, in the part of the query language that the reference allows there. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { patternMatcher } from '../../../cluster/names/wildcard.js';
import { parseDate } from './dates.js';
import { fieldNamed, scalarText, type FieldValue, type RecordField, type RecordFields } from './record-fields.js';

export type Predicate<Item> = (item: Item) => boolean;

interface Reading<Item> {
  readonly fields: RecordFields<Item>;
  readonly nowMs: number;
  /** Clauses that were read so far: they are bounded. */
  clauses: number;
}

const CLAUSES_MAX = 1_024;
const DEPTH_MAX = 30;
const VALUES_MAX = 10_000;

type Reader = <Item>(body: JsonValue | undefined, reading: Reading<Item>, depth: number) => Predicate<Item>;

const READERS: Readonly<Record<string, Reader>> = {
  match_all: () => () => true,
  match_none: () => () => false,
  bool: readBool,
  term: (body, reading) => {
    const { field, value, ignoresCase } = fieldAndValue('term', body, reading, ['value']);
    return anyValue(field, equalTo(field, value, reading.nowMs, ignoresCase));
  },
  terms: readTerms,
  match: readMatch,
  ids: (body, { fields }) => {
    const { values, ...rest } = optionsOf('ids', body);
    refuseMore('ids', rest);
    const wanted = new Set(listOf('ids', values).map(scalarText));
    return (item) => wanted.has(fields.id(item));
  },
  prefix: (body, reading) => {
    const { field, value, ignoresCase } = fieldAndValue('prefix', body, reading, ['value']);
    const wanted = folded(scalarText(value), ignoresCase);
    return anyValue(field, (each) => folded(String(each), ignoresCase).startsWith(wanted));
  },
  wildcard: (body, reading) => {
    const { field, value, ignoresCase } = fieldAndValue('wildcard', body, reading, ['value', 'wildcard']);
    const matches = wildcardMatcher(folded(scalarText(value), ignoresCase));
    return anyValue(field, (each) => matches(folded(String(each), ignoresCase)));
  },
  exists: (body, { fields }) => {
    const { field, ...rest } = optionsOf('exists', body);
    refuseMore('exists', rest);
    const known = fieldNamed(fields, textOf('exists', 'field', field));
    return (item) => known.values(item).length > 0;
  },
  range: readRange,
  simple_query_string: readSimpleQueryString,
};

/** Undefined: everything. Throws for what is no query, and for queries that are not offered here. */
export function recordQuery<Item>(
  body: JsonValue | undefined,
  fields: RecordFields<Item>,
  nowMs: number,
): Predicate<Item> {
  return body === undefined ? () => true : readQuery(body, { fields, nowMs, clauses: 0 }, 0);
}

function readQuery<Item>(body: JsonValue | undefined, reading: Reading<Item>, depth: number): Predicate<Item> {
  if (depth > DEPTH_MAX) throw failed(`queries are nested deeper than [${DEPTH_MAX}]`);
  if (++reading.clauses > CLAUSES_MAX) throw failed(`there are more than [${CLAUSES_MAX}] clauses`);
  const [entry, ...more] = isJsonObject(body) ? Object.entries(body) : [];
  if (entry === undefined || more.length > 0) throw failed('a query is an object with a single member, its type');
  const [type, content] = entry;
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader !== undefined) return reader(content, reading, depth);
  throw illegalArgument(
    `Query type [${type}] is not currently supported in this context: there are [${Object.keys(READERS).join(', ')}]`,
  );
}

function readBool<Item>(body: JsonValue | undefined, reading: Reading<Item>, depth: number): Predicate<Item> {
  const { must, filter, should, must_not: mustNot, minimum_should_match: minimum, ...rest } = optionsOf('bool', body);
  refuseMore('bool', rest);
  const read = (clauses: JsonValue | undefined): readonly Predicate<Item>[] =>
    (clauses === undefined ? [] : Array.isArray(clauses) ? (clauses as readonly JsonValue[]) : [clauses]).map((each) =>
      readQuery(each, reading, depth + 1),
    );
  const needed = [...read(must), ...read(filter)];
  const choices = read(should);
  const barred = read(mustNot);
  const least = minimum === undefined ? (needed.length === 0 && choices.length > 0 ? 1 : 0) : Number(minimum);
  if (!Number.isInteger(least)) throw failed('[bool] [minimum_should_match] has to be an integer here');
  const wanted = least < 0 ? choices.length + least : least;
  return (item) =>
    needed.every((matches) => matches(item)) &&
    !barred.some((matches) => matches(item)) &&
    (wanted <= 0 || choices.filter((matches) => matches(item)).length >= wanted);
}

function readTerms<Item>(body: JsonValue | undefined, reading: Reading<Item>): Predicate<Item> {
  const { boost: _boost, _name: _label, ...named } = objectOf('terms', body);
  const [entry, ...more] = Object.entries(named);
  if (entry === undefined || more.length > 0) throw failed('[terms] has to name a single field');
  const [name, values] = entry;
  const field = fieldNamed(reading.fields, name);
  const matchers = listOf('terms', values).map((value) => equalTo(field, value, reading.nowMs, false));
  return anyValue(field, (each) => matchers.some((matches) => matches(each)));
}

function readMatch<Item>(body: JsonValue | undefined, reading: Reading<Item>): Predicate<Item> {
  const [name, options] = singleField('match', body);
  const { query = options, operator = 'or', ...rest } = isJsonObject(options) ? options : {};
  refuseMore('match', rest);
  const field = fieldNamed(reading.fields, name);
  if (field.kind !== 'text') return anyValue(field, equalTo(field, query, reading.nowMs, false));
  const words = wordsOf(scalarText(query));
  const isAnd = operatorOf('match', operator) === 'and';
  return (item) => {
    const own = new Set(field.values(item).flatMap((value) => wordsOf(String(value))));
    return words.length > 0 && (isAnd ? words.every((word) => own.has(word)) : words.some((word) => own.has(word)));
  };
}

function readRange<Item>(body: JsonValue | undefined, reading: Reading<Item>): Predicate<Item> {
  const [name, options] = singleField('range', body);
  const { gt, gte, lt, lte, ...rest } = optionsOf('range', options);
  refuseMore('range', rest);
  const field = fieldNamed(reading.fields, name);
  const bound = (value: JsonValue | undefined): FieldValue | undefined => {
    if (value === undefined || value === null) return undefined;
    return field.kind === 'date' ? parseDate(value, name, reading.nowMs) : scalarText(value);
  };
  const [above, least, below, most] = [bound(gt), bound(gte), bound(lt), bound(lte)];
  return anyValue(field, (each) => {
    const value = field.kind === 'date' ? each : String(each);
    return (
      (above === undefined || value > above) &&
      (least === undefined || value >= least) &&
      (below === undefined || value < below) &&
      (most === undefined || value <= most)
    );
  });
}

/** Words, `word*`, `"a phrase"` and `-word`; groups and operators between words are refused. */
function readSimpleQueryString<Item>(body: JsonValue | undefined, reading: Reading<Item>): Predicate<Item> {
  const { query, fields: given, default_operator: operator = 'or', ...rest } = optionsOf('simple_query_string', body);
  refuseMore('simple_query_string', rest);
  const names = given === undefined ? reading.fields.usual : listOf('simple_query_string', given).map(scalarText);
  const fields = names.map((name) => fieldNamed(reading.fields, name));
  const isAnd = operatorOf('simple_query_string', operator) === 'and';
  const parts = textOf('simple_query_string', 'query', query).match(/-?"[^"]*"|\S+/g) ?? [];
  if (parts.length > CLAUSES_MAX) throw failed(`there are more than [${CLAUSES_MAX}] clauses`);
  const matchers = parts.map((part) => wordMatcher(part, fields));
  const wanted = matchers.filter(({ isNegative }) => !isNegative).map(({ matches }) => matches);
  const barred = matchers.filter(({ isNegative }) => isNegative).map(({ matches }) => matches);
  return (item) =>
    parts.length > 0 &&
    !barred.some((matches) => matches(item)) &&
    (isAnd || wanted.length === 0 ? wanted.every((matches) => matches(item)) : wanted.some((matches) => matches(item)));
}

function wordMatcher<Item>(
  part: string,
  fields: readonly RecordField<Item>[],
): { readonly isNegative: boolean; readonly matches: Predicate<Item> } {
  const isNegative = part.startsWith('-') && part.length > 1;
  const word = isNegative ? part.slice(1) : part;
  const isPhrase = word.startsWith('"') && word.endsWith('"') && word.length > 1;
  if (!isPhrase && /[+|()~]/.test(word)) {
    throw illegalArgument(`[simple_query_string] has the operators [*], ["] and [-] here, and not those of [${word}]`);
  }
  const isPrefix = !isPhrase && word.endsWith('*');
  const plain = isPhrase ? word.slice(1, -1) : isPrefix ? word.slice(0, -1) : word;
  const matchesField = (field: RecordField<Item>, item: Item): boolean => {
    if (field.kind !== 'text') {
      return field.values(item).some((each) => (isPrefix ? String(each).startsWith(plain) : String(each) === plain));
    }
    const own = field.values(item).flatMap((each) => wordsOf(String(each)));
    const wanted = wordsOf(plain);
    if (isPrefix) return own.some((each) => each.startsWith(plain.toLowerCase()));
    const isAt = (at: number): boolean => wanted.every((each, offset) => own[at + offset] === each);
    return wanted.length > 0 && own.some((_, at) => isAt(at));
  };
  return { isNegative, matches: (item) => fields.some((field) => matchesField(field, item)) };
}

function anyValue<Item>(field: RecordField<Item>, matches: (value: FieldValue) => boolean): Predicate<Item> {
  return (item) => field.values(item).some(matches);
}

function equalTo(
  { kind }: Pick<RecordField<never>, 'kind'>,
  value: JsonValue | undefined,
  nowMs: number,
  ignoresCase: boolean,
): (value: FieldValue) => boolean {
  if (kind === 'date') {
    const wanted = parseDate(value, 'date', nowMs);
    return (each) => each === wanted;
  }
  const wanted = folded(scalarText(value), ignoresCase);
  if (kind !== 'text') return (each) => folded(String(each), ignoresCase) === wanted;
  return (each) => wordsOf(String(each)).includes(wanted);
}

function fieldAndValue<Item>(
  type: string,
  body: JsonValue | undefined,
  { fields }: Reading<Item>,
  names: readonly string[],
): { readonly field: RecordField<Item>; readonly value: JsonValue | undefined; readonly ignoresCase: boolean } {
  const [name, options] = singleField(type, body);
  const field = fieldNamed(fields, name);
  if (!isJsonObject(options)) return { field, value: options, ignoresCase: false };
  const { case_insensitive: ignoresCase = false, ...rest } = optionsOf(type, options);
  const [given, ...more] = Object.entries(rest);
  if (given === undefined || more.length > 0 || !names.includes(given[0])) {
    throw failed(`[${type}] of [${name}] needs [${names.join('] or [')}]`);
  }
  return { field, value: given[1], ignoresCase: ignoresCase === true };
}

function singleField(type: string, body: JsonValue | undefined): readonly [string, JsonValue | undefined] {
  const [entry, ...more] = Object.entries(objectOf(type, body));
  if (entry !== undefined && more.length === 0) return entry;
  throw failed(`[${type}] has to name a single field`);
}

/** Without what has no effect where nothing has a score. */
function optionsOf(type: string, body: JsonValue | undefined): JsonObject {
  const { boost: _boost, _name: _label, rewrite: _rewrite, ...options } = objectOf(type, body);
  return options;
}

function objectOf(type: string, body: JsonValue | undefined): JsonObject {
  if (isJsonObject(body)) return body;
  throw failed(`[${type}] has to be an object`);
}

function refuseMore(type: string, rest: JsonObject): void {
  for (const name of Object.keys(rest)) throw failed(`[${type}] does not support [${name}] here`);
}

function listOf(type: string, value: JsonValue | undefined): readonly JsonValue[] {
  const values = Array.isArray(value) ? (value as readonly JsonValue[]) : value === undefined ? [] : [value];
  if (values.length <= VALUES_MAX) return values;
  throw failed(`[${type}] has [${values.length}] values, more than [${VALUES_MAX}]`);
}

function textOf(type: string, name: string, value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  throw failed(`[${type}] needs [${name}]`);
}

function operatorOf(type: string, value: JsonValue | undefined): 'and' | 'or' {
  const operator = typeof value === 'string' ? value.toLowerCase() : '';
  if (operator === 'and' || operator === 'or') return operator;
  throw failed(`[${type}] has the operators [and] and [or]`);
}

function folded(text: string, ignoresCase: boolean): string {
  return ignoresCase ? text.toLowerCase() : text;
}

export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** `?` is one character. */
function wildcardMatcher(pattern: string): (text: string) => boolean {
  if (!pattern.includes('?')) return patternMatcher(pattern);
  const pieces = pattern.split('*').map((piece) => Array.from(piece));
  return (text) => fits(pieces, Array.from(text));
}

/** The first piece begins the text, the last one ends it, the others follow each other wherever they first fit. */
function fits(pieces: readonly (readonly string[])[], text: readonly string[]): boolean {
  const isAt = (piece: readonly string[], at: number): boolean =>
    at + piece.length <= text.length && piece.every((each, offset) => each === '?' || each === text[at + offset]);
  const first = pieces[0] ?? [];
  if (pieces.length === 1) return first.length === text.length && isAt(first, 0);
  const last = pieces.at(-1) ?? [];
  const end = text.length - last.length;
  if (!isAt(first, 0) || end < first.length || !isAt(last, end)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    while (at + piece.length <= end && !isAt(piece, at)) at++;
    if (at + piece.length > end) return false;
    at += piece.length;
  }
  return true;
}

function failed(why: string): QuarryError {
  return new QuarryError('parsing_exception', why);
}
