/** `index.sort.*`: what the documents of every segment are sorted by. */
import { illegalArgument } from '../../base/errors.js';
import type { SortField } from '../../native/shard-options.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf } from './registry.js';
import { listKind, type SettingKind } from './setting-kinds.js';

type Order = 'asc' | 'desc';
type Mode = 'min' | 'max';
type Missing = '_first' | '_last';

/** A list, or one text with commas, of which each item is read by itself. */
function listOf<T>(read: (item: string) => T): SettingKind<readonly T[]> {
  return { parse: (value, key) => listKind.parse(value, key).map(read) };
}

function readOrder(text: string): Order {
  const order = text.toLowerCase();
  if (order === 'asc' || order === 'desc') return order;
  throw illegalArgument(`Illegal sort order:${text}`);
}

function readMode(text: string): Mode {
  const mode = text.toLowerCase();
  if (mode === 'min' || mode === 'max') return mode;
  if (['sum', 'avg', 'median'].includes(mode)) {
    throw illegalArgument(`Illegal index sort mode:[${mode.toUpperCase()}], must be one of [MAX, MIN]`);
  }
  throw illegalArgument(`Illegal sort mode: ${text}`);
}

function readMissing(text: string): Missing {
  if (text === '_first' || text === '_last') return text;
  throw illegalArgument(`Illegal missing value:[${text}], must be one of [_last, _first]`);
}

export const IndexSortSettings = {
  sortField: setting('index.sort.field', listKind, [], 'final'),
  sortOrder: setting('index.sort.order', listOf(readOrder), [], 'final'),
  sortMode: setting('index.sort.mode', listOf(readMode), [], 'final'),
  sortMissing: setting('index.sort.missing', listOf(readMissing), [], 'final'),
} as const;

/** With all defaults, in the order in which they decide; empty: documents stay as they came. */
export function indexSort(settings: FlatSettings): readonly SortField[] {
  const fields = valueOf(IndexSortSettings.sortField, settings) ?? [];
  if (fields.length === 0) return [];
  const orders = valueOf(IndexSortSettings.sortOrder, settings);
  const modes = valueOf(IndexSortSettings.sortMode, settings);
  const missing = valueOf(IndexSortSettings.sortMissing, settings);
  return fields.map((field, at) => {
    const descending = orders?.[at] === 'desc';
    const mode = modes?.[at] ?? (descending ? 'max' : 'min');
    return { field, descending, byGreatest: mode === 'max', missingFirst: missing?.[at] === '_first' };
  });
}

/** What is said of fields is said of each, or not at all. */
export function checkIndexSortTogether(settings: FlatSettings): void {
  const fields = valueOf(IndexSortSettings.sortField, settings) ?? [];
  const { sortOrder, sortMode, sortMissing } = IndexSortSettings;
  const modes = (valueOf(sortMode, settings) ?? []).map((mode) => mode.toUpperCase());
  for (const [name, values] of [
    ['order', valueOf(sortOrder, settings) ?? []],
    ['mode', modes],
    ['missing', valueOf(sortMissing, settings) ?? []],
  ] as const) {
    if (values.length === 0 || values.length === fields.length) continue;
    throw illegalArgument(
      `index.sort.field:[${fields.join(', ')}] index.sort.${name}:[${values.join(', ')}], size mismatch`,
    );
  }
}
