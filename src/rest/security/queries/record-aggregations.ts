/** Aggregations over records of the cluster state: those of the reference's list that need no more than values. */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { parseDate } from './dates.js';
import { compositeAggregation } from './composite-aggregation.js';
import { fieldNamed, type FieldValue, type RecordField, type RecordFields } from './record-fields.js';
import { recordQuery } from './record-query.js';

export interface AggregationContext<Item> {
  readonly fields: RecordFields<Item>;
  readonly nowMs: number;
  /** Names of answers have their types before them. */
  readonly isTyped: boolean;
}

type Items<Item> = readonly Item[];
type Collect<Item> = (items: Items<Item>) => JsonObject;

const DEPTH_MAX = 5;
const AGGREGATIONS_MAX = 100;
const BUCKETS_MAX = 10_000;
const SIZE = 10;
const METRICS = ['cardinality', 'value_count'];
const TYPES = ['composite', 'terms', 'missing', 'range', 'date_range', 'filter', 'filters', ...METRICS];

/** Throws for aggregations that are not offered here. */
export function aggregateRecords<Item>(
  body: JsonValue | undefined,
  items: Items<Item>,
  context: AggregationContext<Item>,
): JsonObject | undefined {
  return body === undefined ? undefined : readAll(body, new Reading(context), 0)(items);
}

class Reading<Item> {
  readonly context: AggregationContext<Item>;
  private count = 0;
  private buckets = 0;

  constructor(context: AggregationContext<Item>) {
    this.context = context;
  }

  begin(): void {
    if (++this.count > AGGREGATIONS_MAX)
      throw illegalArgument(`there are more than [${AGGREGATIONS_MAX}] aggregations`);
  }

  bucket(): void {
    if (++this.buckets > BUCKETS_MAX) throw illegalArgument(`there are more than [${BUCKETS_MAX}] buckets`);
  }
}

function readAll<Item>(body: JsonValue, reading: Reading<Item>, depth: number): Collect<Item> {
  if (depth > DEPTH_MAX) throw illegalArgument(`aggregations are nested deeper than [${DEPTH_MAX}]`);
  if (!isJsonObject(body)) throw illegalArgument('[aggs] has to be an object');
  const collectors = Object.entries(body).map(([name, definition]) => {
    reading.begin();
    return readOne(name, definition, reading, depth);
  });
  return (items) => Object.fromEntries(collectors.map(({ name, collect }) => [name, collect(items)] as const));
}

function readOne<Item>(
  name: string,
  definition: JsonValue | undefined,
  reading: Reading<Item>,
  depth: number,
): { readonly name: string; readonly collect: Collect<Item> } {
  const { aggs, aggregations = aggs, meta, ...types } = objectOf(name, definition);
  const [entry, ...more] = Object.entries(types);
  if (entry === undefined || more.length > 0) throw illegalArgument(`aggregation [${name}] has to have a single type`);
  const [type, options] = entry;
  if (METRICS.includes(type) && aggregations !== undefined) {
    throw illegalArgument(`aggregation [${name}] of type [${type}] has no sub-aggregations`);
  }
  const inner = aggregations === undefined ? (): JsonObject => ({}) : readAll(aggregations, reading, depth + 1);
  const { collect, shownAs } = readType(name, type, objectOf(name, options), inner, reading);
  const shown = reading.context.isTyped ? `${shownAs}#${name}` : name;
  const withMeta: Collect<Item> = (items) => ({ ...(meta === undefined ? {} : { meta }), ...collect(items) });
  return { name: shown, collect: withMeta };
}

interface Typed<Item> {
  readonly shownAs: string;
  readonly collect: Collect<Item>;
}

