/** Fields that documents brought: dynamic templates, then the defaults for each JSON kind. */
import { QuarryError } from '../base/errors.js';
import type { Mapping, MappingContext, UnmappedField } from './types.js';

/**
 * The mapping with the reported fields added (those meanwhile known are skipped). Returns `current` itself when
 * nothing changes. Throws `illegal_argument_exception` when a limit of the index would be exceeded.
 */
export function applyDynamicUpdates(
  current: Mapping,
  report: readonly UnmappedField[],
  context: MappingContext,
): Mapping {
  void report;
  void context;
  throw new QuarryError('internal_error', `mappings cannot be extended yet: ${current.runtime.size}`);
}
