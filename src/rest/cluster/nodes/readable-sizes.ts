import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import { formatBytes } from '../../../base/units.js';

/** Beside each size what people write. */
export function withReadableSizes(section: JsonObject): JsonObject {
  const entries = Object.entries(section).flatMap(([name, value]) => {
    const isSize = name.endsWith('_in_bytes') && typeof value === 'number';
    const readable = isSize ? [[name.slice(0, -'_in_bytes'.length), formatBytes(value)] as const] : [];
    return [...readable, [name, isJsonObject(value) ? withReadableSizes(value) : value] as const];
  });
  return Object.fromEntries(entries);
}