function readType<Item>(
  name: string,
  type: string,
  options: JsonObject,
  inner: Collect<Item>,
  reading: Reading<Item>,
): Typed<Item> {
  const { fields, nowMs } = reading.context;
  const bucket: Collect<Item> = (items) => {
    reading.bucket();
    return { doc_count: items.length, ...inner(items) };
  };
  switch (type) {
    case 'terms':
      return readTerms(name, options, bucket, fields);
    case 'missing': {
      const field = onlyField(name, options, fields);
      return { shownAs: type, collect: (items) => bucket(items.filter((item) => field.values(item).length === 0)) };
    }
    case 'cardinality':
    case 'value_count': {
      const field = onlyField(name, options, fields);
      return {
        shownAs: type,
        collect: (items) => {
          const values = items.flatMap((item) => field.values(item));
          return { value: type === 'cardinality' ? new Set(values).size : values.length };
        },
      };
    }
    case 'filter': {
      const matches = recordQuery(options, fields, nowMs);
      return { shownAs: type, collect: (items) => bucket(items.filter(matches)) };
    }
    case 'composite':
      return { shownAs: type, collect: compositeAggregation(name, options, bucket, fields) };
    case 'filters':
      return readFilters(name, options, bucket, reading.context);
    case 'range':
    case 'date_range':
      return { shownAs: type, collect: readRange(name, type, options, bucket, reading.context) };
    default:
      throw illegalArgument(
        `Unsupported aggregation type [${type}] of [${name}]: there are [${TYPES.join(', ')}] here`,
      );
  }
}

function readTerms<Item>(
  name: string,
  options: JsonObject,
  bucket: Collect<Item>,
  fields: RecordFields<Item>,
): Typed<Item> {
  const { field: fieldName, size = SIZE, order, min_doc_count: least = 1, ...rest } = options;
  refuseMore(name, rest);
  const field = aggregatable(name, fieldName, fields);
  if (typeof size !== 'number' || !Number.isInteger(size) || size <= 0) {
    throw illegalArgument(`[size] of the aggregation [${name}] must be greater than 0`);
  }
  if (typeof least !== 'number' || least < 1) throw illegalArgument(`[min_doc_count] of [${name}] must be 1 or more`);
  const compare = termsOrder(name, order);
  return {
    shownAs: field.kind === 'keyword' ? 'sterms' : 'lterms',
    collect: (items) => {
      const groups = new Map<FieldValue, Item[]>();
      for (const item of items) {
        for (const value of new Set(field.values(item))) {
          const group = groups.get(value);
          if (group === undefined) groups.set(value, [item]);
          else group.push(item);
        }
      }
      const ordered = [...groups].filter(([, group]) => group.length >= least).sort(compare);
      const others = ordered.slice(size).reduce((sum, [, group]) => sum + group.length, 0);
      const buckets = ordered.slice(0, size).map(([value, group]) => ({ ...keyOf(field, value), ...bucket(group) }));
      return { doc_count_error_upper_bound: 0, sum_other_doc_count: others, buckets };
    },
  };
}

type Compare = (
  left: readonly [FieldValue, readonly unknown[]],
  right: readonly [FieldValue, readonly unknown[]],
) => number;

function termsOrder(name: string, order: JsonValue | undefined): Compare {
  const steps = (Array.isArray(order) ? (order as readonly JsonValue[]) : order === undefined ? [] : [order]).flatMap(
    (each) => Object.entries(objectOf(name, each)),
  );
  const compares = steps.map(([by, direction]): Compare => {
    const sign = direction === 'asc' ? 1 : direction === 'desc' ? -1 : NaN;
    if (Number.isNaN(sign) || (by !== '_key' && by !== '_count')) {
      throw illegalArgument(`[order] of the aggregation [${name}] has to be by [_count] or [_key], [asc] or [desc]`);
    }
    return (left, right) => sign * (by === '_key' ? byKey(left, right) : left[1].length - right[1].length);
  });
  const all: readonly Compare[] = steps.length === 0 ? [(left, right) => right[1].length - left[1].length] : compares;
  return (left, right) => {
    for (const compare of all) {
      const result = compare(left, right);
      if (result !== 0) return result;
    }
    return byKey(left, right);
  };
}

