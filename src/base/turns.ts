/**
 * Work in the background that takes turns: one step at a time, in order of arrival. While requests are served a step is followed by a
 * rest as long as itself, so that background work takes at most half of what a worker can do.
 */
import type { Clock } from './clock.js';

/** A step that hung does not make the next one wait for as long. */
const REST_MS_MAX = 1_000;

export class Turns {
  private readonly clock: Clock;
  private readonly servesRequests: () => Promise<boolean>;
  private last: Promise<unknown> = Promise.resolve();
  private busy = false;

  /** `servesRequests` tells whether the node had anything else to do since it was asked before. */
  constructor(clock: Clock, servesRequests: () => Promise<boolean>) {
    this.clock = clock;
    this.servesRequests = servesRequests;
  }

  /** Requests were served at the last look: steps should be small. */
  get isBusy(): boolean {
    return this.busy;
  }

  /** Runs the step when those before it have ended. */
  take<T>(step: () => Promise<T>): Promise<T> {
    let startedMs = 0;
    const turn = this.last.then(() => {
      startedMs = this.clock.monotonicMs();
      return step();
    });
    this.last = turn.then(
      () => this.rest(startedMs),
      () => this.rest(startedMs),
    );
    return turn;
  }

  /** At least as long as it takes to look at what else came. */
  private async rest(startedMs: number): Promise<void> {
    const tookMs = this.clock.monotonicMs() - startedMs;
    await new Promise((resolve) => setImmediate(resolve));
    this.busy = await this.servesRequests().catch(() => false);
    if (!this.busy) return;
    await new Promise<void>((resolve) => {
      this.clock.schedule(Math.min(tookMs, REST_MS_MAX), resolve);
    });
  }
}
