/** A request body as an endpoint sees it: unpacked, turned into JSON bytes where it came as something else. */
import { QuarryError, illegalArgument } from '../base/errors.js';
import { decodeUtf8, parseJsonBytes } from '../base/json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { contentTooLarge } from './content-too-large.js';
import type { BodyKind, RestBody } from './endpoint.js';
import { requestMediaType, type BodyFormat, type MediaType } from './media-type.js';

const EMPTY = new Uint8Array(0);

export interface EncodedBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly contentEncoding: string;
}

/**
 * Checks the media type against what the endpoint takes, unpacks gzip (up to `bytesMax`, else 413), and transcodes
 * YAML and CBOR to JSON.
 */
export async function readBody(
  encoded: EncodedBody,
  kind: BodyKind,
  bytesMax: number,
): Promise<{ body: RestBody; mediaType: MediaType | undefined }> {
  if (encoded.bytes.length === 0) return { body: new JsonBody(EMPTY), mediaType: undefined };
  const mediaType = requestMediaType(encoded.contentType);
  checkFormat(mediaType.format, kind, encoded.contentType);
  const bytes = await unpack(encoded, bytesMax);
  return { body: new JsonBody(await toJsonBytes(bytes, mediaType.format)), mediaType };
}

class JsonBody implements RestBody {
  readonly bytes: Uint8Array;
  private parsed: { readonly value: JsonValue } | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  value(): JsonValue | undefined {
    if (this.isEmpty) return undefined;
    this.parsed ??= { value: parseJsonBytes(this.bytes) };
    return this.parsed.value;
  }

  object(): JsonObject | undefined {
    const value = this.value();
    if (value === undefined || isJsonObject(value)) return value;
    throw new QuarryError('parsing_exception', 'Expected [START_OBJECT] at the start of the request body');
  }

  requireObject(): JsonObject {
    const object = this.object();
    if (object === undefined) throw new QuarryError('parse_exception', 'request body is required');
    return object;
  }
}

function checkFormat(format: BodyFormat, kind: BodyKind, contentType: string): void {
  const isRefused = kind === 'ndjson' ? format !== 'ndjson' && format !== 'json' : format === 'ndjson';
  if (!isRefused) return;
  throw new QuarryError('media_type_header_exception', `Content-Type header [${contentType}] is not supported`);
}

async function unpack(encoded: EncodedBody, bytesMax: number): Promise<Uint8Array> {
  const encoding = encoded.contentEncoding.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return encoded.bytes;
  if (encoding !== 'gzip') {
    throw new QuarryError(
      'unsupported_media_type_exception',
      `Content-Encoding [${encoding}] is not supported, use [gzip]`,
    );
  }
  const { gunzip } = await import('node:zlib');
  // zlib works on another thread, where memory shared with the front must not be read.
  const packed = Uint8Array.from(encoded.bytes);
  return new Promise((resolve, reject) => {
    gunzip(packed, { maxOutputLength: bytesMax }, (error: NodeJS.ErrnoException | null, unpacked) => {
      if (error === null) resolve(unpacked);
      else if (error.code === 'ERR_BUFFER_TOO_LARGE') reject(contentTooLarge(bytesMax));
      else reject(illegalArgument(`the body is not valid gzip: ${error.message}`));
    });
  });
}

async function toJsonBytes(bytes: Uint8Array, format: BodyFormat): Promise<Uint8Array> {
  if (format === 'yaml') {
    const { yamlToJson } = await import('./yaml-body.js');
    return Buffer.from(await yamlToJson(decodeUtf8(bytes)), 'utf8');
  }
  if (format === 'cbor') {
    const { cborToJson } = await import('./cbor-body.js');
    return Buffer.from(cborToJson(bytes), 'utf8');
  }
  return bytes;
}
