/** The API's mapping JSON to a {@link Mapping}: every parameter checked, unknown ones refused by name. */
import { QuarryError } from '../base/errors.js';
import type { Mapping, MappingContext } from './types.js';

/**
 * Parses the body of `PUT {index}/_mapping`, or the `mappings` member of an index creation.
 * Throws `mapper_parsing_exception` or `illegal_argument_exception`.
 */
export function parseMapping(body: unknown, context: MappingContext): Mapping {
  void context;
  throw new QuarryError('internal_error', `mappings cannot be parsed yet: ${typeof body}`);
}
