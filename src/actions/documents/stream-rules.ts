/** What may be written to a data stream: new documents with a time, and to its indices what names a version of them. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { TIMESTAMP_FIELD } from '../../cluster/data-streams/data-streams.js';
import type { ItemAction } from '../../native/descriptor.js';
import type { WriteTarget } from './write-target.js';

export interface StreamItem {
  readonly action: ItemAction;
  readonly routing: string | undefined;
  /** Only if the document is still what it was. */
  readonly isConditional: boolean;
  readonly source: Uint8Array;
}

/** Throws why the item may not be written; does nothing for what is no part of a data stream. */
export function checkStreamItem({ index, stream, parent }: WriteTarget, item: StreamItem): void {
  if (stream !== undefined) {
    if (item.action !== 'create') {
      throw illegalArgument('only write ops with an op_type of create are allowed in data streams');
    }
    if (item.routing !== undefined && !stream.allowCustomRouting) {
      throw illegalArgument(
        `index request targeting data stream [${stream.name}] specifies a custom routing but the [allow_custom_routing] ` +
          "setting is not enabled in the data stream's template.",
      );
    }
    checkTimestamp(item.source);
  } else if (parent !== undefined && (item.action === 'create' || item.action === 'index') && !item.isConditional) {
    const what = item.action === 'create' ? 'op_type=create' : 'op_type=index and no if_primary_term and if_seq_no set';
    throw illegalArgument(
      `index request with ${what} targeting backing indices is disallowed, target corresponding data stream ` +
        `[${parent.name}] instead of [${index.name}]`,
    );
  }
}

const KEY = Buffer.from(`"${TIMESTAMP_FIELD}"`, 'utf8');
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, NULL_START] = [0x7b, 0x7d, 0x5b, 0x5d, 0x6e];

function checkTimestamp(source: Uint8Array): void {
  const value = timestampAt(source);
  if (value === undefined || source[value] === NULL_START) {
    throw parsing(`data stream timestamp field [${TIMESTAMP_FIELD}] is missing`);
  }
  if (source[value] !== OPEN_BRACKET) return;
  const end = source.indexOf(CLOSE_BRACKET, value);
  if (source.subarray(value, end).includes(COMMA)) {
    throw parsing(`data stream timestamp field [${TIMESTAMP_FIELD}] encountered multiple values`);
  }
}

/** Where the value of the document's own field begins: a walk over the bytes before it, which are few as a rule. */
function timestampAt(source: Uint8Array): number | undefined {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (!bytes.includes(KEY)) return undefined;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      const isKey = depth === 1 && end - at + 1 === KEY.length && bytes.subarray(at, end + 1).equals(KEY);
      const colon = isKey ? skipSpace(bytes, end + 1) : -1;
      if (isKey && bytes[colon] === COLON) return skipSpace(bytes, colon + 1);
      at = end;
    }
  }
  return undefined;
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

function parsing(reason: string): QuarryError {
  return new QuarryError('mapper_parsing_exception', reason);
}
