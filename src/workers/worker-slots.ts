/**
 * Which workers take calls, and how many requests each has. All threads that hand requests to workers look at the same words, so that each knows of
 * what the others handed out.
 */
import { QuarryError } from '../base/errors.js';
import { workerName } from './wires.js';

/** A worker with so many requests has the next one at hand when it has answered one. */
export const UNDER_WAY_MIN = 2;

/** Of each worker: whether it takes calls, the number of its requests, of those among them that mostly wait, and of those that it has answered already. */
const WORDS = 4;

/** Shared memory for a node of so many workers: the first word of each, then the second, and so on. */
export function slotWords(workerCount: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(WORDS * workerCount * Int32Array.BYTES_PER_ELEMENT));
}

export class WorkerSlots {
  readonly count: number;
  private readonly words: Int32Array;

  /** Of {@link slotWords}. */
  constructor(words: Int32Array) {
    this.words = words;
    this.count = words.length / WORDS;
  }

  isReady(slot: number): boolean {
    return Atomics.load(this.words, slot) !== 0;
  }

  /** Only for who starts and ends workers. */
  setReady(slot: number, isReady: boolean): void {
    // Answers of the one before that never came are nobody's any more.
    if (!isReady) Atomics.store(this.words, 3 * this.count + slot, 0);
    Atomics.store(this.words, slot, isReady ? 1 : 0);
  }

  /**
   * Counts a request of the slot; where none is wanted, of the worker that has the fewest of those that take calls. Gives the slot, which is to be told
   * to {@link end}. `waits`: the request is of a kind that mostly waits for something else than a processor. Throws `unavailable_shards_exception`.
   */
  begin(wanted: number | undefined, waits = false): number {
    const slot = wanted ?? this.leastBusy();
    if (slot === undefined || !this.isReady(slot)) throw workerUnavailable(slot);
    Atomics.add(this.words, this.count + slot, 1);
    if (waits) Atomics.add(this.words, 2 * this.count + slot, 1);
    return slot;
  }

  end(slot: number, waits = false): void {
    Atomics.sub(this.words, this.count + slot, 1);
    if (waits) Atomics.sub(this.words, 2 * this.count + slot, 1);
    else this.takeAnswer(slot);
  }

  /** Of a worker that ended there may be none. */
  private takeAnswer(slot: number): void {
    const at = 3 * this.count + slot;
    for (let known = this.answered(slot); known > 0;) {
      const found = Atomics.compareExchange(this.words, at, known, known - 1);
      if (found === known) return;
      known = found;
    }
  }

  /** For the worker itself: it has answered a request that does not wait. Who sent that is busy, perhaps, and learns of it later. */
  noteAnswer(slot: number): void {
    Atomics.add(this.words, 3 * this.count + slot, 1);
  }

  /** Requests of all workers that do not wait; of each so many at most as keep it busy, and as many of one that takes no calls. */
  get underWay(): number {
    let sum = 0;
    for (let slot = 0; slot < this.count; slot++) {
      const running = this.load(slot) - Atomics.load(this.words, 2 * this.count + slot);
      sum += this.isReady(slot) ? Math.max(0, Math.min(running, UNDER_WAY_MIN)) : UNDER_WAY_MIN;
    }
    return sum;
  }

  private leastBusy(): number | undefined {
    let best: number | undefined;
    for (let slot = 0; slot < this.count; slot++) {
      if (this.isReady(slot) && (best === undefined || this.load(slot) < this.load(best))) best = slot;
    }
    return best;
  }

  private load(slot: number): number {
    return Atomics.load(this.words, this.count + slot) - this.answered(slot);
  }

  private answered(slot: number): number {
    return Atomics.load(this.words, 3 * this.count + slot);
  }
}

/** Undefined: none of them is available. */
export function workerUnavailable(slot: number | undefined, cause?: unknown): QuarryError {
  const worker = slot === undefined ? 'a worker' : workerName(slot);
  return new QuarryError('unavailable_shards_exception', `[${worker}] is not available, it is being restarted`, {
    cause,
  });
}
