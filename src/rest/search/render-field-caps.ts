/** The capabilities of fields over several indices, grouped by field and type. */
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import type { FieldCapability } from '../../mapping/field-capabilities.js';
import { errorBody } from '../error-body.js';

export interface IndexCapabilities {
  readonly index: string;
  readonly fields: readonly FieldCapability[];
}

export interface FailedIndex {
  readonly index: string;
  readonly failure: QuarryError;
}

interface Holder {
  readonly index: string;
  readonly capability: FieldCapability;
}

export function renderFieldCapabilities(indices: readonly IndexCapabilities[], includeUnmapped: boolean): JsonObject {
  const byField = new Map<string, Map<string, Holder[]>>();
  for (const { index, fields } of indices) {
    for (const capability of fields) {
      const types = byField.get(capability.name) ?? new Map<string, Holder[]>();
      byField.set(capability.name, types);
      types.set(capability.type, [...(types.get(capability.type) ?? []), { index, capability }]);
    }
  }
  const names = indices.map(({ index }) => index).sort();
  const fields = [...byField].sort(byName).map(([field, types]) => {
    if (includeUnmapped) addUnmapped(field, types, names);
    const entries = [...types].sort(byName).map(([type, holders]) => [type, renderType(type, holders, types.size > 1)]);
    return [field, Object.fromEntries(entries) as JsonObject] as const;
  });
  return { indices: names, fields: Object.fromEntries(fields) };
}

export function renderFailures(failed: readonly FailedIndex[]): JsonObject {
  if (failed.length === 0) return {};
  const failures = failed.map(({ index, failure }) => {
    const { error } = errorBody(failure, { errorTrace: false }).body;
    return { indices: [index], failure: { error: error ?? null } };
  });
  return { failed_indices: failed.length, failures };
}

function byName(left: readonly [string, unknown], right: readonly [string, unknown]): number {
  return left[0] < right[0] ? -1 : 1;
}

function addUnmapped(name: string, types: Map<string, Holder[]>, indices: readonly string[]): void {
  const mapped = new Set([...types.values()].flatMap((holders) => holders.map(({ index }) => index)));
  const unmapped = indices.filter((index) => !mapped.has(index));
  if (unmapped.length === 0) return;
  const capability: FieldCapability = {
    name,
    type: 'unmapped',
    searchable: false,
    aggregatable: false,
    isMetadata: false,
    isMultiField: false,
    meta: {},
  };
  types.set(
    'unmapped',
    unmapped.map((index) => ({ index, capability })),
  );
}

/** Indices are named only where they differ. */
function renderType(type: string, holders: readonly Holder[], hasOtherTypes: boolean): JsonObject {
  const without = (able: (capability: FieldCapability) => boolean): readonly string[] => {
    const lacking = holders.filter(({ capability }) => !able(capability)).map(({ index }) => index);
    return lacking.length === holders.length ? [] : lacking.sort();
  };
  const searchable = (capability: FieldCapability): boolean => capability.searchable;
  const aggregatable = (capability: FieldCapability): boolean => capability.aggregatable;
  const notSearchable = without(searchable);
  const notAggregatable = without(aggregatable);
  const meta = mergedMeta(holders);
  return {
    type,
    metadata_field: holders.some(({ capability }) => capability.isMetadata),
    searchable: holders.every(({ capability }) => searchable(capability)),
    aggregatable: holders.every(({ capability }) => aggregatable(capability)),
    ...(hasOtherTypes ? { indices: holders.map(({ index }) => index).sort() } : {}),
    ...(notSearchable.length === 0 ? {} : { non_searchable_indices: notSearchable }),
    ...(notAggregatable.length === 0 ? {} : { non_aggregatable_indices: notAggregatable }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

/** Every value that some index gives a key of `meta`. */
function mergedMeta(holders: readonly Holder[]): JsonObject {
  const values = new Map<string, Set<JsonValue>>();
  for (const [key, value] of holders.flatMap(({ capability }) => Object.entries(capability.meta))) {
    if (value === undefined) continue;
    values.set(key, (values.get(key) ?? new Set<JsonValue>()).add(value));
  }
  return Object.fromEntries([...values].sort(byName).map(([key, set]) => [key, [...set].sort()]));
}
