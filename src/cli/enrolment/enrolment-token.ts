/** What an operator copies from a cluster to a node that is to join it: one string. */
import { createHash, X509Certificate } from 'node:crypto';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json-value.js';
import { areEqual } from '../../base/secrets.js';

export interface EnrolmentToken {
  /** `host:port` where nodes of the cluster answer clients, with TLS. */
  readonly addresses: readonly string[];
  /** Of the authority of the cluster, as PEM: only who has a certificate of it is asked. */
  readonly authority: string;
  /** `<id>:<secret>` of the API key that the token is for the cluster. */
  readonly apiKey: string;
  /** Opens what the cluster keeps for the node. Never sent. */
  readonly sealKey: Uint8Array;
}

const VERSION = 1;
const SUM_LENGTH = 8;
export const TOKEN_LENGTH_MAX = 16 * 1024;
export const SEAL_KEY_BYTES = 32;

export function encodeToken({ addresses, authority, apiKey, sealKey }: EnrolmentToken): string {
  const certificate = new X509Certificate(authority);
  const content = JSON.stringify({
    ver: VERSION,
    adr: addresses,
    fgr: fingerprint(certificate),
    ca: certificate.raw.toString('base64url'),
    key: apiKey,
    seal: Buffer.from(sealKey).toString('base64url'),
  });
  const text = Buffer.from(content, 'utf8').toString('base64url');
  return `${text}.${sumOf(text)}`;
}

/** Throws `illegal_argument_exception` for what is no token, or one that was cut or altered. */
export function decodeToken(token: string): EnrolmentToken {
  const [text = '', sum = '', ...more] = token.trim().split('.');
  if (token.length > TOKEN_LENGTH_MAX || more.length > 0 || !areEqual(sumOf(text), sum)) throw altered();
  const content = parsed(text);
  const { ver, adr, fgr, ca, key, seal } = content;
  if (ver !== VERSION) {
    const reason = `the enrolment token is of the version [${JSON.stringify(ver)}], which this release does not know`;
    throw new QuarryError('illegal_argument_exception', reason);
  }
  const sealKey = Buffer.from(typeof seal === 'string' ? seal : '', 'base64url');
  const isWhole =
    Array.isArray(adr) &&
    adr.length > 0 &&
    adr.every((address) => typeof address === 'string') &&
    typeof ca === 'string' &&
    typeof fgr === 'string' &&
    typeof key === 'string' &&
    sealKey.length === SEAL_KEY_BYTES;
  if (!isWhole) throw altered();
  const certificate = certificateOf(ca);
  if (!areEqual(fingerprint(certificate), fgr)) throw altered();
  return { addresses: adr, authority: certificate.toString(), apiKey: key, sealKey };
}

/** Hexadecimal SHA-256 of the certificate. */
export function fingerprint(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}

function certificateOf(ca: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(ca, 'base64url'));
  } catch {
    throw altered();
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isJsonObject(content) ? content : {};
  } catch {
    throw altered();
  }
}

/** Tells a token that was copied in part from one that the cluster does not know. */
function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, SUM_LENGTH);
}

function altered(): QuarryError {
  return new QuarryError(
    'illegal_argument_exception',
    'the enrolment token is not as [quarry create-enrollment-token] printed it: copy all of it, or make another',
  );
}
