/** `GET {index}/_mapping/field/{fields}`. */
import type { JsonObject } from '../base/json-value.js';
import { renderField, type RenderFieldOptions } from './render.js';
import type { Mapping } from './types.js';
import { compareNames } from './values.js';
import { fieldsOf } from './walk.js';
import { simpleMatch } from './wildcard.js';

/**
 * The `mappings` object of one index: full name to `{ full_name, mapping }` for each leaf field (objects are not
 * listed) whose full name matches one of the wildcard patterns.
 */
export function fieldMapping(mapping: Mapping, patterns: readonly string[], options: RenderFieldOptions): JsonObject {
  const found = [...fieldsOf(mapping)]
    .filter(({ path }) => patterns.some((pattern) => simpleMatch(pattern, path)))
    .sort((a, b) => compareNames(a.path, b.path));
  return Object.fromEntries(
    found.map(({ path, field }) => {
      const name = path.slice(path.lastIndexOf('.') + 1);
      return [path, { full_name: path, mapping: { [name]: renderField(field, options) } }];
    }),
  );
}
