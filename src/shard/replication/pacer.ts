/** Keeps what is read or written below a rate. */
import type { Clock } from '../../base/clock.js';
import type { Pace } from './push-segments.js';

const US_PER_MS = 1_000;
/** Who waits takes so much at once: whoever does not want the rest leaves it to others, and a new rate holds soon. */
const SHARE_MS = 100;
/** A pause that is shorter is no rest: it is what the work itself takes between two pieces, and counts towards the next one. */
const WORK_MS_MAX = 200;
/** Timers are no finer. What is not waited for is made up for by the next piece. */
const WAIT_MS_MIN = 1;

/** When all that was taken so far is paid for: microseconds of a clock. Several threads may have the same memory. */
export class PaidUntil {
  private readonly words: BigInt64Array;
  private readonly place: number;

  constructor(words: BigInt64Array = new BigInt64Array(1), place = 0) {
    this.words = words;
    this.place = place;
  }

  /** How long whoever takes what costs so much has to wait for it. */
  waitMs(nowMs: number, costMs: number): number {
    const now = BigInt(Math.round(nowMs * US_PER_MS));
    const cost = BigInt(Math.ceil(costMs * US_PER_MS));
    const rested = now - BigInt(WORK_MS_MAX * US_PER_MS);
    for (;;) {
      const before = Atomics.load(this.words, this.place);
      const after = (before < rested ? now : before) + cost;
      if (Atomics.compareExchange(this.words, this.place, before, after) !== before) continue;
      return Math.max(0, Number(after - now) / US_PER_MS);
    }
  }
}

/** `bytesPerSecond` is asked each time; 0: no limit. */
export function pacer(clock: Clock, bytesPerSecond: () => number, paidUntil = new PaidUntil()): Pace {
  return async (bytes, isWanted = () => true) => {
    let waitedMs = 0;
    for (let left = bytes; left > 0 && isWanted();) {
      const rate = bytesPerSecond();
      if (rate <= 0) break;
      const share = Math.min(left, (rate * SHARE_MS) / 1_000);
      left -= share;
      const waitMs = paidUntil.waitMs(clock.monotonicMs(), (share / rate) * 1_000);
      if (waitMs < WAIT_MS_MIN) continue;
      await new Promise<void>((resolve) => clock.schedule(waitMs, resolve));
      waitedMs += waitMs;
    }
    return waitedMs;
  };
}
