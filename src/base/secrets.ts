/** Random secrets, and how they are kept and compared. Passwords, which people choose, need a slow hash instead. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from './random.js';

const SECRET_BYTES = 16;
const KEY_BYTES = 32;

/** 128 random bits in 22 characters that are safe in a URL. */
export function newSecret(random: Random): string {
  return Buffer.from(random.fill(new Uint8Array(SECRET_BYTES)).buffer).toString('base64url');
}

/** Hexadecimal SHA-256: enough for what nobody can guess. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Gives what passwords and the like are remembered by in this process, whose random key is known to nobody. */
export function keyedDigests(random: Random): (text: string) => string {
  const key = random.fill(new Uint8Array(KEY_BYTES));
  return (text) => createHmac('sha256', key).update(text, 'utf8').digest('base64');
}

/** Whether the hash is that of the secret; takes the same time wherever they differ. */
export function isSecret(secret: string, hash: string): boolean {
  return areEqual(hashSecret(secret), hash);
}

/** Takes as long wherever the two differ. */
export function areEqual(one: Uint8Array | string, other: Uint8Array | string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
