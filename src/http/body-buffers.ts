/**
 * Buffers for request bodies in shared memory. A body is copied once, from the socket into one of these; workers read
 * it in place. Buffers come in sizes of powers of two and go back to a free list when the request is answered.
 */
import { IDLE_BODY_BYTES_MAX } from '../base/limits.js';

const SMALLEST_BYTES = 16 * 1024;

export class BodyBuffers {
  private readonly idle = new Map<number, Uint8Array[]>();
  private idleBytes = 0;

  /** A buffer of at least `bytes`; its contents are undefined. */
  take(bytes: number): Uint8Array {
    const size = sizeClass(bytes);
    const reused = this.idle.get(size)?.pop();
    if (reused === undefined) return new Uint8Array(new SharedArrayBuffer(size));
    this.idleBytes -= size;
    return reused;
  }

  /** The buffer must not be used after this. */
  giveBack(buffer: Uint8Array): void {
    const size = buffer.byteLength;
    if (this.idleBytes + size > IDLE_BODY_BYTES_MAX) return;
    const sameSize = this.idle.get(size) ?? [];
    this.idle.set(size, sameSize);
    sameSize.push(buffer);
    this.idleBytes += size;
  }
}

function sizeClass(bytes: number): number {
  let size = SMALLEST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}
