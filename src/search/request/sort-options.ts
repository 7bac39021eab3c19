/** Options that several kinds of sort keys take. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readInt, readText } from '../body/read.js';
import type { NestedSortPlan, SortMode, SortOrder } from '../plan/search-plan.js';
import type { Draft, ParseQuery } from '../query/query-parser.js';

export function readNested(place: Place, parseQuery: ParseQuery): NestedSortPlan {
  if (!place.isObject) throw place.error('malformed nested sort format, must start with an object');
  const draft: Draft<NestedSortPlan> = {};
  for (const [name, value] of place.members()) {
    if (name === 'path') draft.path = readText(value);
    else if (name === 'filter') draft.filter = parseQuery(value);
    else if (name === 'max_children') draft.max_children = readMaxChildren(value);
    else if (name === 'nested') draft.nested = readNested(value, parseQuery);
    else throw value.error(`malformed nested sort format, unknown field name [${name}]`, 'illegal_argument_exception');
  }
  const { path } = draft;
  if (path === undefined) throw place.error('malformed nested sort format, [path] is missing');
  return { ...draft, path };
}

/** As many as there are, where it is the greatest number of the API. */
function readMaxChildren(value: Place): number {
  const most = readInt(value);
  if (most < 0) throw illegalArgument(`[max_children] must not be negative, found [${most}]`);
  return most;
}

export function orderOf(text: string): SortOrder {
  const order = text.toLowerCase();
  if (order === 'asc' || order === 'desc') return order;
  throw illegalArgument(`No enum constant org.elasticsearch.search.sort.SortOrder.${text.toUpperCase()}`);
}

const MODES: readonly SortMode[] = ['min', 'max', 'sum', 'avg', 'median'];

export function modeOf(text: string): SortMode {
  const mode = MODES.find((known) => known === text.toLowerCase());
  if (mode !== undefined) return mode;
  throw illegalArgument(`Unknown SortMode [${text}]`);
}
