/**
 * Numbers that JavaScript cannot repeat as they were written: `9007199254740993` loses its last digit, `400.0` its
 * fraction. Where the exact text matters (values of queries) these are read as strings, which the kernels turn into the
 * type of the field.
 */
import type { JsonValue } from '../../base/json-value.js';

/** A string, or a number with enough digits, a fraction of zeros or an exponent. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const SUSPECT = /\d{16}|\d\.\d*0(?!\d)|\d[eE]/;

/** The body again with such numbers as strings; `undefined` when it has none. `text` has been parsed before. */
export function withExactNumbers(text: string): JsonValue | undefined {
  if (!SUSPECT.test(text)) return undefined;
  const quoted = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${token}"`,
  );
  return quoted === text ? undefined : (JSON.parse(quoted) as JsonValue);
}
