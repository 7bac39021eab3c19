/**
 * CBOR (RFC 8949) to JSON text, as documents are kept. Strict where a library for values would not be: integers keep all their
 * digits, floating-point numbers stay such, and names that are no text, or come twice, are refused with their place.
 */
import { QuarryError } from '../base/errors.js';
import { JSON_DEPTH_MAX } from '../base/limits.js';
import { writeFloat, writeFloat32 } from './exact-number.js';

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const;
const INDEFINITE = 31;
const BREAK = 0xff;
const TAG_POSITIVE_BIGNUM = 2;
const TAG_NEGATIVE_BIGNUM = 3;
/** Bytes of a big number: more digits than any field takes, and than are worth writing. */
const BIGNUM_BYTES_MAX = 64;

interface Head {
  readonly major: number;
  /** The lower five bits: 31 where the length is open. */
  readonly info: number;
  readonly argument: number;
  /** The argument where it is written with 64 bits. */
  readonly exact?: bigint;
}

export function cborToJson(bytes: Uint8Array): string {
  const reader = new CborReader(bytes);
  const parts: string[] = [];
  reader.value(parts, 0);
  reader.end();
  return parts.join('');
}

class CborReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  end(): void {
    if (this.#at < this.#bytes.length) this.#refuse('there is more behind the value');
  }

  value(parts: string[], depth: number): void {
    if (depth > JSON_DEPTH_MAX) {
      this.#refuse(`nesting depth (${depth}) exceeds the maximum allowed (${JSON_DEPTH_MAX})`);
    }
    const head = this.#head();
    if (head.major === MAJOR.unsigned) parts.push(String(head.exact ?? head.argument));
    else if (head.major === MAJOR.negative) parts.push(negative(head));
    else if (head.major === MAJOR.bytes) parts.push(`"${this.#string(head).toString('base64')}"`);
    else if (head.major === MAJOR.text) parts.push(JSON.stringify(this.#text(head)));
    else if (head.major === MAJOR.array) this.#array(head, parts, depth);
    else if (head.major === MAJOR.map) this.#map(head, parts, depth);
    else if (head.major === MAJOR.tag) this.#tagged(head.argument, parts, depth);
    else parts.push(this.#simple(head));
  }

  #array(head: Head, parts: string[], depth: number): void {
    parts.push('[');
    for (let item = 0; !this.#isEnd(head, item); item++) {
      if (item > 0) parts.push(',');
      this.value(parts, depth + 1);
    }
    parts.push(']');
  }

  #map(head: Head, parts: string[], depth: number): void {
    const names = new Set<string>();
    parts.push('{');
    for (let member = 0; !this.#isEnd(head, member); member++) {
      if (member > 0) parts.push(',');
      const start = this.#at;
      const key = this.#head();
      if (key.major !== MAJOR.text) this.#refuse('the name of a field must be a text', start);
      const name = this.#text(key);
      if (names.has(name)) this.#refuse(`Duplicate field '${name}'`, start);
      names.add(name);
      parts.push(JSON.stringify(name), ':');
      this.value(parts, depth + 1);
    }
    parts.push('}');
  }

  /** Whether a container ends before the item of this number. */
  #isEnd(head: Head, item: number): boolean {
    if (head.info !== INDEFINITE) return item >= head.argument;
    if (this.#bytes[this.#at] !== BREAK) return false;
    this.#at++;
    return true;
  }

  /** What a tag says of a value is nothing to JSON, but for big numbers. */
  #tagged(tag: number, parts: string[], depth: number): void {
    if (tag !== TAG_POSITIVE_BIGNUM && tag !== TAG_NEGATIVE_BIGNUM) {
      this.value(parts, depth + 1);
      return;
    }
    const start = this.#at;
    const head = this.#head();
    if (head.major !== MAJOR.bytes) this.#refuse('a big number must be a byte string', start);
    const digits = this.#string(head);
    if (digits.length > BIGNUM_BYTES_MAX) {
      this.#refuse(`a big number of ${digits.length} bytes exceeds the maximum of ${BIGNUM_BYTES_MAX}`, start);
    }
    const magnitude = BigInt(`0x0${digits.toString('hex')}`);
    parts.push(String(tag === TAG_POSITIVE_BIGNUM ? magnitude : -1n - magnitude));
  }

  #simple({ info }: Head): string {
    if (info === 20) return 'false';
    if (info === 21) return 'true';
    if (info === 22 || info === 23) return 'null';
    if (info === 25) return writeFloat32(halfFloat(this.#bytes.readUInt16BE(this.#at - 2)));
    if (info === 26) return writeFloat32(this.#bytes.readFloatBE(this.#at - 4));
    if (info === 27) return writeFloat(this.#bytes.readDoubleBE(this.#at - 8));
    return this.#refuse('an unknown simple value');
  }

  #text(head: Head): string {
    const start = this.#at;
    const bytes = this.#string(head);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return this.#refuse('a text is not valid UTF-8', start);
    }
  }

  /** The bytes of a byte or text string, its parts put together. */
  #string(head: Head): Buffer {
    if (head.info !== INDEFINITE) return this.#take(head.argument);
    const parts: Buffer[] = [];
    while (!this.#isEnd(head, 0)) {
      const part = this.#head();
      if (part.major !== head.major || part.info === INDEFINITE) this.#refuse('a part of a string is no string');
      parts.push(this.#take(part.argument));
    }
    return Buffer.concat(parts);
  }

  #head(): Head {
    const [first = 0] = this.#take(1);
    const major = first >> 5;
    const info = first & 31;
    if (info < 24) return { major, info, argument: info };
    if (info <= 27) {
      const bytes = this.#take(1 << (info - 24));
      if (info < 27) return { major, info, argument: bytes.readUIntBE(0, bytes.length) };
      const exact = bytes.readBigUInt64BE(0);
      return { major, info, argument: Number(exact), exact };
    }
    const mayBeOpen = major === MAJOR.bytes || major === MAJOR.text || major === MAJOR.array || major === MAJOR.map;
    if (info !== INDEFINITE || !mayBeOpen) this.#refuse('a reserved or misplaced initial byte', this.#at - 1);
    return { major, info, argument: 0 };
  }

  #take(length: number): Buffer {
    const left = this.#bytes.length - this.#at;
    if (length > left) this.#refuse('Unexpected end-of-input', this.#bytes.length);
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  #refuse(why: string, at = this.#at): never {
    throw new QuarryError('x_content_parse_exception', `the body is not valid CBOR: ${why} (byte ${at})`);
  }
}

function negative({ argument, exact }: Head): string {
  return String(exact === undefined ? -1 - argument : -1n - exact);
}

/** A number of 16 bits: sign, five bits of exponent, ten of fraction. */
function halfFloat(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * 2 ** (exponent - 25) * (0x400 + fraction);
}
