/** The document within an update that pipelines run over: what it makes when there is none yet. */
import { decodeUtf8 } from '../../base/json.js';
import { isObject, parseValue, writeValue, type IngestObject } from '../../ingest/document/values.js';

export interface UpdateBody {
  /** Of the upsert. */
  readonly source: Uint8Array;
  /** The body with another one in its place. */
  replace(source: Uint8Array): Uint8Array;
}

/** Undefined when the update makes no document. */
export function readUpdateBody(bytes: Uint8Array): UpdateBody | undefined {
  const body = parseValue(decodeUtf8(bytes));
  if (!isObject(body)) return undefined;
  const name = body['doc_as_upsert'] === true ? 'doc' : 'upsert';
  const upsert = Object.hasOwn(body, name) ? body[name] : undefined;
  if (!isObject(upsert)) return undefined;
  return { source: encode(upsert), replace: (source) => encode({ ...body, [name]: parseValue(decodeUtf8(source)) }) };
}

function encode(object: IngestObject): Uint8Array {
  return Buffer.from(writeValue(object), 'utf8');
}
