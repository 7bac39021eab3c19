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

/** Timers take no longer delays: they would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, action) {
    let timer: NodeJS.Timeout;
    const sleep = (leftMs: number): void => {
      const pieceMs = Math.min(leftMs, TIMER_MS_MAX);
      timer = setTimeout(() => {
        if (leftMs > pieceMs) sleep(leftMs - pieceMs);
        else action();
      }, pieceMs);
      timer.unref();
    };
    sleep(delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** The same, by the clock of the process: all of its threads agree on {@link Clock.monotonicMs}. */
export const processClock: Clock = { ...systemClock, monotonicMs: () => Number(process.hrtime.bigint()) / 1e6 };
