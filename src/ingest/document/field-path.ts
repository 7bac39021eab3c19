/** `a.b.0`: a place in a document, or in what is known of its way through the pipelines (`_ingest.timestamp`). */
import { illegalArgument } from '../../base/errors.js';

export interface FieldPath {
  /** As written. */
  readonly text: string;
  readonly isIngest: boolean;
  /** Without the prefix that says where it begins. */
  readonly rest: string;
  readonly parents: readonly string[];
  readonly leaf: string;
}

/** Documents name fields too, with texts of any length. */
const PARTS_MAX = 1_000;
const CACHE_MAX = 1_000;
const CACHED_CHARACTERS_MAX = 512;
const cache = new Map<string, FieldPath>();

/** Throws `illegal_argument_exception` for one that names nothing. */
export function fieldPath(text: string): FieldPath {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const path = parse(text);
  if (text.length > CACHED_CHARACTERS_MAX) return path;
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(text, path);
  return path;
}

function parse(text: string): FieldPath {
  if (text === '') throw illegalArgument('path cannot be null nor empty');
  const isIngest = text.startsWith('_ingest.');
  const rest = text.replace(/^(?:_ingest|_source)\./, '');
  const parts = rest.split('.');
  while (parts.length > 0 && parts.at(-1) === '') parts.pop();
  if (parts.length > PARTS_MAX) throw illegalArgument(`a path has at most [${PARTS_MAX}] parts, not [${parts.length}]`);
  const leaf = parts.pop();
  if (leaf === undefined) throw illegalArgument(`path [${text}] is not valid`);
  return { text, isIngest, rest, parents: parts, leaf };
}
