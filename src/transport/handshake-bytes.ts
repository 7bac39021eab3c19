/** What both ends of a handshake read in its messages. */
import { refused } from './refusals.js';

/** A copy: what came may lie in memory that is used again. */
export function bytesOf(message: unknown, name: string, length: number): Uint8Array {
  const value: unknown =
    typeof message === 'object' && message !== null ? (message as Record<string, unknown>)[name] : undefined;
  if (value instanceof Uint8Array && value.length === length) return Uint8Array.from(value);
  throw refused(`a message of the handshake has no [${name}] of [${length}] bytes`);
}
