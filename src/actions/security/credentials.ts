/** What the header `Authorization` says. Nothing of it is checked here, and nothing of it may be logged but names. */
import { SERVICE_TOKEN_PREFIX } from './service-token.js';

export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'api_key'; readonly id: string; readonly secret: string }
  | { readonly kind: 'service'; readonly account: string; readonly token: string; readonly secret: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** Of a known scheme, but not readable; `whose` is what refusals call it. */
  | { readonly kind: 'malformed'; readonly scheme: 'basic' | 'api_key'; readonly why: string };

const NONE: Credentials = { kind: 'none' };

/** A scheme that is not known is as good as no header. */
export function readAuthorization(header: string): Credentials {
  const space = header.indexOf(' ');
  const scheme = header.slice(0, Math.max(0, space)).toLowerCase();
  const value = header.slice(space + 1).trim();
  switch (scheme) {
    case 'basic':
      return readBasic(value);
    case 'apikey':
      return readApiKey(value);
    case 'bearer':
      return value === '' ? NONE : (readServiceToken(value) ?? { kind: 'bearer', token: value });
    default:
      return NONE;
  }
}

function readBasic(value: string): Credentials {
  const [username, password] = decodedPair(value) ?? [];
  if (username !== undefined && password !== undefined) return { kind: 'basic', username, password };
  return { kind: 'malformed', scheme: 'basic', why: 'invalid basic authentication header value' };
}

function readApiKey(value: string): Credentials {
  const [id, secret] = decodedPair(value) ?? [];
  if (id !== undefined && secret !== undefined) return { kind: 'api_key', id, secret };
  return { kind: 'malformed', scheme: 'api_key', why: 'invalid ApiKey value' };
}

/** `<namespace>/<service>/<name>:<secret>` behind bytes that tell it from other tokens. */
function readServiceToken(value: string): Credentials | undefined {
  const bytes = decodedBytes(value);
  if (bytes?.subarray(0, SERVICE_TOKEN_PREFIX.length).equals(SERVICE_TOKEN_PREFIX) !== true) return undefined;
  const text = bytes.subarray(SERVICE_TOKEN_PREFIX.length).toString('utf8');
  const match = /^(?<account>[^/:]+\/[^/:]+)\/(?<token>[^/:]+):(?<secret>.+)$/s.exec(text);
  const { account = '', token = '', secret = '' } = match?.groups ?? {};
  return match === null ? undefined : { kind: 'service', account, token, secret };
}

function decodedPair(value: string): readonly [string, string] | undefined {
  const text = decodedBytes(value)?.toString('utf8') ?? '';
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
}

function decodedBytes(value: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64') : undefined;
}
