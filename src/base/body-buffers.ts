/**
 * Buffers for request bodies in shared memory. A body is copied once, from the socket into one of these; workers read
 * it in place. Buffers come in sizes of powers of two and go back to a free list when the request is answered; one that a
 * thread may still read is left to the garbage collector. All that are in use at once have a limit: requests beyond it
 * are refused.
 */
import { tooMuchData, type BreakerFigures } from './breakers.js';
import type { QuarryError } from './errors.js';
import { IDLE_BODY_BYTES_MAX } from './limits.js';
import { SharedSum } from './shared-sum.js';

/** A received body. One of `release` and `drop` must be called, once. */
export interface ReceivedBody {
  readonly bytes: Uint8Array;
  /** Gives the buffer back: nobody reads it any more. */
  release(): void;
  /** Some thread may still read the buffer: it must not be filled with another body. */
  drop(): void;
}

export interface BodyBuffersOptions {
  /** In refusals. */
  readonly breaker: string;
  /** Names the bodies in refusals. */
  readonly what: string;
  /** Of all that are in use. May change at any time. */
  readonly limitBytes: () => number;
  /** Throws where there is no memory for so many bytes more. */
  readonly onTake?: (bytes: number) => void;
  /** Bytes in use, of all threads that share the limit; undefined: only these buffers. */
  readonly used?: SharedSum | undefined;
  /** What is kept for later bodies; undefined: {@link IDLE_BODY_BYTES_MAX}. */
  readonly idleBytesMax?: number;
}

const SMALLEST_BYTES = 16 * 1024;

export class BodyBuffers {
  private readonly idle = new Map<number, Uint8Array[]>();
  private readonly options: BodyBuffersOptions;
  private idleBytes = 0;
  private readonly used: SharedSum;
  private takenBytes = 0;
  private refused = 0;

  constructor(options: BodyBuffersOptions) {
    this.options = options;
    this.used = options.used ?? new SharedSum();
  }

  /** Bytes in use are those of all threads that share the limit. */
  figures(): BreakerFigures {
    const { used, refused, takenBytes } = this;
    return { limitBytes: this.options.limitBytes(), usedBytes: used.total, refused, takenBytes };
  }

  /**
   * A buffer of at least `bytes`; its contents are undefined. Throws when too much is in use already. `spareBytes` may be in use beyond the
   * limit, for those who must be heard when nothing else is.
   */
  take(bytes: number, spareBytes = 0): Uint8Array {
    const size = sizeClass(bytes);
    const limitBytes = this.options.limitBytes() + spareBytes;
    if (this.used.total + size > limitBytes) throw this.refuse(size, limitBytes);
    if (spareBytes === 0) this.options.onTake?.(size);
    this.used.add(size);
    this.takenBytes += size;
    const reused = this.idle.get(size)?.pop();
    if (reused === undefined) return new Uint8Array(new SharedArrayBuffer(size));
    this.idleBytes -= size;
    return reused;
  }

  /** The buffer must not be used after this. */
  giveBack(buffer: Uint8Array): void {
    const size = buffer.byteLength;
    this.used.add(-size);
    if (this.idleBytes + size > (this.options.idleBytesMax ?? IDLE_BODY_BYTES_MAX)) return;
    const sameSize = this.idle.get(size) ?? [];
    this.idle.set(size, sameSize);
    sameSize.push(buffer);
    this.idleBytes += size;
  }

  /** Somebody may still read the buffer: it is never used again. */
  drop(buffer: Uint8Array): void {
    this.used.add(-buffer.byteLength);
  }

  private refuse(size: number, limitBytes: number): QuarryError {
    this.refused++;
    const { breaker, what } = this.options;
    return tooMuchData(breaker, what, { wantedBytes: this.used.total + size, limitBytes, durability: 'TRANSIENT' });
  }
}

/** Gathers the pieces of one body, as they come from a socket, in a buffer that grows as needed. */
export class BodyReceiver {
  private readonly buffers: BodyBuffers;
  private readonly bytesMax: number;
  private readonly tooLarge: (bytesMax: number) => QuarryError;
  private readonly spareBytes: number;
  private buffer: Uint8Array;
  private length = 0;
  private over = false;

  /**
   * Throws when there is no buffer for it. `tooLarge` makes the refusal of a body of more than `bytesMax`; for `spareBytes` see
   * {@link BodyBuffers.take}.
   */
  constructor(
    buffers: BodyBuffers,
    declaredLength: number,
    bytesMax: number,
    tooLarge: (bytesMax: number) => QuarryError,
    spareBytes = 0,
  ) {
    if (declaredLength > bytesMax) throw tooLarge(bytesMax);
    this.buffers = buffers;
    this.spareBytes = spareBytes;
    this.bytesMax = bytesMax;
    this.tooLarge = tooLarge;
    this.buffer = buffers.take(declaredLength, spareBytes);
  }

  /** The body is complete, or given up. */
  get isOver(): boolean {
    return this.over;
  }

  /** Copies a piece; throws when the body gets too large, and leaves it to the caller to give it up. */
  add(piece: ArrayBuffer): void {
    const needed = this.length + piece.byteLength;
    if (needed > this.bytesMax) throw this.tooLarge(this.bytesMax);
    if (needed > this.buffer.length) this.grow(needed);
    this.buffer.set(new Uint8Array(piece), this.length);
    this.length = needed;
  }

  finish(): ReceivedBody {
    this.over = true;
    const { buffers, buffer } = this;
    return {
      bytes: buffer.subarray(0, this.length),
      release: () => {
        buffers.giveBack(buffer);
      },
      drop: () => {
        buffers.drop(buffer);
      },
    };
  }

  /** Gives the buffer back; does nothing to a body that is complete. */
  giveUp(): void {
    if (!this.over) this.buffers.giveBack(this.buffer);
    this.over = true;
  }

  private grow(needed: number): void {
    const larger = this.buffers.take(Math.max(needed, this.buffer.length * 2), this.spareBytes);
    larger.set(this.buffer.subarray(0, this.length));
    this.buffers.giveBack(this.buffer);
    this.buffer = larger;
  }
}

function sizeClass(bytes: number): number {
  let size = SMALLEST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}
