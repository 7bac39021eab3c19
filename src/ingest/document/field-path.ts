/** `a.b.0`: a place in a document, or in what is known of its way through the pipelines (`_ingest.timestamp`). */
import { CacheCounter } from '../../base/cache-counters.js';
import { illegalArgument } from '../../base/errors.js';
import { Memo } from '../../base/memo.js';

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
const known = new Memo<FieldPath>({
  counter: new CacheCounter('ingest_field_paths'),
  valuesMax: 1_000,
  textMax: 512,
});

/** Throws `illegal_argument_exception` for one that names nothing. */
export function fieldPath(text: string): FieldPath {
  return known.get(text, () => parse(text));
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
