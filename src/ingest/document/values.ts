/** What a document holds while pipelines work on it: JSON, with numbers that keep what they were written as. */
import { Double, double, printDouble } from '../../base/double.js';
import { parseJsonWith, setMember } from '../../base/json.js';
import type { JsonValue } from '../../base/json-value.js';

export type IngestValue = string | number | bigint | Double | boolean | null | IngestValue[] | IngestObject;
export interface IngestObject {
  [name: string]: IngestValue;
}

export function isObject(value: unknown): value is IngestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Double);
}

/** The object's own member; undefined where it has none. */
export function memberOf(object: IngestObject, name: string): IngestValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `__proto__` is a name like any other. */
export function putMember(object: IngestObject, name: string, value: IngestValue): void {
  setMember(object, name, value);
}

export function parseValue(text: string): IngestValue {
  return parseJsonWith(text, readNumber) as IngestValue;
}

function readNumber(digits: string, isInteger: boolean): number | bigint | Double {
  const value = Number(digits);
  if (!isInteger) return double(value);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

export function fromJson(value: JsonValue): IngestValue {
  return structuredClone(value) as IngestValue;
}

/** The value as JSON. Numbers that JSON has no form for are written as texts. */
export function writeValue(value: IngestValue): string {
  return isPlain(value) ? JSON.stringify(value) : writeExact(value);
}

function isPlain(value: IngestValue): boolean {
  if (typeof value === 'bigint' || value instanceof Double) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.every(isPlain) : Object.values(value).every(isPlain);
}

function writeExact(value: IngestValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Double || typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`);
  return `{${members.join(',')}}`;
}

function writeNumber(value: number | Double): string {
  const text = printNumber(value);
  return /^-?\d/.test(text) ? text : JSON.stringify(text);
}

function printNumber(value: number | bigint | Double): string {
  return value instanceof Double ? printDouble(value) : String(value);
}

/** The text of a value in templates and messages: lists as `[a, b]`, objects as `{a=b}`. */
export function printValue(value: IngestValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value instanceof Double) return printNumber(value);
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}=${printValue(member)}`)
    .join(', ')}}`;
}

/** The API names types as its reference implementation does. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return 'java.lang.String';
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  if (typeof value === 'bigint') return isLong(value) ? 'java.lang.Long' : 'java.math.BigInteger';
  if (value instanceof Double) return 'java.lang.Double';
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return 'java.lang.Double';
    return isInt(value) ? 'java.lang.Integer' : 'java.lang.Long';
  }
  return Array.isArray(value) ? 'java.util.ArrayList' : 'java.util.HashMap';
}

export function isInt(value: number): boolean {
  return value >= -0x8000_0000 && value <= 0x7fff_ffff;
}

export function isLong(value: bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 63n;
}

/** The number of a value that is one. */
export function numberOf(value: IngestValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Double ? value.value : undefined;
}

export function sameValue(left: IngestValue, right: IngestValue): boolean {
  if (left === right) return true;
  if (left instanceof Double) return right instanceof Double && left.value === right.value;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (right instanceof Double || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  const [ofLeft, ofRight] = [left as IngestObject, right as IngestObject];
  return names.every((name) => Object.hasOwn(ofRight, name) && sameValue(ofLeft[name] ?? null, ofRight[name] ?? null));
}
