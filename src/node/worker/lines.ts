/** Lines of a thread to the other threads of its node. */
import { QuarryError } from '../../base/errors.js';
import type { Line } from '../../workers/mailbox.js';

/** By the names of the threads, as they are at any time. */
export type Lines = ReadonlyMap<string, Line>;

/** Throws while that thread is not there. */
export function lineTo(lines: Lines, peer: string): Line {
  const line = lines.get(peer);
  if (line === undefined) throw new QuarryError('unavailable_shards_exception', `[${peer}] is not available`);
  return line;
}