const byKey: Compare = ([left], [right]) => (left < right ? -1 : left > right ? 1 : 0);

function keyOf<Item>({ kind }: RecordField<Item>, value: FieldValue): JsonObject {
  if (kind === 'date') return { key: value, key_as_string: new Date(Number(value)).toISOString() };
  if (kind === 'boolean') return { key: value === true ? 1 : 0, key_as_string: String(value) };
  return { key: value };
}

function readFilters<Item>(
  name: string,
  options: JsonObject,
  bucket: Collect<Item>,
  { fields, nowMs }: AggregationContext<Item>,
): Typed<Item> {
  const { filters, ...rest } = options;
  refuseMore(name, rest);
  if (Array.isArray(filters)) {
    const matchers = (filters as readonly JsonValue[]).map((each) => recordQuery(each, fields, nowMs));
    return {
      shownAs: 'filters',
      collect: (items) => ({ buckets: matchers.map((matches) => bucket(items.filter(matches))) }),
    };
  }
  const named = Object.entries(objectOf(name, filters)).map(
    ([label, query]) => [label, recordQuery(query, fields, nowMs)] as const,
  );
  return {
    shownAs: 'filters',
    collect: (items) => ({
      buckets: Object.fromEntries(named.map(([label, matches]) => [label, bucket(items.filter(matches))] as const)),
    }),
  };
}

function readRange<Item>(
  name: string,
  type: 'range' | 'date_range',
  options: JsonObject,
  bucket: Collect<Item>,
  { fields, nowMs }: AggregationContext<Item>,
): Collect<Item> {
  const { field: fieldName, ranges, ...rest } = options;
  refuseMore(name, rest);
  const field = aggregatable(name, fieldName, fields);
  if (field.kind !== 'date') throw illegalArgument(`aggregation [${name}] of type [${type}] needs a date`);
  if (!Array.isArray(ranges)) throw illegalArgument(`aggregation [${name}] needs [ranges]`);
  const bounds = (ranges as readonly JsonValue[]).map((range) => {
    const { key, from, to, ...more } = objectOf(name, range);
    refuseMore(name, more);
    const bound = (value: JsonValue | undefined): number | undefined =>
      value === undefined || value === null ? undefined : parseDate(value, name, nowMs);
    return { key, from: bound(from), to: bound(to) };
  });
  const printed = (ms: number | undefined): string =>
    ms === undefined ? '*' : type === 'range' ? ms.toFixed(1) : new Date(ms).toISOString();
  return (items) => ({
    buckets: bounds.map(({ key, from, to }) => {
      const isIn = (value: FieldValue): boolean =>
        (from === undefined || Number(value) >= from) && (to === undefined || Number(value) < to);
      return {
        key: key ?? `${printed(from)}-${printed(to)}`,
        ...(from === undefined ? {} : { from, ...(type === 'range' ? {} : { from_as_string: printed(from) }) }),
        ...(to === undefined ? {} : { to, ...(type === 'range' ? {} : { to_as_string: printed(to) }) }),
        ...bucket(items.filter((item) => field.values(item).some(isIn))),
      };
    }),
  });
}

function onlyField<Item>(name: string, options: JsonObject, fields: RecordFields<Item>): RecordField<Item> {
  const { field, ...rest } = options;
  refuseMore(name, rest);
  return aggregatable(name, field, fields);
}

function aggregatable<Item>(name: string, field: JsonValue | undefined, fields: RecordFields<Item>): RecordField<Item> {
  if (typeof field !== 'string') throw illegalArgument(`aggregation [${name}] needs [field]`);
  return fieldNamed(fields, field);
}

function objectOf(name: string, value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw illegalArgument(`aggregation [${name}] has something that has to be an object and is none`);
}

function refuseMore(name: string, rest: JsonObject): void {
  for (const option of Object.keys(rest))
    throw illegalArgument(`[${option}] of the aggregation [${name}] is not supported here`);
}
