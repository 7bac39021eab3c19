/** Those who wait until something holds. */
import type { Clock } from '../base/clock.js';

export class Watchers {
  private readonly clock: Clock;
  private readonly waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** What they wait for may have changed. */
  wake(): void {
    for (const watcher of [...this.waiting]) watcher();
  }

  /** True when it holds; false when the time is over first. */
  until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (outcome: boolean): void => {
        this.waiting.delete(watcher);
        stopTimer();
        resolve(outcome);
      };
      const watcher = (): void => {
        if (holds()) finish(true);
      };
      const stopTimer = this.clock.schedule(timeoutMs, () => {
        finish(false);
      });
      this.waiting.add(watcher);
    });
  }
}
