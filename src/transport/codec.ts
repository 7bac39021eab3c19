/**
 * Messages between nodes as bytes: plain data of objects, arrays, maps, strings, numbers, big integers, booleans, null,
 * undefined, byte arrays and arrays of unsigned 32-bit words; the same that crosses between threads, without shared memory. One difference remains: -0
 * arrives as 0.
 *
 * Layout, numbers little-endian of 32 bits: format (1), number of byte arrays, length of the CBOR part, length of each byte
 * array; the CBOR part (RFC 8949; maps with tag 259, see `cbor-shape.ts`), in which a byte array is a tagged number, and so is an
 * array of words, which crosses as its bytes (the machines that the kernels are built for are little-endian); the byte arrays.
 * They are copied once, straight into the message.
 */
import { addExtension, Encoder } from 'cbor-x/index-no-eval';
import { fromPlainError, isErrorType, toPlainError, type PlainError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import { MESSAGE_BYTE_ARRAYS_MAX, TRANSPORT_MESSAGE_BYTES_MAX } from '../base/limits.js';
import { BYTE_ARRAY_TAG, checkShape, WORD_ARRAY_TAG } from './cbor-shape.js';
import { decodeWithProtoNames } from './proto-names.js';

const FORMAT = 1;
const WORD_BYTES = 4;
const FIXED_WORDS = 3;

/** Of the library: the buffer that it writes to is free again as soon as the result was copied. */
const RESET_BUFFER_MODE = 1_024;

/** The library's declarations do not know the mode. */
interface CborCodec {
  encode(value: unknown, mode: number): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

const cbor: CborCodec = new Encoder({
  useRecords: false,
  mapsAsObjects: true,
  variableMapSize: true,
  useToJSON: false,
});

/** Of the message that is being written or read; the library knows no other way, and does either in one go. */
let byteArrays: Uint8Array[] = [];

addExtension<Uint8Array, number>({
  Class: Uint8Array,
  tag: BYTE_ARRAY_TAG,
  encode(value, encode) {
    byteArrays.push(value);
    return encode(byteArrays.length - 1);
  },
  decode: byteArrayAt,
});

addExtension<Uint32Array, number>({
  Class: Uint32Array,
  tag: WORD_ARRAY_TAG,
  encode({ buffer, byteOffset, byteLength }, encode) {
    byteArrays.push(new Uint8Array(buffer, byteOffset, byteLength));
    return encode(byteArrays.length - 1);
  },
  decode(index) {
    const bytes = byteArrayAt(index);
    if (bytes.length % WORD_BYTES !== 0) throw new Error(`byte array [${index}] has no whole number of words`);
    // A copy: words must lie at multiples of their size.
    const words = new Uint32Array(bytes.length / WORD_BYTES);
    new Uint8Array(words.buffer).set(bytes);
    return words;
  },
});

function byteArrayAt(index: number): Uint8Array {
  const found = byteArrays[index];
  if (found === undefined) throw new Error(`there is no byte array [${index}]`);
  return found;
}

export function encodeMessage(value: unknown): Uint8Array {
  byteArrays = [];
  try {
    const encoded = cbor.encode(value, RESET_BUFFER_MODE);
    return frame(encoded, byteArrays);
  } catch (cause) {
    const reason = `a message between nodes cannot be written: ${(cause as Error).message}`;
    throw new QuarryError('transport_serialization_exception', reason, { cause });
  } finally {
    byteArrays = [];
  }
}

/**
 * Anything that {@link encodeMessage} did not write is a `transport_serialization_exception`. Byte arrays of the result
 * are views of `bytes`; arrays of words are copies.
 */
export function decodeMessage(bytes: Uint8Array): unknown {
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { encoded, arrays } = unframe(plain);
    const protoPlaces = checkShape(encoded);
    byteArrays = arrays;
    if (protoPlaces.length === 0) return cbor.decode(encoded);
    return decodeWithProtoNames(encoded, protoPlaces, (bytes) => cbor.decode(bytes));
  } catch (cause) {
    const reason = `a message between nodes cannot be read: ${(cause as Error).message}`;
    throw new QuarryError('transport_serialization_exception', reason, { cause });
  } finally {
    byteArrays = [];
  }
}

export function encodeError(thrown: unknown): Uint8Array {
  return encodeMessage(toPlainError(thrown));
}

/** The error that was thrown on the other node. */
export function decodeError(bytes: Uint8Array): QuarryError {
  const plain = decodeMessage(bytes);
  if (!isPlainError(plain)) {
    return new QuarryError('transport_serialization_exception', 'the error of another node cannot be read');
  }
  return fromPlainError(plain);
}

function frame(encoded: Uint8Array, arrays: readonly Uint8Array[]): Uint8Array {
  const headBytes = (FIXED_WORDS + arrays.length) * WORD_BYTES;
  const total = arrays.reduce((sum, array) => sum + array.length, headBytes + encoded.length);
  if (total > TRANSPORT_MESSAGE_BYTES_MAX) throw new Error(`it has ${total} of ${TRANSPORT_MESSAGE_BYTES_MAX} bytes`);
  const message = new Uint8Array(total);
  const head = new DataView(message.buffer, 0, headBytes);
  const words = [FORMAT, arrays.length, encoded.length, ...arrays.map((array) => array.length)];
  for (const [place, word] of words.entries()) head.setUint32(place * WORD_BYTES, word, true);
  let at = headBytes;
  for (const part of [encoded, ...arrays]) {
    message.set(part, at);
    at += part.length;
  }
  return message;
}

function unframe(message: Uint8Array): { encoded: Uint8Array; arrays: Uint8Array[] } {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const word = (place: number): number => {
    if ((place + 1) * WORD_BYTES > message.length) throw new Error('it is cut short');
    return view.getUint32(place * WORD_BYTES, true);
  };
  if (word(0) !== FORMAT) throw new Error(`its format [${word(0)}] is unknown`);
  const count = word(1);
  const encodedBytes = word(2);
  if (count > MESSAGE_BYTE_ARRAYS_MAX) throw new Error(`it claims ${count} of ${MESSAGE_BYTE_ARRAYS_MAX} byte arrays`);
  let at = (FIXED_WORDS + count) * WORD_BYTES;
  const take = (length: number): Uint8Array => {
    if (at + length > message.length) throw new Error('it is cut short');
    at += length;
    return message.subarray(at - length, at);
  };
  const encoded = take(encodedBytes);
  const arrays: Uint8Array[] = [];
  for (let place = 0; place < count; place++) arrays.push(take(word(FIXED_WORDS + place)));
  if (at !== message.length) throw new Error('there are bytes behind its end');
  return { encoded, arrays };
}

function isPlainError(value: unknown): value is PlainError {
  if (typeof value !== 'object' || value === null) return false;
  const { type, reason, status, details, rootCauses, causedBy, stack } = value as Record<keyof PlainError, unknown>;
  return (
    typeof type === 'string' &&
    isErrorType(type) &&
    typeof reason === 'string' &&
    Number.isInteger(status) &&
    typeof details === 'object' &&
    details !== null &&
    Array.isArray(rootCauses) &&
    rootCauses.every(isPlainError) &&
    (causedBy === undefined || isPlainError(causedBy)) &&
    (stack === undefined || typeof stack === 'string')
  );
}
