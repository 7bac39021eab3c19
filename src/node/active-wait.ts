/**
 * Waits for an answer of another thread by looking for it, for a moment, instead of sleeping until it comes: waking a thread takes 30 to 50 us, a
 * quarter of a small search. Only for a request that is alone: others would have something better to do with the processor.
 */
import type { Clock } from '../base/clock.js';

/** How much the last wait says of the next one. */
const WEIGHT = 1 / 8;
/** A wait counts as so many limits at most: a single long search among small ones does not put an end to looking for these. */
const LIMITS_MAX = 4;

export class ActiveWait {
  private readonly clock: Clock;
  private readonly limitMs: number;
  private readonly soon: (look: () => void) => void;
  private underWay = 0;
  /** Of requests that were alone, the last ones most. */
  private expectedMs = 0;
  /** Until when somebody looks. */
  private untilMs = -Infinity;

  /**
   * Nobody looks for longer than `limitMs`, nor when answers take longer than that of late. `soon` runs a function when the thread has
   * taken what there is to take, without sleeping before.
   */
  constructor(clock: Clock, limitMs: number, soon: (look: () => void) => void = setImmediate) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.soon = soon;
  }

  /** The answer, as it comes. */
  async during<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const isAlone = ++this.underWay === 1;
    const startedMs = this.clock.monotonicMs();
    if (isAlone && this.expectedMs < this.limitMs) this.lookUntil(startedMs + this.limitMs);
    try {
      return await answer;
    } finally {
      this.underWay--;
      if (isAlone) this.learn(this.clock.monotonicMs() - startedMs);
    }
  }

  private learn(tookMs: number): void {
    this.expectedMs += WEIGHT * (Math.min(tookMs, LIMITS_MAX * this.limitMs) - this.expectedMs);
  }

  private lookUntil(untilMs: number): void {
    const isLooking = this.untilMs > -Infinity;
    this.untilMs = untilMs;
    if (!isLooking) this.soon(this.look);
  }

  /** The thread does not sleep while something is to be run soon. */
  private readonly look = (): void => {
    if (this.underWay === 1 && this.clock.monotonicMs() < this.untilMs) this.soon(this.look);
    else this.untilMs = -Infinity;
  };
}
