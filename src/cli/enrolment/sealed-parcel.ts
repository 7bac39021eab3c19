/** What the cluster keeps for a node that is to join, so that nobody but who has the token can read or change it. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json-value.js';
import type { Random } from '../../base/random.js';

export interface Parcel {
  /** As PEM: what the node trusts, what it shows, and the key of that. */
  readonly authorities: string;
  readonly certificate: string;
  readonly key: string;
  /** What nodes of the cluster prove to each other that they know; absent where certificates do. */
  readonly secret?: string;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `sealKey` serves once. */
export function seal(parcel: Parcel, sealKey: Uint8Array, random: Random): string {
  const nonce = random.fill(new Uint8Array(NONCE_BYTES));
  const cipher = createCipheriv(ALGORITHM, sealKey, nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(parcel), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Throws where it was sealed with another key, or changed since. */
export function unseal(text: string, sealKey: Uint8Array): Parcel {
  try {
    const bytes = Buffer.from(text, 'base64');
    const decipher = createDecipheriv(ALGORITHM, sealKey, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    const parcel: unknown = JSON.parse(opened.toString('utf8'));
    if (isParcel(parcel)) return parcel;
  } catch {
    // Said below.
  }
  const reason = 'what the cluster keeps for this node cannot be opened with the enrolment token: make another token';
  throw new QuarryError('illegal_argument_exception', reason);
}

function isParcel(value: unknown): value is Parcel {
  if (!isJsonObject(value)) return false;
  const { authorities, certificate, key, secret } = value;
  const texts = [authorities, certificate, key, secret ?? ''];
  return texts.every((text) => typeof text === 'string');
}
