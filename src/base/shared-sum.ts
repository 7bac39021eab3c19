/**
 * A number that several threads add to, each in a place of its own, so that nobody waits for anybody. What another thread added a moment ago may be
 * missing in the total: good enough for limits.
 */

/** Shared memory for a sum of so many threads. */
export function sharedParts(threads: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(threads * Float64Array.BYTES_PER_ELEMENT));
}

export class SharedSum {
  private readonly parts: Float64Array;
  private readonly place: number;

  /** `parts` are of {@link sharedParts}; no two threads have the same place. */
  constructor(parts: Float64Array = new Float64Array(1), place = 0) {
    this.parts = parts;
    this.place = place;
  }

  /** Negative numbers take away. */
  add(change: number): void {
    this.parts[this.place] = this.own + change;
  }

  /** What this thread has added. */
  get own(): number {
    return this.parts[this.place] ?? 0;
  }

  get total(): number {
    let total = 0;
    for (const part of this.parts) total += part;
    return total;
  }
}
