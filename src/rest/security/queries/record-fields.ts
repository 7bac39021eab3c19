/** Records of the cluster state as something that queries, sorts and aggregations can look at: fields with values. */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';

export type FieldValue = string | number | boolean;

export interface RecordField<Item> {
  /** `text` is looked at word by word, and cannot be sorted by. */
  readonly kind: 'keyword' | 'text' | 'date' | 'boolean';
  values(item: Item): readonly FieldValue[];
}

export interface RecordFields<Item> {
  /** What a record is called by. */
  readonly id: (item: Item) => string;
  /** Undefined where there is no field of the name. */
  readonly field: (name: string) => RecordField<Item> | undefined;
  /** Fields that a query without one looks at. */
  readonly usual: readonly string[];
}

/** Refuses names that are not of a field. */
export function fieldNamed<Item>(fields: RecordFields<Item>, name: string): RecordField<Item> {
  const field = fields.field(name);
  if (field !== undefined) return field;
  throw illegalArgument(`Field [${name}] is not allowed for querying or aggregation`);
}

export function keyword<Item>(value: (item: Item) => string | readonly string[] | undefined): RecordField<Item> {
  return { kind: 'keyword', values: (item) => listed(value(item)) };
}

export function text<Item>(value: (item: Item) => string | null | undefined): RecordField<Item> {
  return { kind: 'text', values: (item) => listed(value(item) ?? undefined) };
}

/** In milliseconds since 1970. */
export function date<Item>(value: (item: Item) => number | undefined): RecordField<Item> {
  return { kind: 'date', values: (item) => listed(value(item)) };
}

export function flag<Item>(value: (item: Item) => boolean): RecordField<Item> {
  return { kind: 'boolean', values: (item) => [value(item)] };
}

/** Members of an object of which nobody knows the names: `metadata` all of its values, `metadata.a.b` one. */
export function flattened<Item>(
  prefix: string,
  name: string,
  value: (item: Item) => JsonObject,
): RecordField<Item> | undefined {
  if (name === prefix) return { kind: 'keyword', values: (item) => leaves(value(item)) };
  if (!name.startsWith(`${prefix}.`)) return undefined;
  const path = name.slice(prefix.length + 1);
  return { kind: 'keyword', values: (item) => leaves(memberAt(value(item), path)) };
}

/** Of a value that is no list and no object. */
export function scalarText(value: JsonValue | undefined): string {
  if (value === undefined || value === null || typeof value === 'object') {
    throw illegalArgument('a text, a number or a boolean is expected');
  }
  return String(value);
}

/** By the names of members, which may have dots themselves. */
function memberAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(value, name) ? memberAt(value[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function leaves(value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(leaves);
  if (isJsonObject(value)) return Object.values(value).flatMap(leaves);
  return [scalarText(value)];
}

function listed<Value>(value: Value | readonly Value[] | undefined): readonly Value[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly Value[]) : [value as Value];
}
