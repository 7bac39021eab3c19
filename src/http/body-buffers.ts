/**
 * Buffers for request bodies in shared memory. A body is copied once, from the socket into one of these; workers read
 * it in place. Buffers come in sizes of powers of two and go back to a free list when the request is answered. All that
 * are in use at once have a limit: requests beyond it are refused.
 */
import type { BreakerFigures } from '../actions/context.js';
import { QuarryError } from '../base/errors.js';
import { IDLE_BODY_BYTES_MAX } from '../base/limits.js';

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

  private refuse(size: number): QuarryError {
    this.refused++;
    return new QuarryError(
      'circuit_breaking_exception',
      `[in_flight_requests] Data too large, data for [<http_request>] would be [${this.usedBytes + size}] bytes, ` +
        `which is larger than the limit of [${this.usedBytesMax}]`,
      { details: { bytes_wanted: this.usedBytes + size, bytes_limit: this.usedBytesMax, durability: 'TRANSIENT' } },
    );
  }
}

function sizeClass(bytes: number): number {
  let size = SMALLEST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}
