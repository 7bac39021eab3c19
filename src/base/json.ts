/**
 * A strict JSON parser that knows where it is: errors name line and column, duplicate keys and deep nesting are
 * refused, and integers beyond 2^53 can be kept exact. For request bodies; documents are parsed by the kernels.
 */
import { isUtf8 } from 'node:buffer';
import { Double, printDouble } from './double.js';
import { QuarryError } from './errors.js';
import type { JsonValue } from './json-value.js';
import { JSON_DEPTH_MAX, JSON_NUMBER_LENGTH_MAX } from './limits.js';

/** A JSON value whose integers beyond 2^53 are bigints. */
export type ExactJsonValue =
  string | number | bigint | boolean | null | readonly ExactJsonValue[] | { readonly [key: string]: ExactJsonValue };

/** Parses UTF-8 bytes. `firstLine` is the number of their first line in the body that they are part of. */
export function parseJsonBytes(bytes: Uint8Array, firstLine = 1): JsonValue {
  return parseJson(decodeUtf8(bytes), firstLine);
}

export function parseJson(text: string, firstLine = 1): JsonValue {
  return new JsonParser(text, Number, firstLine).document() as JsonValue;
}

/** Like {@link parseJson}, with integers beyond 2^53 as bigints. */
export function parseExactJson(text: string): ExactJsonValue {
  return new JsonParser(text, exactNumber, 1).document() as ExactJsonValue;
}

/** What a number of the text becomes. `isInteger` is false for one that is written with a fraction or an exponent. */
export type NumberReader = (digits: string, isInteger: boolean) => unknown;

/** Like {@link parseJson}, with numbers as the caller wants them. */
export function parseJsonWith(text: string, numbers: NumberReader): unknown {
  return new JsonParser(text, numbers, 1).document();
}

function exactNumber(digits: string, isInteger: boolean): number | bigint {
  const value = Number(digits);
  return isInteger && !Number.isSafeInteger(value) ? BigInt(digits) : value;
}

/** Writes values that may hold bigints and doubles; the text is the same as `JSON.stringify` would give otherwise. */
export function stringifyJson(value: unknown): string {
  return isExact(value) ? stringifyExact(value) : JSON.stringify(value);
}

