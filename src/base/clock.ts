/**
 * Time as an argument: everything that reads a clock or waits takes one of these, so that tests choose the time.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs`; the answer cancels it. A pending action does not keep the process alive. */
  schedule(delayMs: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
