/** The first line of each pair of `_msearch`: what the path and the query string say of a single search. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { splitList } from '../parameters.js';
import { noSearchValues, type SearchValues } from './search-call.js';

export interface SearchHeader {
  /** The index expression; undefined: that of the request's path. */
  readonly index: string | undefined;
  readonly parameters: SearchValues;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

interface Draft {
  index: string | undefined;
  readonly parameters: Writable<SearchValues>;
}

type Reader = (draft: Draft, value: JsonValue, name: string) => void;

const readIndex: Reader = (draft, value, name) => {
  const names = namesOf(value, name);
  if (names.length > 0) draft.index = names.join(',');
};

const READERS: Readonly<Record<string, Reader>> = {
  index: readIndex,
  indices: readIndex,
  allow_no_indices: (draft, value, name) => {
    draft.parameters.allow_no_indices = flagOf(value, name);
  },
  allow_partial_search_results: (draft, value, name) => {
    draft.parameters.allow_partial_search_results = flagOf(value, name);
  },
  ccs_minimize_roundtrips: (draft, value, name) => {
    draft.parameters.ccs_minimize_roundtrips = flagOf(value, name);
  },
  expand_wildcards: (draft, value, name) => {
    draft.parameters.expand_wildcards = namesOf(value, name).flatMap(splitList);
  },
  ignore_throttled: (draft, value, name) => {
    draft.parameters.ignore_throttled = flagOf(value, name);
  },
  ignore_unavailable: (draft, value, name) => {
    draft.parameters.ignore_unavailable = flagOf(value, name);
  },
  preference: (draft, value, name) => {
    draft.parameters.preference = textOf(value, name);
  },
  request_cache: (draft, value, name) => {
    draft.parameters.request_cache = flagOf(value, name);
  },
  routing: (draft, value, name) => {
    draft.parameters.routing = namesOf(value, name).join(',');
  },
  search_type: (draft, value, name) => {
    draft.parameters.search_type = textOf(value, name);
  },
};

/** `common` holds what the query string says of all searches. */
export function readSearchHeader(header: JsonObject, common: Partial<SearchValues>): SearchHeader {
  const draft: Draft = { index: undefined, parameters: { ...noSearchValues(), ...common } };
  for (const [name, value] of Object.entries(header)) {
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (read === undefined) throw illegalArgument(`key [${name}] is not supported in the metadata section`);
    if (value !== undefined && value !== null) read(draft, value, name);
  }
  return draft;
}

function textOf(value: JsonValue, name: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw illegalArgument(`[${name}] of a search header must be a string`);
}

function namesOf(value: JsonValue, name: string): readonly string[] {
  if (!Array.isArray(value)) return [textOf(value, name)];
  return (value as readonly JsonValue[]).map((item) => textOf(item, name));
}

function flagOf(value: JsonValue, name: string): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw illegalArgument(`Could not convert [${name}] to boolean`);
}
