/** `runtime_mappings`: fields that exist for one request. */
import { compileRuntime, readRuntime } from '../../mapping/runtime.js';
import type { Place } from '../body/place.js';
import type { ComputedFieldPlan } from '../plan/search-plan.js';

export function readRuntimeMappings(place: Place): readonly ComputedFieldPlan[] {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] in [runtime_mappings] but found [${place.token}]`);
  return [...readRuntime(place.value)].flatMap(([name, field]) => compileRuntime(name, field));
}
