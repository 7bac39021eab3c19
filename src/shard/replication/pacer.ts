/** Keeps what one worker sends to recovering copies below a rate. */
import type { Clock } from '../../base/clock.js';
import type { Pace } from './push-segments.js';

/** `bytesPerSecond` is asked each time; 0: no limit. */
export function pacer(clock: Clock, bytesPerSecond: () => number): Pace {
  let freeAtMs = clock.monotonicMs();
  return (bytes) => {
    const rate = bytesPerSecond();
    if (rate <= 0) return Promise.resolve(0);
    const nowMs = clock.monotonicMs();
    const waitMs = freeAtMs - nowMs;
    freeAtMs = Math.max(freeAtMs, nowMs) + (bytes / rate) * 1_000;
    if (waitMs <= 0) return Promise.resolve(0);
    return new Promise((resolve) => {
      clock.schedule(waitMs, () => {
        resolve(waitMs);
      });
    });
  };
}
