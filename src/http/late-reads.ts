/**
 * Reads that the front answers at once, from when a turn of its event loop has no time left for them: the first to come is the first to be
 * answered, in the turns that follow. Handed to workers instead they would be passed again and again by those that come while a turn has time.
 */
import type { Clock } from '../base/clock.js';
import type { PoolName } from '../rest/endpoint.js';
import type { Admission } from './admission.js';

/** Instead of an answer: not in this turn. */
export const NO_TIME = Symbol('no time');
export type NoTime = typeof NO_TIME;

export interface LateRead {
  /** In whose queue it waits. */
  readonly pool: PoolName;
  /** False: it is to take the usual way after all. */
  readonly answer: () => boolean | NoTime;
  readonly otherwise: () => void;
  readonly fail: (error: unknown) => void;
}

interface Waiting {
  readonly read: LateRead;
  readonly sinceMs: number;
}

export class LateReads {
  private readonly admission: Pick<Admission, 'postpone' | 'resume'>;
  private readonly clock: Clock;
  private readonly soon: (answer: () => void) => void;
  private readonly waiting: Waiting[] = [];

  /** `soon` runs a function in the next turn. */
  constructor(
    admission: Pick<Admission, 'postpone' | 'resume'>,
    clock: Clock,
    soon: (answer: () => void) => void = setImmediate,
  ) {
    this.admission = admission;
    this.clock = clock;
    this.soon = soon;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** False: the queue of the pool is full. */
  add(read: LateRead): boolean {
    if (!this.admission.postpone(read.pool)) return false;
    if (this.isEmpty) this.soon(this.answer);
    this.waiting.push({ read, sinceMs: this.clock.monotonicMs() });
    return true;
  }

  private readonly answer = (): void => {
    let gone = 0;
    try {
      for (const next of this.waiting) {
        if (!this.isDone(next)) break;
        gone++;
      }
    } finally {
      this.waiting.splice(0, gone);
      if (!this.isEmpty) this.soon(this.answer);
    }
  };

  private isDone({ read, sinceMs }: Waiting): boolean {
    let answered: boolean | NoTime;
    try {
      answered = read.answer();
      if (answered === NO_TIME) return false;
    } catch (error) {
      answered = true;
      read.fail(error);
    }
    // Its place is free for itself, if it needs one.
    this.admission.resume(read.pool, this.clock.monotonicMs() - sinceMs);
    if (!answered) read.otherwise();
    return true;
  }
}

/** Of each endpoint on its own: what is cheap does not wait for what is dear. */
export class LateReadsByEndpoint {
  private readonly makeQueue: () => LateReads;
  private readonly queues = new Map<number, LateReads>();

  constructor(makeQueue: () => LateReads) {
    this.makeQueue = makeQueue;
  }

  isEmpty(endpoint: number): boolean {
    return this.queues.get(endpoint)?.isEmpty !== false;
  }

  /** See {@link LateReads.add}. */
  add(endpoint: number, read: LateRead): boolean {
    let queue = this.queues.get(endpoint);
    if (queue === undefined) this.queues.set(endpoint, (queue = this.makeQueue()));
    return queue.add(read);
  }
}
