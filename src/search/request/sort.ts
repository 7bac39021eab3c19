/** `sort`: a field name, an object, or an array of them. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonScalar } from '../../base/json-value.js';
import { isFieldType } from '../../mapping/types.js';
import type { Place } from '../body/place.js';
import { readScalar, readText } from '../body/read.js';
import type { ScriptPlan } from '../plan/query-plan.js';
import type {
  FieldSortPlan,
  MissingPlan,
  ScriptSortPlan,
  SortKeyPlan,
  SortMode,
  SortOrder,
} from '../plan/search-plan.js';
import { computedField } from '../script/computed-field.js';
import { readScript } from '../script/read-script.js';
import type { Draft, ParseQuery } from '../query/query-parser.js';
import { readGeoSort } from './geo-sort.js';
import { modeOf, orderOf, readNested } from './sort-options.js';

/** Each keeps the values of a window of documents, some 50 kB, in each search that runs. */
const KEYS_MAX = 1_000;

/** Sort keys of hits; by descending score alone is the same as none. */
export function readSort(place: Place, parseQuery: ParseQuery): readonly SortKeyPlan[] {
  return withoutDefault(readSortKeys(place, parseQuery));
}

/** All keys that a request names. */
export function readSortKeys(place: Place, parseQuery: ParseQuery): readonly SortKeyPlan[] {
  if (!place.isArray && !place.isObject && typeof place.value !== 'string') {
    throw illegalArgument('malformed sort format, either start with array, object, or an actual string');
  }
  const keys = place.items().flatMap((item) => {
    if (item.isObject) return item.members().map(([field, value]) => readKey(field, value, parseQuery));
    if (typeof item.value === 'string') return [sortKey(item.value, {})];
    throw illegalArgument('malformed sort format, within the sort array, an object, or an actual string are allowed');
  });
  return checkCount(keys);
}

/** `sort` of the query string: `field`, `field:asc`. */
export function readUriSort(items: readonly string[]): readonly SortKeyPlan[] {
  const keys = items.map((item) => {
    const colon = item.lastIndexOf(':');
    if (colon === -1) return sortKey(item, {});
    return sortKey(item.slice(0, colon), { order: orderOf(item.slice(colon + 1)) });
  });
  return withoutDefault(checkCount(keys));
}

function checkCount(keys: readonly SortKeyPlan[]): readonly SortKeyPlan[] {
  if (keys.length <= KEYS_MAX) return keys;
  throw illegalArgument(`[sort] has [${keys.length}] keys, but may have [${KEYS_MAX}] at most`);
}

function withoutDefault(keys: readonly SortKeyPlan[]): readonly SortKeyPlan[] {
  const [first] = keys;
  const isDefault = keys.length === 1 && first !== undefined && 'score' in first && first.score.order === 'desc';
  return isDefault ? [] : keys;
}

function sortKey(field: string, options: Draft<FieldSortPlan>): SortKeyPlan {
  if (field === '_score') return { score: { order: options.order ?? 'desc' } };
  const order = options.order ?? 'asc';
  if (field === '_doc') return { doc: { order } };
  if (field === '_shard_doc') return { shard_doc: { order } };
  return { field: { ...options, field, order, missing: options.missing ?? 'last' } };
}

function readKey(field: string, place: Place, parseQuery: ParseQuery): SortKeyPlan {
  if (field === '_script') return { script: readScriptSort(place) };
  if (field === '_geo_distance') return { geo_distance: readGeoSort(place, parseQuery) };
  if (typeof place.value === 'string') return sortKey(field, { order: orderOf(place.value) });
  if (!place.isObject) {
    throw place.error(`malformed sort format, expected an object or an order for [${field}] but found ${place.token}`);
  }
  const options: Draft<FieldSortPlan> = {};
  const sortName = field === '_score' ? '_score' : 'field_sort';
  for (const [name, value] of place.members()) {
    if (name === 'nested' && sortName !== '_score') options.nested = readNested(value, parseQuery);
    else readOption(options, sortName, name, value);
  }
  return sortKey(field, options);
}

function readOption(options: Draft<FieldSortPlan>, sortName: string, name: string, value: Place): void {
  if (name === 'order') options.order = orderOf(readText(value));
  else if (sortName === '_score') throw value.errorWithPlace(`[${sortName}] unknown field [${name}]`);
  else if (name === 'mode') options.mode = modeOf(readText(value));
  else if (name === 'missing') options.missing = missingOf(readScalar(value));
  else if (name === 'unmapped_type') readUnmappedType(options, readText(value));
  else if (name === 'format') options.format = readText(value);
  else if (name === 'numeric_type') options.numeric_type = numericTypeOf(readText(value));
  else if (name === 'nested_path' || name === 'nested_filter') {
    throw illegalArgument(`[${name}] has been removed in favour of the [nested] parameter`);
  } else throw value.errorWithPlace(`[${sortName}] unknown field [${name}]`);
}

/** Wrong names are errors where the field is not mapped, as in the API. */
function readUnmappedType(options: Draft<FieldSortPlan>, name: string): void {
  if (isFieldType(name) || name === 'object' || name === 'nested') options.unmapped_type = name;
  else options.unknown_type = name;
}

function readScriptSort(place: Place): ScriptSortPlan {
  if (!place.isObject) throw place.error(`malformed sort format, expected an object for [_script]`);
  let script: ScriptPlan | undefined;
  let type: string | undefined;
  let order: SortOrder = 'asc';
  let mode: SortMode | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'script') script = readScript(value);
    else if (name === 'type') type = readText(value);
    else if (name === 'order') order = orderOf(readText(value));
    else if (name === 'mode') mode = modeOf(readText(value));
    else if (name === 'nested' || name === 'nested_path' || name === 'nested_filter') {
      throw illegalArgument(`[${name}] of a sort is not supported`);
    } else throw value.errorWithPlace(`[_script] unknown field [${name}]`);
  }
  if (script === undefined) throw place.error('[_script] requires [script]', 'illegal_argument_exception');
  if (type === 'number') return { script, order };
  if (type !== 'string') throw illegalArgument(`Unknown ScriptSortType [${type ?? ''}]`);
  if (mode !== undefined && mode !== 'min' && mode !== 'max') {
    throw illegalArgument(`script sort of type [string] doesn't support mode [${mode}]`);
  }
  const computed = computedField({ type: 'keyword', script, context: 'string_sort' });
  return { script, order, computed };
}

function missingOf(value: JsonScalar): MissingPlan {
  if (value === '_first') return 'first';
  if (value === '_last' || value === null) return 'last';
  return { value };
}

function numericTypeOf(text: string): string {
  const type = text.toLowerCase();
  if (['long', 'double', 'date', 'date_nanos'].includes(type)) return type;
  throw new QuarryError(
    'illegal_argument_exception',
    `invalid value for [numeric_type], must be [long, double, date, date_nanos], got ${text}`,
  );
}
