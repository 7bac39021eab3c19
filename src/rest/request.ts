/** From what the front sends to what a handler gets: parameters parsed and checked, presentation, body. */
import { CacheCounter } from '../base/cache-counters.js';
import { illegalArgument } from '../base/errors.js';
import { Memo } from '../base/memo.js';
import type { NodeSettings } from '../base/node-settings.js';
import { didYouMean } from '../base/suggest.js';
import { readBody } from './body.js';
import type { Endpoint, Presentation, RestRequest } from './endpoint.js';
import { acceptedMediaType, type MediaType } from './media-type.js';
import { booleanParameter, listParameter, type ParameterDeclarations } from './parameters.js';
import { parseQueryString } from './query-string.js';
import type { BareRequest, WireRequest } from './wire.js';

/** Parameters of every endpoint. */
const COMMON_PARAMETERS = ['pretty', 'human', 'format', 'filter_path', 'error_trace', 'source', 'source_content_type'];

const FORMATS = ['json', 'yaml', 'cbor', 'text'] as const;

/** How the answer is to look; needed for errors too, so it is read first and on its own. */
export function readPresentation(query: ReadonlyMap<string, string>, accepted: MediaType | undefined): Presentation {
  const flag = (name: string): boolean => {
    const text = query.get(name);
    return text === undefined ? false : booleanParameter(false).parse(text, name);
  };
  const filterPath = query.get('filter_path');
  return {
    format: readFormat(query.get('format')) ?? formatOf(accepted),
    pretty: flag('pretty'),
    human: flag('human'),
    filterPath: filterPath === undefined ? [] : (listParameter().parse(filterPath, 'filter_path') ?? []),
    errorTrace: flag('error_trace'),
  };
}

export async function readRequest(
  wire: WireRequest,
  endpoint: Endpoint,
  query: ReadonlyMap<string, string>,
  presentation: Presentation,
  bodyBytesMax: number,
): Promise<{ request: RestRequest; bodyType: MediaType | undefined }> {
  const parameters = readParameters(wire, query, endpoint.parameters);
  if (endpoint.body === 'none' && wire.body !== undefined && wire.body.length > 0) {
    throw illegalArgument(`request [${wire.method} ${wire.rawPath}] does not support having a body`);
  }
  const { body, mediaType } = await readBody(bodyOrSource(wire, query), endpoint.body, bodyBytesMax);
  const request: RestRequest = {
    method: wire.method,
    rawPath: wire.rawPath,
    query: wire.query,
    parts: wire.parts,
    parameters,
    sentParameters: new Set(query.keys()),
    body,
    presentation,
  };
  return { request, bodyType: mediaType };
}

/** `Accept`, else nothing in particular. */
export function readAccept(wire: BareRequest): MediaType | undefined {
  return acceptedMediaType(wire.headers.accept);
}

/** Whether the caller takes gzip and the node is set to send it. */
export function takesGzip({ headers }: BareRequest, { values }: NodeSettings): boolean {
  return values['http.compression'] && /\bgzip\b/.test(headers.acceptEncoding);
}

/** Query strings in many requests are few. */
const KEPT_QUERIES = { counter: new CacheCounter('query_strings'), valuesMax: 256, textMax: 512 };
const queries = new Memo<ReadonlyMap<string, string>>(KEPT_QUERIES);

export function readQuery({ query }: BareRequest): ReadonlyMap<string, string> {
  return queries.get(query, () => parseQueryString(query));
}

function readFormat(text: string | undefined): Presentation['format'] {
  if (text === undefined) return undefined;
  const format = FORMATS.find((known) => known === text.toLowerCase());
  if (format !== undefined) return format;
  throw illegalArgument(`unknown value [${text}] for parameter [format], expected one of [${FORMATS.join(', ')}]`);
}

function formatOf(accepted: MediaType | undefined): Presentation['format'] {
  return accepted?.format === 'ndjson' ? 'json' : accepted?.format;
}

/** The body, or the `source` parameter that stands for it where no body can be sent. */
function bodyOrSource(wire: WireRequest, query: ReadonlyMap<string, string>): Parameters<typeof readBody>[0] {
  const source = query.get('source');
  const hasBody = wire.body !== undefined && wire.body.length > 0;
  if (source === undefined || hasBody) {
    return {
      bytes: wire.body ?? new Uint8Array(0),
      contentType: wire.headers.contentType,
      contentEncoding: wire.headers.contentEncoding,
    };
  }
  const contentType = query.get('source_content_type');
  if (contentType === undefined) {
    throw illegalArgument('source and source_content_type parameters are required');
  }
  return { bytes: Buffer.from(source, 'utf8'), contentType, contentEncoding: '' };
}

interface Expected {
  readonly names: ReadonlySet<string>;
  /** The values where nothing is said. */
  readonly missing: Readonly<Record<string, unknown>>;
  /** What query strings said of late. */
  readonly sent: Memo<Readonly<Record<string, unknown>>>;
}

/** An endpoint may declare dozens of parameters, of which a request has few. */
const expectedOf = new WeakMap<ParameterDeclarations, Expected>();

function expected(declarations: ParameterDeclarations): Expected {
  let known = expectedOf.get(declarations);
  if (known === undefined) {
    const missing = Object.entries(declarations).map(([name, kind]) => [name, kind.missing]);
    known = {
      names: new Set([...Object.keys(declarations), ...COMMON_PARAMETERS]),
      missing: Object.fromEntries(missing) as Readonly<Record<string, unknown>>,
      sent: new Memo(KEPT_QUERIES),
    };
    expectedOf.set(declarations, known);
  }
  return known;
}

/** All that the endpoint declares, parsed. Throws what is wrong with those that were sent. */
export function readParameters(
  { rawPath, query: text }: BareRequest,
  query: ReadonlyMap<string, string>,
  declarations: ParameterDeclarations,
): Readonly<Record<string, unknown>> {
  const { names, missing, sent } = expected(declarations);
  return sent.get(text, () => {
    checkKnown(rawPath, query, names);
    const parameters = { ...missing };
    for (const [name, value] of query) {
      if (Object.hasOwn(declarations, name)) parameters[name] = declarations[name]?.parse(value, name);
    }
    return parameters;
  });
}

function checkKnown(rawPath: string, query: ReadonlyMap<string, string>, known: ReadonlySet<string>): void {
  const unknown = [...query.keys()].filter((name) => !known.has(name)).sort();
  if (unknown.length === 0) return;
  const named = unknown.map((name) => `[${name}]${didYouMean(name, known)}`).join(', ');
  throw illegalArgument(
    `request [${rawPath}] contains unrecognized parameter${unknown.length > 1 ? 's' : ''}: ${named}`,
  );
}
