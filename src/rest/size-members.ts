/** A size as the API prints it. */
import type { JsonObject } from '../base/json-value.js';
import { formatBytes } from '../base/units.js';

/** For people as well, where they ask for it. */
export function sizeMembers(name: string, bytes: number, isHuman: boolean): JsonObject {
  return { ...(isHuman ? { [name]: formatBytes(bytes) } : {}), [`${name}_in_bytes`]: bytes };
}