/** The text of UTF-8 bytes; invalid bytes are refused with their place. */
export function decodeUtf8(bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(view)) return view.toString('utf8');
  const at = firstInvalidUtf8(view);
  const before = view.subarray(0, at).toString('utf8');
  const byte = (view[at] ?? 0).toString(16).padStart(2, '0');
  throw jsonError(before, before.length, `Invalid UTF-8 byte 0x${byte}`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class JsonParser {
  private readonly text: string;
  private readonly numbers: NumberReader;
  private readonly firstLine: number;
  private at = 0;
  private depth = 0;

  constructor(text: string, numbers: NumberReader, firstLine: number) {
    this.text = text;
    this.numbers = numbers;
    this.firstLine = firstLine;
  }

  document(): unknown {
    this.skipSpace();
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) this.unexpected('expected the end of the body');
    return value;
  }

  private value(): unknown {
    const code = this.text.charCodeAt(this.at);
    if (code === QUOTE) return this.string();
    if (code === OPEN_BRACE) return this.object();
    if (code === OPEN_BRACKET) return this.array();
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.number();
    if (this.text.startsWith('true', this.at)) return this.word('true', true);
    if (this.text.startsWith('false', this.at)) return this.word('false', false);
    if (this.text.startsWith('null', this.at)) return this.word('null', null);
    return this.unexpected('expected a valid value (JSON String, Number, Array, Object or token null, true or false)');
  }

  private word<T>(word: string, value: T): T {
    this.at += word.length;
    if (/[A-Za-z0-9_]/.test(this.text.charAt(this.at))) this.unexpected(`was expecting the end of [${word}]`);
    return value;
  }

  private object(): unknown {
    this.enter();
    const members: Record<string, unknown> = {};
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === CLOSE_BRACE) return this.leave(members);
    for (;;) {
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== QUOTE) this.unexpected('was expecting double-quote to start field name');
      const nameAt = this.at;
      const name = this.string();
      if (Object.hasOwn(members, name)) this.fail(`Duplicate field '${name}'`, nameAt);
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== COLON)
        this.unexpected('was expecting a colon to separate field name and value');
      this.at++;
      this.skipSpace();
      setMember(members, name, this.value());
      this.skipSpace();
      const code = this.text.charCodeAt(this.at);
      if (code === CLOSE_BRACE) return this.leave(members);
      if (code !== COMMA) this.unexpected('was expecting comma to separate Object entries');
      this.at++;
    }
  }

  private array(): unknown {
    this.enter();
    const items: unknown[] = [];
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === CLOSE_BRACKET) return this.leave(items);
    for (;;) {
      this.skipSpace();
      items.push(this.value());
      this.skipSpace();
      const code = this.text.charCodeAt(this.at);
      if (code === CLOSE_BRACKET) return this.leave(items);
      if (code !== COMMA) this.unexpected('was expecting comma to separate Array entries');
      this.at++;
    }
  }

  private enter(): void {
    this.at++;
    if (++this.depth > JSON_DEPTH_MAX) {
      this.fail(`Document nesting depth (${this.depth}) exceeds the maximum allowed (${JSON_DEPTH_MAX})`, this.at);
    }
  }

  private leave<T>(value: T): T {
    this.at++;
    this.depth--;
    return value;
  }

  private string(): string {
    const start = ++this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) return this.text.slice(start, this.at++);
      if (code === BACKSLASH) return this.escapedString(start);
      this.checkStringCharacter(code);
      this.at++;
    }
  }

  private escapedString(start: number): string {
    let value = this.text.slice(start, this.at);
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) {
        this.at++;
        return value;
      }
      if (code === BACKSLASH) value += this.escape();
      else {
        this.checkStringCharacter(code);
        value += this.text.charAt(this.at++);
      }
    }
  }

  private checkStringCharacter(code: number): void {
    if (Number.isNaN(code))
      this.fail('Unexpected end-of-input: was expecting closing quote for a string value', this.at);
    if (code < 0x20) {
      this.fail(`Illegal unquoted character ((CTRL-CHAR, code ${code})): has to be escaped using backslash`, this.at);
    }
  }

  private escape(): string {
    const letter = this.text.charAt(this.at + 1);
    if (letter === 'u') return this.escapedCharacter();
    const character = ESCAPES[letter];
    if (character === undefined) this.fail(`Unrecognized character escape '${letter}'`, this.at + 1);
    this.at += 2;
    return character;
  }

  /** One escape, or the two of a surrogate pair: half a pair is no character, and has no form in UTF-8. */
  private escapedCharacter(): string {
    const start = this.at;
    const first = this.escapedUnit();
    if (first < 0xd800 || first > 0xdfff) return String.fromCharCode(first);
    if (first < 0xdc00 && this.text.startsWith('\\u', this.at)) {
      const second = this.escapedUnit();
      if (second >= 0xdc00 && second <= 0xdfff) return String.fromCharCode(first, second);
    }
    return this.fail('Incomplete surrogate pair in a character escape sequence', start);
  }

  private escapedUnit(): number {
    const digits = this.text.slice(this.at + 2, this.at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('expected a hex-digit for character escape sequence', this.at + 2);
    this.at += 6;
    return Number.parseInt(digits, 16);
  }

  private number(): unknown {
    const pattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    const next = match === null ? this.at + 1 : pattern.lastIndex;
    if (match === null || /[\w.+-]/.test(this.text.charAt(next))) {
      this.fail(`Unexpected character (${describe(this.text, next)}) in numeric value`, next);
    }
    const [digits, fraction, exponent] = match;
    if (digits.length > JSON_NUMBER_LENGTH_MAX) {
      this.fail(
        `Number value length (${digits.length}) exceeds the maximum allowed (${JSON_NUMBER_LENGTH_MAX})`,
        this.at,
      );
    }
    this.at = next;
    return this.numbers(digits, fraction === undefined && exponent === undefined);
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private unexpected(expected: string): never {
    if (this.at >= this.text.length) this.fail(`Unexpected end-of-input: ${expected}`, this.at);
    return this.fail(`Unexpected character (${describe(this.text, this.at)}): ${expected}`, this.at);
  }

  private fail(reason: string, at: number): never {
    throw jsonError(this.text, at, reason, this.firstLine);
  }
}

/** `__proto__` is a name like any other in JSON. */
export function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

function describe(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? 'end-of-input' : `'${String.fromCodePoint(code)}' (code ${code})`;
}

function jsonError(text: string, at: number, reason: string, firstLine = 1): QuarryError {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  let line = firstLine;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return new QuarryError('x_content_parse_exception', `[${line}:${at - lineStart + 1}] ${reason}`);
}

/** Offset of the first byte that starts no valid character; the bytes are known to be invalid. */
function firstInvalidUtf8(view: Buffer): number {
  let at = 0;
  while (at < view.length) {
    const lead = view[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (at + length > view.length || !isUtf8(view.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

/** Whether there are numbers that `JSON.stringify` cannot write. */
function isExact(value: unknown): boolean {
  if (typeof value === 'bigint' || value instanceof Double) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(isExact);
}

function stringifyExact(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Double) return printDouble(value);
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : stringifyExact(item))).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyExact(member)}`).join(',')}}`;
}
