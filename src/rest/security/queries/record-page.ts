/** One page of records: sorted, from here or after that. */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonValue } from '../../../base/json-value.js';
import type { BodyMembers } from '../body-members.js';
import { parseDate } from './dates.js';
import { fieldNamed, scalarText, type FieldValue, type RecordField, type RecordFields } from './record-fields.js';

interface SortKey<Item> {
  readonly name: string;
  readonly field: RecordField<Item>;
  readonly isDescending: boolean;
  readonly isMissingFirst: boolean;
}

export interface PageRequest<Item> {
  readonly sort: readonly SortKey<Item>[];
  readonly from: number;
  readonly size: number;
  readonly after: readonly (FieldValue | null)[] | undefined;
}

export interface PagedItem<Item> {
  readonly item: Item;
  /** Undefined where nothing is sorted by. */
  readonly sort: readonly (FieldValue | null)[] | undefined;
}

const SIZE = 10;
/** As the references' `max_result_window`. */
const WINDOW_MAX = 10_000;
const SORTS_MAX = 10;

export function readPage<Item>(members: BodyMembers, fields: RecordFields<Item>, nowMs: number): PageRequest<Item> {
  const from = count('from', members.number('from') ?? 0);
  const size = count('size', members.number('size') ?? SIZE);
  const sort = readSort(members.value('sort'), fields);
  const after = members.value('search_after');
  if (from + size > WINDOW_MAX) {
    throw illegalArgument(`[from] and [size] are [${from + size}] together, at most [${WINDOW_MAX}] are possible`);
  }
  if (after === undefined) return { sort, from, size, after: undefined };
  if (from > 0) throw illegalArgument('[from] parameter must be set to 0 when [search_after] is used');
  if (!Array.isArray(after) || after.length !== sort.length || sort.length === 0) {
    throw illegalArgument(`[search_after] has to be a list of [${sort.length}] values, one for each of [sort]`);
  }
  return { sort, from, size, after: sort.map((key, at) => afterValue(key, after[at] as JsonValue, nowMs)) };
}

export function pageOf<Item>(
  items: readonly Item[],
  { sort, from, size, after }: PageRequest<Item>,
): readonly PagedItem<Item>[] {
  if (sort.length === 0) return items.slice(from, from + size).map((item) => ({ item, sort: undefined }));
  const keyed = items.map((item) => ({ item, sort: sort.map((key) => sortValue(key, item)) }));
  const compare = (left: readonly (FieldValue | null)[], right: readonly (FieldValue | null)[]): number => {
    for (const [at, key] of sort.entries()) {
      const order = compareValues(key, left[at] ?? null, right[at] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  };
  const ordered = keyed.sort((left, right) => compare(left.sort, right.sort));
  const rest = after === undefined ? ordered : ordered.filter((each) => compare(each.sort, after) > 0);
  return rest.slice(from, from + size);
}

function readSort<Item>(value: JsonValue | undefined, fields: RecordFields<Item>): readonly SortKey<Item>[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (items.length > SORTS_MAX) throw illegalArgument(`[sort] has more than [${SORTS_MAX}] keys`);
  return items.flatMap((item) =>
    isJsonObject(item)
      ? Object.entries(item).map(([name, options]) => sortKey(fields, name, options))
      : [sortKey(fields, scalarText(item), 'asc')],
  );
}

function sortKey<Item>(fields: RecordFields<Item>, name: string, options: JsonValue | undefined): SortKey<Item> {
  const field = fieldNamed(fields, name);
  if (field.kind === 'text') throw illegalArgument(`sorting is not supported for field [${name}]`);
  const { order = 'asc', missing = '_last', ...rest } = isJsonObject(options) ? options : { order: options };
  const [unknown] = Object.keys(rest).filter((each) => each !== 'format' && each !== 'unmapped_type');
  if (unknown !== undefined) throw illegalArgument(`[sort.${name}.${unknown}] is not supported here`);
  if (order !== 'asc' && order !== 'desc') throw illegalArgument(`[sort.${name}.order] has to be [asc] or [desc]`);
  if (missing !== '_first' && missing !== '_last') {
    throw illegalArgument(`[sort.${name}.missing] has to be [_first] or [_last]`);
  }
  return { name, field, isDescending: order === 'desc', isMissingFirst: missing === '_first' };
}

/** Of several values the least, or the greatest where the order is from the greatest. */
function sortValue<Item>({ field, isDescending }: SortKey<Item>, item: Item): FieldValue | null {
  let found: FieldValue | null = null;
  for (const value of field.values(item)) {
    if (found === null || (isDescending ? value > found : value < found)) found = value;
  }
  return found;
}

function compareValues<Item>(key: SortKey<Item>, left: FieldValue | null, right: FieldValue | null): number {
  if (left === right) return 0;
  if (left === null || right === null) return (left === null) === key.isMissingFirst ? -1 : 1;
  return left < right === key.isDescending ? 1 : -1;
}

function afterValue<Item>({ name, field }: SortKey<Item>, value: JsonValue, nowMs: number): FieldValue | null {
  if (value === null) return null;
  if (typeof value === 'object') throw illegalArgument(`[search_after] has a value for [${name}] that is no scalar`);
  if (field.kind === 'date') return parseDate(value, name, nowMs);
  return field.kind === 'boolean' ? value === true || value === 'true' || value === 1 : String(value);
}

function count(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw illegalArgument(`[${name}] parameter cannot be negative but was [${value}]`);
}
