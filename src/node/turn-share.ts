/**
 * How long the front has carried out reads itself in this turn of its event loop. Other connections wait for that long: beyond a share, reads go to
 * workers that have nothing to do.
 */
import type { Clock } from '../base/clock.js';

export class TurnShare {
  private readonly clock: Clock;
  private readonly shareMs: number;
  private readonly soon: (action: () => void) => void;
  private startedMs: number | undefined;

  /** `soon` runs a function in the next turn. */
  constructor(clock: Clock, shareMs: number, soon: (action: () => void) => void = setImmediate) {
    this.clock = clock;
    this.shareMs = shareMs;
    this.soon = soon;
  }

  /** Whether another read would be one too many. The first call of a turn begins its time. */
  get isUsedUp(): boolean {
    const nowMs = this.clock.monotonicMs();
    if (this.startedMs === undefined) {
      this.startedMs = nowMs;
      this.soon(this.end);
    }
    return nowMs - this.startedMs >= this.shareMs;
  }

  private readonly end = (): void => {
    this.startedMs = undefined;
  };
}
