/** Changes of the state as the log of the cluster keeps them: JSON text. */
import { completeState, decodeText, encodeText } from '../cluster/state-codec.js';
import { QuarryError } from '../base/errors.js';
import type { Publication } from './publication.js';

export function encodePublication(publication: Publication): Uint8Array {
  return Buffer.from(encodeText(publication), 'utf8');
}

/** Throws `corrupt_index_exception` for anything that {@link encodePublication} did not write. */
export function decodePublication(bytes: Uint8Array): Publication {
  const decoded = decodeText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  if (isPublication(decoded))
    return decoded.kind === 'full' ? { ...decoded, state: completeState(decoded.state) } : decoded;
  throw new QuarryError('corrupt_index_exception', 'an agreed change of the cluster state cannot be read');
}

function isPublication(value: unknown): value is Publication {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, state, fromVersion, maps, members } = value as Record<string, unknown>;
  if (kind === 'full') return typeof state === 'object' && state !== null;
  return kind === 'change' && Number.isSafeInteger(fromVersion) && isObject(maps) && isObject(members);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
