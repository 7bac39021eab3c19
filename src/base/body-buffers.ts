/**
 * Buffers for request bodies in shared memory. A body is copied once, from the socket into one of these; workers read
 * it in place. Buffers come in sizes of powers of two and go back to a free list when the request is answered; one that a
 * thread may still read is left to the garbage collector. All that are in use at once have a limit: requests beyond it
 * are refused.
 */
import { QuarryError } from './errors.js';
import { IDLE_BODY_BYTES_MAX } from './limits.js';
import { formatBytes } from './units.js';

/** A limit on memory that requests hold, and how often it refused one. */
export interface BreakerFigures {
  readonly limitBytes: number;
  readonly usedBytes: number;
  readonly refused: number;
  /** All that was ever taken; nobody counts it of answers, and a node of an earlier version does not tell. */
  readonly takenBytes?: number;
}

/** A received body. One of `release` and `drop` must be called, once. */
export interface ReceivedBody {
  readonly bytes: Uint8Array;
  /** Gives the buffer back: nobody reads it any more. */
  release(): void;
  /** Some thread may still read the buffer: it must not be filled with another body. */
  drop(): void;
}

const SMALLEST_BYTES = 16 * 1024;

export class BodyBuffers {
  private readonly idle = new Map<number, Uint8Array[]>();
  private readonly usedBytesMax: number;
  private readonly what: string;
  private idleBytes = 0;
  private usedBytes = 0;
  private takenBytes = 0;
  private refused = 0;

  /** `what` names the bodies in refusals. */
  constructor(usedBytesMax: number, what = '<http_request>') {
    this.usedBytesMax = usedBytesMax;
    this.what = what;
  }

  figures(): BreakerFigures {
    const { usedBytesMax: limitBytes, usedBytes, refused, takenBytes } = this;
    return { limitBytes, usedBytes, refused, takenBytes };
  }

  /** A buffer of at least `bytes`; its contents are undefined. Throws when too much is in use already. */
  take(bytes: number): Uint8Array {
    const size = sizeClass(bytes);
    if (this.usedBytes + size > this.usedBytesMax) throw this.refuse(size);
    this.usedBytes += size;
    this.takenBytes += size;
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
    return tooMuchData('in_flight_requests', this.what, this.usedBytes + size, this.usedBytesMax);
  }
}

/** Gathers the pieces of one body, as they come from a socket, in a buffer that grows as needed. */
export class BodyReceiver {
  private readonly buffers: BodyBuffers;
  private readonly bytesMax: number;
  private readonly tooLarge: (bytesMax: number) => QuarryError;
  private buffer: Uint8Array;
  private length = 0;
  private over = false;

  /** Throws when there is no buffer for it. `tooLarge` makes the refusal of a body of more than `bytesMax`. */
  constructor(
    buffers: BodyBuffers,
    declaredLength: number,
    bytesMax: number,
    tooLarge: (bytesMax: number) => QuarryError,
  ) {
    if (declaredLength > bytesMax) throw tooLarge(bytesMax);
    this.buffers = buffers;
    this.bytesMax = bytesMax;
    this.tooLarge = tooLarge;
    this.buffer = buffers.take(declaredLength);
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
    const larger = this.buffers.take(Math.max(needed, this.buffer.length * 2));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffers.giveBack(this.buffer);
    this.buffer = larger;
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
