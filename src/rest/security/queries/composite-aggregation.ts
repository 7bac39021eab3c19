/** `composite` over records: a bucket for each combination of values, in pages. */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { fieldNamed, type FieldValue, type RecordField, type RecordFields } from './record-fields.js';

interface Source<Item> {
  readonly name: string;
  readonly field: RecordField<Item>;
  readonly isDescending: boolean;
  /** Whether records without a value have a bucket. */
  readonly hasMissing: boolean;
}

type Key = readonly (FieldValue | null)[];

const SIZE = 10;
const SOURCES_MAX = 10;
/** Of one record, which may have several values in each source. */
const KEYS_MAX = 10_000;
/** Of all records together. */
const GROUPS_MAX = 10_000;
/** Records in groups, counted once for each group that they are in. */
const ENTRIES_MAX = 1_000_000;

/** Sources are `terms`. `bucket` makes what stands in a bucket beside its key. */
export function compositeAggregation<Item>(
  name: string,
  options: JsonObject,
  bucket: (items: readonly Item[]) => JsonObject,
  fields: RecordFields<Item>,
): (items: readonly Item[]) => JsonObject {
  const { sources: given, size = SIZE, after, ...rest } = options;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw refused(name, `[${unknown}] is not supported here`);
  if (typeof size !== 'number' || !Number.isInteger(size) || size <= 0) throw refused(name, '[size] has to be above 0');
  if (!Array.isArray(given) || given.length === 0 || given.length > SOURCES_MAX) {
    throw refused(name, `[sources] has to be a list of 1 to ${SOURCES_MAX} sources`);
  }
  const sources = (given as readonly JsonValue[]).map((each) => readSource(name, each, fields));
  const start = after === undefined ? undefined : readAfter(name, after, sources);
  return (items) => {
    const groups = new Map<string, { readonly key: Key; readonly items: Item[] }>();
    let entries = 0;
    for (const item of items) {
      const keys = keysOf(name, sources, item);
      entries += keys.length;
      if (entries > ENTRIES_MAX) throw refused(name, `all records together have more than [${ENTRIES_MAX}] keys`);
      for (const key of keys) {
        const text = JSON.stringify(key);
        const group = groups.get(text);
        if (group === undefined) groups.set(text, { key, items: [item] });
        else group.items.push(item);
      }
      if (groups.size > GROUPS_MAX) throw refused(name, `all records together have more than [${GROUPS_MAX}] groups`);
    }
    const ordered = [...groups.values()].sort((left, right) => compare(sources, left.key, right.key));
    const behind = start === undefined ? ordered : ordered.filter(({ key }) => compare(sources, key, start) > 0);
    const page = behind.slice(0, size);
    const last = page.at(-1);
    return {
      ...(last === undefined ? {} : { after_key: shown(sources, last.key) }),
      buckets: page.map(({ key, items: own }) => ({ key: shown(sources, key), ...bucket(own) })),
    };
  };
}

function readSource<Item>(name: string, value: JsonValue, fields: RecordFields<Item>): Source<Item> {
  const [entry, ...more] = isJsonObject(value) ? Object.entries(value) : [];
  if (entry === undefined || more.length > 0) throw refused(name, 'a source is an object with a single member');
  const [label, types] = entry;
  const { terms, ...others } = isJsonObject(types) ? types : {};
  const [other] = Object.keys(others);
  if (!isJsonObject(terms) || other !== undefined) throw refused(name, `the source [${label}] has to be [terms] here`);
  const { field, order = 'asc', missing_bucket: missing = false, ...rest } = terms;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw refused(name, `[${unknown}] of the source [${label}] is not supported here`);
  if (typeof field !== 'string') throw refused(name, `the source [${label}] needs [field]`);
  if (order !== 'asc' && order !== 'desc') throw refused(name, `[order] of the source [${label}] is [asc] or [desc]`);
  return {
    name: label,
    field: fieldNamed(fields, field),
    isDescending: order === 'desc',
    hasMissing: missing === true,
  };
}

function readAfter<Item>(name: string, after: JsonValue, sources: readonly Source<Item>[]): Key {
  const known = isJsonObject(after) ? after : {};
  return sources.map((source) => {
    const value = known[source.name];
    if (value === undefined || (typeof value === 'object' && value !== null)) {
      throw refused(name, `[after] has to have a value for each of its sources, and has none for [${source.name}]`);
    }
    return value;
  });
}

/** All combinations of the values of one record. */
function keysOf<Item>(name: string, sources: readonly Source<Item>[], item: Item): readonly Key[] {
  let keys: readonly Key[] = [[]];
  for (const { field, hasMissing } of sources) {
    const values = [...new Set(field.values(item))];
    const choices: Key = values.length === 0 && hasMissing ? [null] : values;
    if (keys.length * choices.length > KEYS_MAX) throw refused(name, `a record has more than [${KEYS_MAX}] keys`);
    keys = keys.flatMap((key) => choices.map((choice) => [...key, choice]));
  }
  return keys;
}

function compare<Item>(sources: readonly Source<Item>[], left: Key, right: Key): number {
  for (const [at, { isDescending }] of sources.entries()) {
    const [one, other] = [left[at] ?? null, right[at] ?? null];
    if (one === other) continue;
    // As if what is missing were less than every value.
    if (one === null || other === null) return (one === null) === isDescending ? 1 : -1;
    return one < other === isDescending ? 1 : -1;
  }
  return 0;
}

function shown<Item>(sources: readonly Source<Item>[], key: Key): JsonObject {
  return Object.fromEntries(sources.map(({ name }, at) => [name, key[at] ?? null] as const));
}

function refused(name: string, why: string): ReturnType<typeof illegalArgument> {
  return illegalArgument(`aggregation [${name}]: ${why}`);
}
