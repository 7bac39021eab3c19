/** Reading single values of a mapping: booleans, whole numbers and texts in the forms the API takes. */
import { QuarryError, illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';

/** `true`, `false`, or either as a text. Throws `illegal_argument_exception`. */
export function readBoolean(value: JsonValue): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw illegalArgument(`Failed to parse value [${show(value)}] as only [true] or [false] are allowed.`);
}

/** As {@link readBoolean}; the error names the setting. */
export function readNamedBoolean(value: JsonValue, name: string): boolean {
  try {
    return readBoolean(value);
  } catch (cause) {
    throw new QuarryError('illegal_argument_exception', `Could not convert [${name}] to boolean`, { cause });
  }
}

/** A whole number within 32 bits, or the text of one. Throws `illegal_argument_exception`. */
export function readInteger(value: JsonValue): number {
  const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 2 ** 31) {
    throw new QuarryError('number_format_exception', `For input string: "${show(value)}"`);
  }
  return number;
}

/** A finite number, or the text of one. */
export function readNumber(value: JsonValue): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new QuarryError('number_format_exception', `For input string: "${show(value)}"`);
  }
  return number;
}

/** Any scalar as text. */
export function readString(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw illegalArgument(`expected a string but got [${show(value)}]`);
}

/** A text, or an array of texts. */
export function readStrings(value: JsonValue): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(readString) : [readString(value)];
}

/** A value as the API's messages show it: texts bare, objects `{a=1, b=[x, y]}`. */
export function show(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(show).join(', ')}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => `${key}=${show(member)}`);
    return `{${members.join(', ')}}`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function mapperParsing(reason: string, cause?: unknown): QuarryError {
  return new QuarryError('mapper_parsing_exception', reason, cause === undefined ? {} : { cause });
}

/** The members of an object that are there. */
export function entriesOf(object: JsonObject): [string, JsonValue][] {
  return Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
}

/** Refuses what is left of a definition: ` [name : value]` for each. */
export function unsupportedParameters(message: string, rest: readonly (readonly [string, JsonValue])[]): QuarryError {
  return mapperParsing(`${message}: ${rest.map(([name, value]) => ` [${name} : ${show(value)}]`).join('')}`);
}

/** Two values of a mapping are the same JSON (order of members aside). */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    const [left, right] = [a as readonly JsonValue[], b as readonly JsonValue[]];
    return left.length === right.length && left.every((element, index) => sameJson(element, right[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameJson(a[name], b[name]));
}

/** Texts in the order of their code units, as the API sorts names. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
