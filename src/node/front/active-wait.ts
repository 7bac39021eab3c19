/**
 * Waits by looking for what comes, for a moment, instead of sleeping until it comes: waking a thread takes 30 to 80 us, a quarter of a small search.
 *
 * Two things are waited for so: the answer of another thread to a request that is alone, and the next request of a client that sends one as soon as it
 * has the answer to the one before, while there is none. Beside other requests there is something better to do with the processor.
 */
import type { Clock } from '../../base/clock.js';
import type { NodeSettings } from '../../base/node-settings.js';

/** How much the last wait says of the next one. */
const WEIGHT = 1 / 8;
/** A wait counts as so many limits at most: a single long search among small ones does not put an end to looking for these. */
const LIMITS_MAX = 4;

export class ActiveWait {
  private readonly clock: Clock;
  private readonly limitMs: number;
  private readonly mayLook: () => boolean;
  private readonly soon: (look: () => void) => void;
  private underWay = 0;
  /** Of requests that were alone, the last ones most. */
  private expectedMs = 0;
  /** Between the last answer and the next request, while there was none; the last ones most. */
  private expectedGapMs = Infinity;
  private idleSinceMs = -Infinity;
  /** Until when somebody looks. */
  private untilMs = -Infinity;

  /**
   * Nobody looks for longer than `limitMs`, nor when answers take longer than that of late, nor when he may not: where no processor is idle, whoever
   * looks for an answer keeps it from being made. `soon` runs a function when the thread has taken what there is to take, without sleeping before.
   */
  constructor(clock: Clock, limitMs: number, mayLook: () => boolean, soon: (look: () => void) => void = setImmediate) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.mayLook = mayLook;
    this.soon = soon;
  }

  /** The answer, as it comes. `isNear`: this thread makes it itself. */
  async during<Answer>(answer: Promise<Answer>, isNear = false): Promise<Answer> {
    const isAlone = ++this.underWay === 1;
    const startedMs = this.clock.monotonicMs();
    if (isAlone) this.learnGap(startedMs - this.idleSinceMs);
    if (isAlone && !isNear && this.expectedMs < this.limitMs) this.lookUntil(startedMs + this.limitMs);
    try {
      return await answer;
    } finally {
      this.underWay--;
      const nowMs = this.clock.monotonicMs();
      if (isAlone && !isNear) this.learn(nowMs - startedMs);
      if (this.underWay === 0) this.beIdle(nowMs);
    }
  }

  /** This thread had an answer at once. */
  noteAnswer(): void {
    if (this.underWay > 0) return;
    const nowMs = this.clock.monotonicMs();
    this.learnGap(nowMs - this.idleSinceMs);
    this.beIdle(nowMs);
  }

  private beIdle(nowMs: number): void {
    this.idleSinceMs = nowMs;
    if (this.expectedGapMs < this.limitMs) this.lookUntil(nowMs + this.limitMs);
    else if (this.isLooking) this.untilMs = nowMs;
  }

  private learn(tookMs: number): void {
    this.expectedMs += WEIGHT * (Math.min(tookMs, LIMITS_MAX * this.limitMs) - this.expectedMs);
  }

  private learnGap(gapMs: number): void {
    const gap = Math.min(gapMs, LIMITS_MAX * this.limitMs);
    this.expectedGapMs = Number.isFinite(this.expectedGapMs)
      ? this.expectedGapMs + WEIGHT * (gap - this.expectedGapMs)
      : gap;
  }

  private get isLooking(): boolean {
    return this.untilMs > -Infinity;
  }

  private lookUntil(untilMs: number): void {
    const { isLooking } = this;
    this.untilMs = untilMs;
    if (!isLooking) this.soon(this.look);
  }

  /** The thread does not sleep while something is to be run soon. */
  private readonly look = (): void => {
    if (this.underWay <= 1 && this.clock.monotonicMs() < this.untilMs && this.mayLook()) this.soon(this.look);
    else this.untilMs = -Infinity;
  };
}

export function activeWaitMs({ values }: NodeSettings): number {
  return values['http.active_wait_micros'] / 1_000;
}
