/** Makes a request smaller as long as the answers to it differ in the same way. */
import { isArray, isObject, type Json, type JsonObject } from '../json.js';

/** Attempts, each of which asks both servers. */
const ATTEMPTS_MAX = 150;

/** The smallest request found for which `differs` holds. */
export async function shrink(
  request: JsonObject,
  differs: (smaller: JsonObject) => Promise<boolean>,
): Promise<JsonObject> {
  let smallest = request;
  let attempts = 0;
  for (let again = true; again && attempts < ATTEMPTS_MAX;) {
    again = false;
    for (const smaller of smallerOnes(smallest)) {
      if (++attempts > ATTEMPTS_MAX) break;
      if (!isObject(smaller) || !(await differs(smaller))) continue;
      smallest = smaller;
      again = true;
      break;
    }
  }
  return smallest;
}

/** The value with one member or element less, or with one of its parts in the place of the whole; outer parts first. */
function* smallerOnes(value: Json): Generator<Json> {
  if (isArray(value)) {
    for (const rank of value.keys()) yield value.filter((_, other) => other !== rank);
    for (const [rank, part] of value.entries())
      for (const smaller of smallerOnes(part)) yield value.map((each, other) => (other === rank ? smaller : each));
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value))
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
  yield* clausesOf(value);
  for (const [name, part] of Object.entries(value))
    for (const smaller of smallerOnes(part)) yield { ...value, [name]: smaller };
}

/** A query within a query, in its place. */
function* clausesOf(value: JsonObject): Generator<Json> {
  for (const body of Object.values(value)) {
    if (!isObject(body)) continue;
    for (const part of Object.values(body)) {
      const clauses = isArray(part) ? part : [part];
      yield* clauses.filter((clause) => isObject(clause) && Object.keys(clause).length === 1);
    }
  }
}
