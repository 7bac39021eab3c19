/** How many scrolls and points in time the workers of a node hold open, and what they keep of async searches, in words that all of them see. */
import type { BreakerFigures } from '../../../base/breakers.js';

export type CountedContext = 'scroll' | 'pit';

const WORDS_PER_SLOT = 4;
const WORD: Readonly<Record<CountedContext | 'asyncBytes' | 'asyncRefused', number>> = {
  scroll: 0,
  pit: 1,
  asyncBytes: 2,
  asyncRefused: 3,
};

/** Of all answers of async searches that one worker keeps. */
export const ASYNC_ANSWER_BYTES_MAX = 128 * 1024 * 1024;

/** `slots`: of workers and of fronts, which search as well. */
export function contextWords(slots: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(slots * WORDS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT));
}

/** One worker's hand on the words. */
export class ContextCounters {
  private readonly words: Int32Array;
  /** Whose slots are behind those of the workers. */
  private readonly fronts: number;
  private base = 0;

  constructor(words: Int32Array, fronts = 1) {
    this.words = words;
    this.fronts = fronts;
  }

  /** What a crashed worker of this slot held is gone with it. */
  takeSlot(slot: number): void {
    this.base = slot * WORDS_PER_SLOT;
    this.words.fill(0, this.base, this.base + WORDS_PER_SLOT);
  }

  add(kind: CountedContext, more: number): void {
    Atomics.add(this.words, this.base + WORD[kind], more);
  }

  /** What this worker keeps of answers of async searches. */
  setAsyncBytes(bytes: number): void {
    Atomics.store(this.words, this.base + WORD.asyncBytes, bytes);
  }

  /** An async search was not begun, or its answer not kept. */
  refuseAsync(): void {
    Atomics.add(this.words, this.base + WORD.asyncRefused, 1);
  }

  /** Of the whole node. */
  open(kind: CountedContext): number {
    return this.sum(WORD[kind]);
  }

  /** Answers of async searches that the workers of the node keep. Refusals of workers that crashed are forgotten. */
  asyncFigures(): BreakerFigures {
    const workerCount = this.words.length / WORDS_PER_SLOT - this.fronts;
    return {
      limitBytes: workerCount * ASYNC_ANSWER_BYTES_MAX,
      usedBytes: this.sum(WORD.asyncBytes),
      refused: this.sum(WORD.asyncRefused),
    };
  }

  private sum(word: number): number {
    let sum = 0;
    for (let at = word; at < this.words.length; at += WORDS_PER_SLOT) sum += Atomics.load(this.words, at);
    return sum;
  }
}
