/** The body of `_msearch`: pairs of lines, what to search and the search itself. */
import { illegalArgument } from '../../base/errors.js';
import { parseJsonBytes } from '../../base/json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { QuarryError } from '../../base/errors.js';
import type { RequestBody } from '../../search/body/place.js';

/** Searches of one request; the API has no limit, and this one is far above what a client sends. */
export const SEARCHES_MAX = 100_000;

export interface LinePair {
  readonly header: JsonObject;
  readonly body: LineBody;
}

const NEWLINE = 0x0a;
const EMPTY = new Uint8Array(0);

/** Empty lines before a header are skipped; one in place of a header stands for no header at all. */
export function readLinePairs(bytes: Uint8Array): readonly LinePair[] {
  const pairs: LinePair[] = [];
  const lines = new Lines(bytes);
  for (;;) {
    const header = lines.next();
    if (header === undefined) break;
    if (header.number === 1 && header.bytes.length === 0) continue;
    const body = lines.next();
    if (body === undefined) break;
    if (pairs.length === SEARCHES_MAX) throw illegalArgument(`a request holds at most [${SEARCHES_MAX}] searches`);
    pairs.push({ header: readHeader(header), body: new LineBody(body.bytes, body.number) });
  }
  return pairs;
}

interface Line {
  readonly bytes: Uint8Array;
  /** From 1. */
  readonly number: number;
}

class Lines {
  private readonly bytes: Uint8Array;
  private at = 0;
  private number = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  next(): Line | undefined {
    if (this.at === this.bytes.length) return undefined;
    const end = this.bytes.indexOf(NEWLINE, this.at);
    if (end === -1) throw illegalArgument('The msearch request must be terminated by a newline [\n]');
    const line = this.bytes.subarray(this.at, end);
    this.at = end + 1;
    this.number++;
    return { bytes: isBlank(line) ? EMPTY : line, number: this.number };
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function readHeader({ bytes, number }: Line): JsonObject {
  if (bytes.length === 0) return {};
  const value = parseJsonBytes(bytes, number);
  if (isJsonObject(value)) return value;
  throw new QuarryError('parsing_exception', 'Expected [START_OBJECT] at the start of a search header', {
    details: { line: number, col: 1 },
  });
}

/** The second line of a pair; places in errors name its line in the whole body. */
export class LineBody implements RequestBody {
  readonly bytes: Uint8Array;
  readonly firstLine: number;
  private parsed: { readonly value: JsonValue } | undefined;

  constructor(bytes: Uint8Array, firstLine: number) {
    this.bytes = bytes;
    this.firstLine = firstLine;
  }

  object(): JsonObject | undefined {
    if (this.bytes.length === 0) return undefined;
    this.parsed ??= { value: parseJsonBytes(this.bytes, this.firstLine) };
    const { value } = this.parsed;
    if (isJsonObject(value)) return value;
    throw new QuarryError('parsing_exception', 'Expected [START_OBJECT] at the start of a search', {
      details: { line: this.firstLine, col: 1 },
    });
  }
}
