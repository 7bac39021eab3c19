/** One page of hits, as bytes with the places of what a change by query needs of each. */
import { QuarryError } from '../../base/errors.js';
import { itemsOf, membersOf, readNumber, readString, readText, type Span } from './json-members.js';

export interface Hit {
  readonly index: string;
  readonly id: string;
  readonly routing: string | undefined;
  /** Absent where it was not asked for, and -1 where a remote cluster does not tell. */
  readonly version: bigint;
  readonly seqNo: number;
  readonly primaryTerm: number;
  /** In the bytes of the page; undefined: the source was not asked for, or is not kept. */
  readonly source: Span | undefined;
}

export interface Page {
  readonly bytes: Uint8Array;
  readonly hits: readonly Hit[];
  /** Of all pages. */
  readonly total: number;
}

/** Reads the `hits` object of a search, which begins at `start`. */
export function readPage(bytes: Uint8Array, start = 0): Page {
  const members = membersOf(bytes, start);
  const hits = members.get('hits');
  return {
    bytes,
    total: totalOf(bytes, members.get('total')),
    hits: hits === undefined ? [] : itemsOf(bytes, hits.start).map((hit) => readHit(bytes, hit.start)),
  };
}

const OPEN_OBJECT = 0x7b;

/** A number, or an object with a value. */
function totalOf(bytes: Uint8Array, span: Span | undefined): number {
  if (span === undefined) return 0;
  if (bytes[span.start] !== OPEN_OBJECT) return readNumber(bytes, span);
  const value = membersOf(bytes, span.start).get('value');
  return value === undefined ? 0 : readNumber(bytes, value);
}

function readHit(bytes: Uint8Array, start: number): Hit {
  const members = membersOf(bytes, start);
  const text = (name: string): string | undefined => {
    const span = members.get(name);
    return span === undefined ? undefined : readString(bytes, span);
  };
  const number = (name: string): number => {
    const span = members.get(name);
    return span === undefined ? -1 : readNumber(bytes, span);
  };
  const id = text('_id');
  const index = text('_index');
  if (id === undefined || index === undefined)
    throw new QuarryError('internal_error', 'a hit has no [_id] or [_index]');
  return {
    index,
    id,
    routing: text('_routing'),
    version: versionOf(bytes, members.get('_version')),
    seqNo: number('_seq_no'),
    primaryTerm: number('_primary_term'),
    source: members.get('_source'),
  };
}

/** External versions may be any 64-bit number. */
function versionOf(bytes: Uint8Array, span: Span | undefined): bigint {
  const text = span === undefined ? '' : readText(bytes, span);
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : -1n;
}

/** A view of the bytes. */
export function readBytes(bytes: Uint8Array, { start, end }: Span): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}
