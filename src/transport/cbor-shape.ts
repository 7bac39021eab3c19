/**
 * The CBOR (RFC 8949) that nodes send each other uses few of its forms. Whatever else a peer sends is refused before the
 * library sees it: unknown tags (which it would make objects of many kinds of), indefinite lengths, deep nesting.
 */
import { MESSAGE_DEPTH_MAX } from '../base/limits.js';

/** A number: which of the message's byte arrays. */
export const BYTE_ARRAY_TAG = 41_017;
/** The same, of 32-bit words. */
export const WORD_ARRAY_TAG = 41_018;

const POSITIVE_BIG_INTEGER_TAG = 2;
const NEGATIVE_BIG_INTEGER_TAG = 3;
/** A JavaScript `Map`; CBOR maps without it are objects. */
const MAP_TAG = 259;
const ALLOWED_TAGS: ReadonlySet<number> = new Set([
  POSITIVE_BIG_INTEGER_TAG,
  NEGATIVE_BIG_INTEGER_TAG,
  MAP_TAG,
  BYTE_ARRAY_TAG,
  WORD_ARRAY_TAG,
]);

const TWO_POW_32 = 0x1_0000_0000;
const BYTES_OF_ARGUMENT = [1, 2, 4, 8] as const;
const FALSE = 20;
const UNDEFINED = 23;
const PROTO = Buffer.from('__proto__', 'latin1');

/**
 * Throws unless `bytes` are exactly one item of the forms that are used here. Gives the places of all texts that are
 * `__proto__`, see `proto-names.ts`.
 */
export function checkShape(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Of every open array, map and tag: the items that are missing yet. */
  const open: number[] = [1];
  const protoPlaces: number[] = [];
  let at = 0;
  while (open.length > 0) {
    const missing = open[open.length - 1] ?? 0;
    if (missing === 0) {
      open.pop();
      continue;
    }
    open[open.length - 1] = missing - 1;
    const item = readHead(view, at);
    at = item.end;
    if (item.isText && isProto(bytes, at, item.payload)) protoPlaces.push(at);
    if (item.payload > bytes.length - at) throw new Error('it is cut short');
    at += item.payload;
    // Every item takes at least one byte.
    if (item.children > bytes.length - at) throw new Error('it is cut short');
    if (item.children === 0) continue;
    if (open.length > MESSAGE_DEPTH_MAX) throw new Error(`it is nested deeper than ${MESSAGE_DEPTH_MAX} levels`);
    open.push(item.children);
  }
  if (at !== bytes.length) throw new Error('there are bytes behind its end');
  return protoPlaces;
}

function isProto(bytes: Uint8Array, at: number, length: number): boolean {
  return length === PROTO.length && PROTO.every((byte, place) => bytes[at + place] === byte);
}

interface Head {
  /** Where the head ends. */
  readonly end: number;
  readonly isText: boolean;
  /** Bytes that follow and are no items. */
  readonly payload: number;
  /** Items that follow. */
  readonly children: number;
}

function readHead(view: DataView, at: number): Head {
  if (at >= view.byteLength) throw new Error('it is cut short');
  const first = view.getUint8(at);
  const major = first >> 5;
  const info = first & 0x1f;
  const argumentBytes = info < 24 ? 0 : BYTES_OF_ARGUMENT[info - 24];
  if (argumentBytes === undefined) throw new Error('it has items of indefinite length');
  const end = at + 1 + argumentBytes;
  if (end > view.byteLength) throw new Error('it is cut short');
  const argument = argumentBytes === 0 ? info : readArgument(view, at + 1, argumentBytes);
  switch (major) {
    case 0: // Integers.
    case 1:
      return { end, isText: false, payload: 0, children: 0 };
    case 2: // Bytes of big integers.
    case 3: // Text.
      return { end, isText: major === 3, payload: argument, children: 0 };
    case 4: // Array.
      return { end, isText: false, payload: 0, children: argument };
    case 5: // Keys and values.
      return { end, isText: false, payload: 0, children: argument * 2 };
    case 6:
      if (!ALLOWED_TAGS.has(argument)) throw new Error(`it has the unknown tag [${argument}]`);
      return { end, isText: false, payload: 0, children: 1 };
    default:
      if (argumentBytes < 2 && (info < FALSE || info > UNDEFINED)) throw new Error('it has an unknown simple value');
      return { end, isText: false, payload: 0, children: 0 };
  }
}

function readArgument(view: DataView, at: number, bytes: 1 | 2 | 4 | 8): number {
  switch (bytes) {
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at);
    case 4:
      return view.getUint32(at);
    case 8:
      return view.getUint32(at) * TWO_POW_32 + view.getUint32(at + 4);
  }
}
