/** Plain data as requests and answers have it. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value behind the members of a path; `undefined` where there is none. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let found = value;
  for (const step of path) {
    if (isArray(found) && typeof step === 'number') found = found[step];
    else if (isObject(found) && typeof step === 'string') found = found[step];
    else return undefined;
  }
  return found;
}
