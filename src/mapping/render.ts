/** A mapping as the API prints it: only what differs from the defaults, fields in order of their names. */
import { QuarryError } from '../base/errors.js';
import type { JsonObject, Mapping } from './types.js';

/** The `mappings` object of `GET {index}/_mapping` and `GET {index}`. */
export function renderMapping(mapping: Mapping): JsonObject {
  throw new QuarryError('internal_error', `mappings cannot be printed yet: ${mapping.runtime.size}`);
}
