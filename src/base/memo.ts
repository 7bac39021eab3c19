import type { CacheCounter } from './cache-counters.js';

export interface MemoOptions {
  readonly counter: CacheCounter;
  readonly valuesMax: number;
  /** Longer texts are not kept. */
  readonly textMax: number;
}

/**
 * What was made of short texts of late. It holds a bounded number: when it is full it starts anew, which costs less than to know which text was
 * asked for last. What it gives is shared: nobody may change it. What it finds and drops is counted.
 */
export class Memo<Value> {
  private readonly values = new Map<string, Value>();
  private readonly options: MemoOptions;

  constructor(options: MemoOptions) {
    this.options = options;
  }

  /** `make` may throw: then nothing is kept. */
  get(text: string, make: () => Value): Value {
    const { counter, textMax } = this.options;
    const known = this.values.get(text);
    if (known !== undefined) {
      counter.hit();
      return known;
    }
    counter.miss();
    const value = make();
    if (text.length <= textMax) this.keep(text, value);
    return value;
  }

  private keep(text: string, value: Value): void {
    const { counter, valuesMax } = this.options;
    if (this.values.size >= valuesMax) {
      counter.evicted(this.values.size);
      this.values.clear();
    }
    this.values.set(text, value);
  }
}
