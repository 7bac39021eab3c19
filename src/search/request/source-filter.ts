/** `_source` of a search: whether, and which part of it, the hits show. */
import type { Place } from '../body/place.js';
import { readBoolean, readStrings, readText } from '../body/read.js';
import type { SourceFilterPlan } from '../plan/search-plan.js';

export function readSourceFilter(place: Place): SourceFilterPlan {
  if (typeof place.value === 'boolean') return { enabled: place.value };
  if (place.isArray) return included(place.items().map(readText));
  if (!place.isObject) {
    const { value } = place;
    if (typeof value !== 'string') {
      throw place.error(
        `Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] but found [${place.token}]`,
      );
    }
    return value === 'true' || value === 'false' ? { enabled: value === 'true' } : included([value]);
  }
  let includes: readonly string[] = [];
  let excludes: readonly string[] = [];
  let excludesVectors = false;
  for (const [name, value] of place.members()) {
    if (name === 'includes' || name === 'include') includes = readStrings(value);
    else if (name === 'excludes' || name === 'exclude') excludes = readStrings(value);
    else if (name === 'exclude_vectors') excludesVectors = readBoolean(value);
    else throw value.error(`Unknown key for a ${value.token} in [${name}].`);
  }
  return { enabled: true, includes, excludes, ...(excludesVectors ? { exclude_vectors: true } : {}) };
}

/** `_source`, `_source_includes` and `_source_excludes` of a query string; `undefined` when none is there. */
export function sourceFilterOfUri(
  source: readonly string[] | undefined,
  includes: readonly string[] | undefined,
  excludes: readonly string[] | undefined,
): SourceFilterPlan | undefined {
  if (source === undefined && includes === undefined && excludes === undefined) return undefined;
  const [only] = source ?? [];
  const isSwitch = source?.length === 1 && (only === 'true' || only === 'false');
  const enabled = !(isSwitch && only === 'false');
  const named = isSwitch || source === undefined ? [] : source;
  return { enabled, includes: includes ?? named, excludes: excludes ?? [] };
}

function included(includes: readonly string[]): SourceFilterPlan {
  return { enabled: true, includes };
}
