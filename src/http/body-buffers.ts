/**
 * Buffers for request bodies in shared memory. A body is copied once, from the socket into one of these; workers read
 * it in place. Buffers come in sizes of powers of two and go back to a free list when the request is answered; one that a
 * thread may still read is left to the garbage collector. All that are in use at once have a limit: requests beyond it
 * are refused.
 */
import type { BreakerFigures } from '../actions/context.js';
import { QuarryError } from '../base/errors.js';
import { IDLE_BODY_BYTES_MAX } from '../base/limits.js';
import { formatBytes } from '../base/units.js';

const SMALLEST_BYTES = 16 * 1024;

export class BodyBuffers {
  private readonly idle = new Map<number, Uint8Array[]>();
  private readonly usedBytesMax: number;
  private idleBytes = 0;
  private usedBytes = 0;
  private refused = 0;

  constructor(usedBytesMax: number) {
    this.usedBytesMax = usedBytesMax;
  }

  figures(): BreakerFigures {
    return { limitBytes: this.usedBytesMax, usedBytes: this.usedBytes, refused: this.refused };
  }

  /** A buffer of at least `bytes`; its contents are undefined. Throws when too much is in use already. */
  take(bytes: number): Uint8Array {
    const size = sizeClass(bytes);
    if (this.usedBytes + size > this.usedBytesMax) throw this.refuse(size);
    this.usedBytes += size;
    const reused = this.idle.get(size)?.pop();
    if (reused === undefined) return new Uint8Array(new SharedArrayBuffer(size));
    this.idleBytes -= size;
    return reused;
  }

  /** The buffer must not be used after this. */
  giveBack(buffer: Uint8Array): void {
    const size = buffer.byteLength;
    this.usedBytes -= size;
    if (this.idleBytes + size > IDLE_BODY_BYTES_MAX) return;
    const sameSize = this.idle.get(size) ?? [];
    this.idle.set(size, sameSize);
    sameSize.push(buffer);
    this.idleBytes += size;
  }

  /** Somebody may still read the buffer: it is never used again. */
  drop(buffer: Uint8Array): void {
    this.usedBytes -= buffer.byteLength;
  }

  private refuse(size: number): QuarryError {
    this.refused++;
    return tooMuchData('in_flight_requests', '<http_request>', this.usedBytes + size, this.usedBytesMax);
  }
}

/** The refusal of a breaker: it would hold `bytesWanted` with the data named `what`. */
export function tooMuchData(breaker: string, what: string, bytesWanted: number, bytesLimit: number): QuarryError {
  const sizes = { wanted: sizeForPeople(bytesWanted), limit: sizeForPeople(bytesLimit) };
  return new QuarryError(
    'circuit_breaking_exception',
    `[${breaker}] Data too large, data for [${what}] would be [${sizes.wanted}], ` +
      `which is larger than the limit of [${sizes.limit}]`,
    { details: { bytes_wanted: bytesWanted, bytes_limit: bytesLimit, durability: 'TRANSIENT' } },
  );
}

/** `16384/16kb` */
function sizeForPeople(bytes: number): string {
  return `${bytes}/${formatBytes(bytes)}`;
}

function sizeClass(bytes: number): number {
  let size = SMALLEST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}
