/** A mapping to the flat specification that the native side reads: every default resolved. */
import { QuarryError } from '../base/errors.js';
import type { Mapping, MappingSettings, MappingSpec } from './types.js';

/** `version` rises by one with each change of the index's mapping. */
export function compileMapping(mapping: Mapping, version: number, settings: MappingSettings): MappingSpec {
  void settings;
  throw new QuarryError('internal_error', `mapping version ${version} cannot be compiled yet: ${mapping.runtime.size}`);
}
