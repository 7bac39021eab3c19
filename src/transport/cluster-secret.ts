/**
 * What two nodes compute of the secret of their cluster. Neither ever sends it, nor what it could be computed from: each
 * proves that it knows it by a keyed hash over what both have just chosen, and each request by one under a key that only
 * this pair of nodes has.
 */
import { createHash, createHmac } from 'node:crypto';
import { QuarryError } from '../base/errors.js';

/** A shorter secret could be guessed by who has seen one proof. */
export const SECRET_LENGTH_MIN = 32;
export const NONCE_BYTES = 32;

/** Of one meeting of two nodes. All of it is in every proof, so that none is worth anything elsewhere. */
export interface Meeting {
  readonly clusterName: string;
  readonly clientId: string;
  readonly serverId: string;
  /** Fresh, of the node that asks. */
  readonly nonce: Uint8Array;
  /** Fresh, of the node that is asked. */
  readonly challenge: Uint8Array;
}

/** What of a request is proved. */
export interface RequestHead {
  readonly session: string;
  /** Of this session, never used twice. */
  readonly counter: string;
  readonly path: string;
  readonly recipient: string;
  readonly call: string;
  readonly task: string;
  readonly operation: string;
  /** See {@link digestOf}; empty where TLS protects the body. */
  readonly digest: string;
}

/** What of an answer is proved. */
export interface AnswerHead {
  readonly session: string;
  /** Of the request. */
  readonly counter: string;
  readonly isError: boolean;
  readonly digest: string;
}

/** The key that stands for the secret. Refuses what is too short to be one. */
export function secretKey(secret: string): Uint8Array {
  const text = secret.trim();
  if (text.length < SECRET_LENGTH_MIN) {
    const reason = `the secret of the cluster has [${text.length}] characters, and needs [${SECRET_LENGTH_MIN}] at least`;
    throw new QuarryError('settings_exception', reason);
  }
  return createHash('sha256').update('quarry cluster secret\n').update(text, 'utf8').digest();
}

export function clientProof(key: Uint8Array, meeting: Meeting): Buffer {
  return overMeeting(key, 'client', meeting);
}

export function serverProof(key: Uint8Array, meeting: Meeting): Buffer {
  return overMeeting(key, 'server', meeting);
}

/** The key of the requests and answers between the two from now on. */
export function sessionKey(key: Uint8Array, meeting: Meeting): Buffer {
  return overMeeting(key, 'session', meeting);
}

export function signRequest(key: Uint8Array, head: RequestHead): string {
  const { session, counter, path, recipient, call, task, operation, digest } = head;
  return sign(key, ['request', session, counter, path, recipient, call, task, operation, digest]);
}

export function signAnswer(key: Uint8Array, { session, counter, isError, digest }: AnswerHead): string {
  return sign(key, ['answer', session, counter, isError ? 'error' : 'answer', digest]);
}

export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

/** Headers have no line ends, so that no two heads have the same text. */
function sign(key: Uint8Array, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\n'), 'utf8').digest('base64url');
}

function overMeeting(key: Uint8Array, role: string, meeting: Meeting): Buffer {
  const { clusterName, clientId, serverId, nonce, challenge } = meeting;
  const hmac = createHmac('sha256', key);
  for (const part of [role, clusterName, clientId, serverId, nonce, challenge]) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    // With their lengths, so that no two meetings have the same bytes.
    hmac.update(length).update(bytes);
  }
  return hmac.digest();
}
