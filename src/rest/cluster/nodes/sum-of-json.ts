/** The statistics of several nodes as those of one. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';

/** Numbers are added, members of objects and places of lists one by one; of anything else the first is taken. */
export function sumOfJson(objects: readonly JsonObject[]): JsonObject {
  return objects.reduce(sumOfTwo, {});
}

function sumOfTwo(left: JsonObject, right: JsonObject): JsonObject {
  const added = Object.entries(right).map(([name, value]) => [name, sumOfValues(left[name], value)] as const);
  return { ...left, ...Object.fromEntries(added) };
}

function sumOfValues(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (Array.isArray(left) && Array.isArray(right)) return sumOfLists(left, right);
  return isJsonObject(left) && isJsonObject(right) ? sumOfTwo(left, right) : left;
}

function sumOfLists(left: readonly JsonValue[], right: readonly JsonValue[]): JsonValue {
  const [longer, shorter] = left.length >= right.length ? [left, right] : [right, left];
  return longer.map((value, at) => sumOfValues(value, shorter[at]) ?? value);
}
