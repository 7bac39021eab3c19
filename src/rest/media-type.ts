/** `Content-Type` and `Accept`: which encoding a body has and which one the answer gets. */
import { QuarryError } from '../base/errors.js';

export type BodyFormat = 'json' | 'ndjson' | 'yaml' | 'cbor' | 'text';

export interface MediaType {
  readonly format: BodyFormat;
  /** What the answer's `Content-Type` says; vendor types are echoed with their version. */
  readonly contentType: string;
  /** Of the API, as the caller asks to be compatible with it. */
  readonly version?: string;
}

const PLAIN_TYPES: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/yaml', 'yaml'],
  ['application/x-yaml', 'yaml'],
  ['text/yaml', 'yaml'],
  ['application/cbor', 'cbor'],
  ['text/plain', 'text'],
]);

const VENDOR_FORMATS: ReadonlyMap<string, BodyFormat> = new Map([
  ['json', 'json'],
  ['x-ndjson', 'ndjson'],
  ['yaml', 'yaml'],
  ['cbor', 'cbor'],
]);

/** Versions of the API that a caller may ask to be compatible with. */
const COMPATIBLE_VERSIONS = ['7', '8', '9'];

export const CONTENT_TYPES: Readonly<Record<BodyFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
  text: 'text/plain; charset=UTF-8',
};

/** One media type with its parameters; undefined when it is not one of ours. */
export function parseMediaType(text: string): MediaType | undefined {
  // Almost all requests say it in the plainest form.
  const plain = PLAIN_TYPES.get(text);
  if (plain !== undefined) return { format: plain, contentType: CONTENT_TYPES[plain] };
  const [typePart = '', ...parameterParts] = text.split(';');
  const type = typePart.trim().toLowerCase();
  const vendor = /^application\/vnd\.(elasticsearch|opensearch)\+(.+)$/.exec(type);
  if (vendor === null) {
    const format = PLAIN_TYPES.get(type);
    return format === undefined ? undefined : { format, contentType: CONTENT_TYPES[format] };
  }
  const format = VENDOR_FORMATS.get(vendor[2] ?? '');
  if (format === undefined) return undefined;
  const version = compatibleVersion(parameterParts, text);
  if (version === undefined) return { format, contentType: type };
  return { format, contentType: `${type};compatible-with=${version}`, version };
}

/** The encoding of a request body. A body without a known type is refused, as the API does, with 406. */
export function requestMediaType(contentType: string): MediaType {
  const parsed = parseMediaType(contentType);
  if (parsed !== undefined && parsed.format !== 'text') return parsed;
  const reason =
    contentType === '' ? 'Content-Type header is missing' : `Content-Type header [${contentType}] is not supported`;
  throw new QuarryError('media_type_header_exception', reason);
}

/**
 * The encoding that `Accept` asks for; undefined when anything will do. The first of ours wins; an `Accept` that names
 * none of ours and no wildcard is refused with 406.
 */
export function acceptedMediaType(accept: string): MediaType | undefined {
  if (accept.trim() === '') return undefined;
  for (const item of accept.split(',')) {
    const type = item.split(';')[0]?.trim() ?? '';
    if (type === '*/*' || type === 'application/*' || type === 'text/html' || type === 'text/*') return undefined;
    const parsed = parseMediaType(item);
    if (parsed !== undefined) return parsed;
  }
  throw new QuarryError('media_type_header_exception', `Invalid media-type value on header [Accept]: [${accept}]`);
}

/**
 * Refuses versions of the API that the release this node announces does not answer in, and a body of one version whose answer is
 * asked for in another one.
 */
export function checkVersions(
  { accepted, body }: { accepted: MediaType | undefined; body: MediaType | undefined },
  headers: { accept: string; contentType: string },
  release: string,
): void {
  refuseGoneVersion('Accept', accepted?.version, headers.accept, release);
  refuseGoneVersion('Content-Type', body?.version, headers.contentType, release);
  if (accepted?.version === undefined || body?.version === undefined || accepted.version === body.version) return;
  throw badVersions(
    'A compatible version is required on both Content-Type and Accept headers if either one has requested a compatible ' +
      `version and the compatible versions must match. Accept=${headers.accept}, Content-Type=${headers.contentType}`,
  );
}

/** A release answers as the one before it; that a client is newer than it is no reason to turn it away. */
function refuseGoneVersion(header: string, version: string | undefined, text: string, release: string): void {
  if (version !== '7' || !release.startsWith('9.')) return;
  throw badVersions(`${header} version must be either version 9 or 8, but found ${version}. ${header}=${text}`);
}

function badVersions(reason: string): QuarryError {
  return new QuarryError('media_type_header_exception', 'Invalid media-type value on headers [Accept, Content-Type]', {
    cause: new QuarryError('status_exception', reason),
    status: 400,
  });
}

function compatibleVersion(parameters: readonly string[], text: string): string | undefined {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=').map((part) => part.trim());
    if (name !== 'compatible-with') continue;
    if (COMPATIBLE_VERSIONS.includes(value)) return value;
    throw new QuarryError(
      'media_type_header_exception',
      `Invalid media-type value [${text}]: unknown version [${value}]`,
    );
  }
  return undefined;
}
