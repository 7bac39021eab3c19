/**
 * When a thread carries out what its ports bring.
 *
 * A port hands over up to a thousand messages in one turn of the event loop, and goes on as long as others come meanwhile. What else the thread
 * waits for (ends of native work, timers, its other ports) is not looked at before that ends: with messages that take long, after minutes. So
 * work is carried out as it comes for a few milliseconds only. What comes after that waits in lanes, one for each kind of work, and is carried
 * out in later turns of the loop, a piece from one lane after the other: no kind waits for more than one piece of each other kind.
 */
import type { Clock } from '../base/clock.js';

/** For so long a turn of the event loop carries out work, and one piece in any case. */
const TURN_MS_MAX = 2;
/** Pieces that waited, of one turn. */
const STEPS_MAX = 32;

export class MessageTurns {
  private readonly clock: Clock;
  private readonly soon: (action: () => void) => void;
  /** What waits, by lane, in the order in which lanes are served; none is empty. Who sends messages bounds how many wait. */
  private readonly lanes = new Map<string, (() => void)[]>();
  private waiting = 0;
  /** Of this turn; undefined while nothing was carried out in it. */
  private startedMs: number | undefined;
  private isEndAwaited = false;
  private deferrals = 0;

  /** `soon` runs a function when the event loop has looked at everything once more, after those that it was given before. */
  constructor(clock: Clock, soon: (action: () => void) => void = setImmediate) {
    this.clock = clock;
    this.soon = soon;
  }

  /** Pieces of work that did not begin as they came, since the thread started. */
  get deferred(): number {
    return this.deferrals;
  }

  /** Carries out the work now or in a later turn. Within a lane the order stays. */
  take(lane: string, work: () => void): void {
    if (this.waiting > 0 || !this.hasTime()) {
      this.defer(lane, work);
      return;
    }
    this.awaitEnd();
    work();
  }

  /** Whether this turn may carry out another piece; the first one begins it. */
  private hasTime(): boolean {
    const nowMs = this.clock.monotonicMs();
    this.startedMs ??= nowMs;
    return nowMs - this.startedMs < TURN_MS_MAX;
  }

  private awaitEnd(): void {
    if (this.isEndAwaited) return;
    this.isEndAwaited = true;
    this.soon(this.end);
  }

  private defer(lane: string, work: () => void): void {
    this.deferrals++;
    this.waiting++;
    const waiting = this.lanes.get(lane);
    if (waiting === undefined) this.lanes.set(lane, [work]);
    else waiting.push(work);
    this.awaitEnd();
  }

  private readonly end = (): void => {
    this.isEndAwaited = false;
    this.startedMs = undefined;
    if (this.waiting === 0) return;
    // Each is run by itself, so that what it left to promises is part of its time.
    for (let steps = Math.min(this.waiting, STEPS_MAX); steps > 0; steps--) this.soon(this.step);
    this.awaitEnd();
  };

  private readonly step = (): void => {
    if (this.hasTime()) this.next()?.();
  };

  /** Of the lane whose turn it is, which is served again after all others. */
  private next(): (() => void) | undefined {
    for (const [lane, waiting] of this.lanes) {
      const work = waiting.shift();
      this.waiting--;
      this.lanes.delete(lane);
      if (waiting.length > 0) this.lanes.set(lane, waiting);
      return work;
    }
    return undefined;
  }
}
