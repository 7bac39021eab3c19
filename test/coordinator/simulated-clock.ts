/** Time that passes when a test says so. */
import type { Clock } from '../../src/base/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly action: () => void;
}

export class SimulatedClock implements Clock {
  private timeMs = 0;
  private order = 0;
  private readonly timers = new Set<Timer>();
  private readonly outside = new Set<Promise<unknown>>();

  nowMs(): number {
    return this.timeMs;
  }

  monotonicMs(): number {
    return this.timeMs;
  }

  schedule(delayMs: number, action: () => void): () => void {
    const timer: Timer = { dueMs: this.timeMs + delayMs, order: this.order++, action };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
    };
  }

  /** Time stands still until what other threads do for this is done. */
  standStillFor<Result>(work: Promise<Result>): Promise<Result> {
    this.outside.add(work);
    const forget = (): void => {
      this.outside.delete(work);
    };
    work.then(forget, forget);
    return work;
  }

  /** Everything that waits for nothing but promises has run. */
  async settled(): Promise<void> {
    do {
      await Promise.allSettled(this.outside);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    } while (this.outside.size > 0);
  }

  /** Runs what is due until then, one after the other; what they start is done before the next. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.timeMs + byMs;
    for (;;) {
      const due = [...this.timers].filter((timer) => timer.dueMs <= untilMs);
      const next = due.sort((left, right) => left.dueMs - right.dueMs || left.order - right.order)[0];
      if (next === undefined) break;
      this.timers.delete(next);
      this.timeMs = Math.max(this.timeMs, next.dueMs);
      next.action();
      await this.settled();
    }
    this.timeMs = untilMs;
    await this.settled();
  }
}
