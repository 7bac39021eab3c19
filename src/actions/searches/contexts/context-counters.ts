/** How many scrolls and points in time the workers of a node hold open, in words that all of them see. */

export type CountedContext = 'scroll' | 'pit';

const WORDS_PER_SLOT = 2;
const WORD: Readonly<Record<CountedContext, number>> = { scroll: 0, pit: 1 };

export function contextWords(workers: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(workers * WORDS_PER_SLOT * Int32Array.BYTES_PER_ELEMENT));
}

/** One worker's hand on the words. */
export class ContextCounters {
  private readonly words: Int32Array;
  private base = 0;

  constructor(words: Int32Array) {
    this.words = words;
  }

  /** What a crashed worker of this slot held is gone with it. */
  takeSlot(slot: number): void {
    this.base = slot * WORDS_PER_SLOT;
    this.words.fill(0, this.base, this.base + WORDS_PER_SLOT);
  }

  add(kind: CountedContext, more: number): void {
    Atomics.add(this.words, this.base + WORD[kind], more);
  }

  /** Of the whole node. */
  open(kind: CountedContext): number {
    let sum = 0;
    for (let at = WORD[kind]; at < this.words.length; at += WORDS_PER_SLOT) sum += Atomics.load(this.words, at);
    return sum;
  }
}
