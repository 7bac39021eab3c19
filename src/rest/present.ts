/** The last step of every answer: filter, layout, encoding, compression. Runs in the worker. */
import { parseExactJson, parseJsonWith, stringifyJson } from '../base/json.js';
import type { RestAnswer } from './answer.js';
import type { Presentation } from './endpoint.js';
import { compileFilterPath, filterJson } from './filter-path.js';
import { CONTENT_TYPES, type BodyFormat, type MediaType } from './media-type.js';
import { isWorthPacking, packed } from './packed.js';
import { prettyJson } from './pretty-json.js';
import { withTypes } from './typed-documents.js';
import type { WireAnswer } from './wire.js';

export interface PresentationChoice {
  readonly presentation: Presentation;
  /** From `Accept`, else from the body's type. */
  readonly mediaType: MediaType | undefined;
  /** Whether the caller takes gzip and the node is set to send it. */
  readonly gzip: boolean;
  /** Documents have a `_type`, as in version 7. */
  readonly typed: boolean;
}

const EMPTY = new Uint8Array(0);

export async function present(answer: RestAnswer, choice: PresentationChoice): Promise<WireAnswer> {
  const headers: [string, string][] = Object.entries(answer.headers ?? {});
  if (answer.kind === 'empty') return { status: answer.status, headers, body: EMPTY };
  const { contentType, body } = await encode(answer, choice);
  headers.push(['content-type', contentType]);
  const whole = { status: answer.status, headers, body };
  const sent = choice.gzip && isWorthPacking(body) ? await packed(whole) : whole;
  return { ...sent, body: inOwnMemory(sent.body) };
}

type WithBody = Exclude<RestAnswer, { kind: 'empty' }>;

async function encode(
  answer: WithBody,
  choice: PresentationChoice,
): Promise<{ contentType: string; body: Uint8Array }> {
  if (answer.kind === 'text') {
    return { contentType: answer.contentType ?? CONTENT_TYPES.text, body: Buffer.from(answer.text, 'utf8') };
  }
  const filter = compileFilterPath(choice.presentation.filterPath);
  const { format, contentType } = encoding(choice);
  const isPlain = filter === undefined && format === 'json' && !choice.presentation.pretty && !choice.typed;
  if (answer.kind === 'json' && isPlain) {
    return { contentType, body: concatenate(answer.chunks) };
  }
  let json = answer.kind === 'json' ? textOf(answer.chunks) : stringifyJson(answer.value);
  if (choice.typed) json = withTypes(json);
  if (filter !== undefined) json = filterJson(json, filter);
  if (format === 'yaml') return { contentType, body: await yamlBytes(json) };
  if (format === 'cbor') return { contentType, body: await cborBytes(json) };
  return { contentType, body: Buffer.from(choice.presentation.pretty ? prettyJson(json) : json, 'utf8') };
}

/** `format` wins over the media type; what is neither YAML nor CBOR is JSON. */
export function encoding(choice: PresentationChoice): { format: BodyFormat; contentType: string } {
  const asked = choice.presentation.format ?? choice.mediaType?.format;
  const format = asked === 'yaml' || asked === 'cbor' ? asked : 'json';
  const contentType = choice.mediaType?.format === format ? choice.mediaType.contentType : CONTENT_TYPES[format];
  return { format, contentType };
}

/** A piece of the pool that buffers share, or of the room of an encoder or of zlib, would take all of that along to the front, and keep it. */
function inOwnMemory(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** In memory of its own, unless it is one chunk. */
export function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function textOf(chunks: readonly Uint8Array[]): string {
  const bytes = concatenate(chunks);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

async function yamlBytes(json: string): Promise<Uint8Array> {
  const { Scalar, stringify } = await import('yaml');
  const number = (digits: string, isInteger: boolean): unknown => {
    const value = Number(digits);
    if (isInteger) return Number.isSafeInteger(value) ? value : BigInt(digits);
    return Number.isInteger(value) ? Object.assign(new Scalar(value), { minFractionDigits: 1 }) : value;
  };
  return Buffer.from(
    `---\n${stringify(parseJsonWith(json, number), {
      aliasDuplicateObjects: false,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
    })}`,
    'utf8',
  );
}

async function cborBytes(json: string): Promise<Uint8Array> {
  const { Encoder } = await import('cbor-x/index-no-eval');
  return new Encoder({ useRecords: false, mapsAsObjects: true, variableMapSize: true }).encode(parseExactJson(json));
}
