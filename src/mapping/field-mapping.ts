/** `GET {index}/_mapping/field/{fields}`. */
import { QuarryError } from '../base/errors.js';
import type { JsonObject, Mapping, MappingSettings } from './types.js';

/**
 * The `mappings` object of one index: full name to `{ full_name, mapping }` for each leaf field (objects are not
 * listed) whose full name matches one of the wildcard patterns.
 */
export function fieldMapping(
  mapping: Mapping,
  patterns: readonly string[],
  options: { readonly includeDefaults: boolean; readonly settings: MappingSettings },
): JsonObject {
  void patterns;
  void options;
  throw new QuarryError('internal_error', `field mappings cannot be printed yet: ${mapping.runtime.size}`);
}
