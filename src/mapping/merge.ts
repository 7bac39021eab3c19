/** An update into an existing mapping, under the API's update rules. */
import { QuarryError } from '../base/errors.js';
import type { Mapping, MappingContext } from './types.js';

/**
 * The mapping with the update's fields added and its changes made. Returns `current` itself when nothing changes.
 * Throws `illegal_argument_exception` when a change is not allowed or a limit of the index is exceeded.
 */
export function mergeMapping(current: Mapping, update: Mapping, context: MappingContext): Mapping {
  void update;
  void context;
  throw new QuarryError('internal_error', `mappings cannot be merged yet: ${current.runtime.size}`);
}
