/**
 * Where the members of JSON objects lie in bytes that the kernels or another cluster wrote: documents are found and passed on
 * without being read. White space may be anywhere: documents are kept as they were sent, with that before and behind them.
 */
import { QuarryError } from '../../base/errors.js';

/** From its first byte to behind its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** The members of the object that begins at `start`, by name. */
export function membersOf(bytes: Uint8Array, start: number): ReadonlyMap<string, Span> {
  const members = new Map<string, Span>();
  let at = inside(bytes, start, OPEN_OBJECT);
  while (bytes[at] !== CLOSE_OBJECT) {
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    const nameEnd = endOfValue(bytes, at);
    const name = readString(bytes, { start: at, end: nameEnd });
    const colon = skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) throw unexpected(colon);
    const value = valueAt(bytes, skipSpace(bytes, colon + 1));
    members.set(name, value);
    at = skipSpace(bytes, value.end);
  }
  return members;
}

/** The items of the array that begins at `start`. */
export function itemsOf(bytes: Uint8Array, start: number): readonly Span[] {
  const items: Span[] = [];
  let at = inside(bytes, start, OPEN_ARRAY);
  while (bytes[at] !== CLOSE_ARRAY) {
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    const item = valueAt(bytes, at);
    items.push(item);
    at = skipSpace(bytes, item.end);
  }
  return items;
}

/** Where the first member or item is, or the closing bracket. */
function inside(bytes: Uint8Array, start: number, bracket: number): number {
  const at = skipSpace(bytes, start);
  if (bytes[at] !== bracket) throw unexpected(at);
  return skipSpace(bytes, at + 1);
}

function valueAt(bytes: Uint8Array, start: number): Span {
  const end = endOfValue(bytes, start);
  if (end === start) throw unexpected(start);
  return { start, end };
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function readString(bytes: Uint8Array, { start, end }: Span): string {
  const text = readText(bytes, { start: start + 1, end: end - 1 });
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

export function readNumber(bytes: Uint8Array, span: Span): number {
  return Number(readText(bytes, span));
}

export function readText(bytes: Uint8Array, { start, end }: Span): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** Behind the last byte of the value that begins at `start`. */
function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNested(bytes, start);
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte)) return at;
  }
  throw unexpected(at);
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw unexpected(bytes.length);
}

function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw unexpected(bytes.length);
}

function unexpected(at: number): QuarryError {
  return new QuarryError('internal_error', `a page of hits cannot be read at byte [${at}]`);
}
