/** The mapping of an index as the kernels take it. */
import { compileMapping } from '../../mapping/compile.js';
import { mappingSettings } from '../settings/index-values.js';
import type { IndexMetadata } from '../state.js';

/** JSON. */
export function compiledMapping(index: IndexMetadata): string {
  return JSON.stringify(compileMapping(index.mapping, index.mappingVersion, mappingSettings(index)));
}
