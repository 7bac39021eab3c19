/**
 * Where the members of JSON objects lie in bytes that the kernels wrote: documents are found and passed on without being read. The
 * bytes are known to be JSON, written without spaces between members; a document inside may be laid out as it was sent.
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
  let at = start + 1;
  while (bytes[at] !== CLOSE_OBJECT) {
    if (bytes[at] === COMMA) at++;
    const nameEnd = endOfValue(bytes, at);
    const name = readString(bytes, { start: at, end: nameEnd });
    if (bytes[nameEnd] !== COLON) throw unexpected(nameEnd);
    const end = endOfValue(bytes, nameEnd + 1);
    members.set(name, { start: nameEnd + 1, end });
    at = end;
  }
  return members;
}

/** The items of the array that begins at `start`. */
export function itemsOf(bytes: Uint8Array, start: number): readonly Span[] {
  const items: Span[] = [];
  let at = start + 1;
  while (bytes[at] !== CLOSE_ARRAY) {
    if (bytes[at] === COMMA) at++;
    const end = endOfValue(bytes, at);
    if (end === at) throw unexpected(at);
    items.push({ start: at, end });
    at = end;
  }
  return items;
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
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return at;
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
