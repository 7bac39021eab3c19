/** Reads that wait until a majority has confirmed that this node leads. */
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { notMaster } from './proposals.js';

interface Barrier {
  readonly number: number;
  isAsked: boolean;
  /** What must be applied here; none before it was confirmed. */
  index: number | undefined;
  resolve(index: number): void;
  reject(error: QuarryError): void;
}

/** More are refused. */
const BARRIERS_MAX = 10_000;

export class Barriers {
  private readonly clock: Clock;
  private readonly waiting = new Map<number, Barrier>();
  private lastNumber = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(timeoutMs: number): Promise<number> {
    if (this.waiting.size >= BARRIERS_MAX) {
      const reason = `rejected execution of a read: [${BARRIERS_MAX}] wait for a majority`;
      return Promise.reject(new QuarryError('rejected_execution_exception', reason));
    }
    const number = ++this.lastNumber;
    return new Promise((resolve, reject) => {
      const stopTimer = this.clock.schedule(timeoutMs, () => {
        this.refuse(number, notMaster(`no majority has confirmed the master within ${timeoutMs}ms`));
      });
      this.waiting.set(number, {
        number,
        isAsked: false,
        index: undefined,
        resolve(index) {
          stopTimer();
          resolve(index);
        },
        reject(error) {
          stopTimer();
          reject(error);
        },
      });
    });
  }

  /** Begins those that were not begun; `begin` says whether it could. */
  ask(begin: (number: number) => boolean): void {
    for (const barrier of this.waiting.values()) {
      if (barrier.isAsked) continue;
      barrier.isAsked = true;
      if (!begin(barrier.number)) this.refuse(barrier.number, notMaster('this node is not the master'));
    }
  }

  confirmed(barriers: readonly { readonly number: number; readonly index: number }[]): void {
    for (const { number, index } of barriers) {
      const barrier = this.waiting.get(number);
      if (barrier !== undefined) barrier.index = index;
    }
  }

  applied(index: number): void {
    for (const barrier of this.waiting.values()) {
      if (barrier.index === undefined || barrier.index > index) continue;
      this.waiting.delete(barrier.number);
      barrier.resolve(barrier.index);
    }
  }

  /** All of them. */
  end(error: QuarryError): void {
    for (const number of [...this.waiting.keys()]) this.refuse(number, error);
  }

  private refuse(number: number, error: QuarryError): void {
    const barrier = this.waiting.get(number);
    this.waiting.delete(number);
    barrier?.reject(error);
  }
}
