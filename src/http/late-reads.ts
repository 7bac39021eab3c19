/**
 * Reads that the front answers at once, from when a turn of its event loop has no time left for them: the first to come is the first to be
 * answered, in the turns that follow. Handed to workers instead they would be passed again and again by those that come while a turn has time.
 */
import type { PoolName } from '../rest/endpoint.js';
import type { Admission } from './admission.js';

/** Instead of an answer: not in this turn. */
export const NO_TIME = Symbol('no time');
export type NoTime = typeof NO_TIME;

export interface LateRead {
  /** In whose queue it waits. */
  readonly pool: PoolName;
  /** False: this turn has no time for it either. */
  readonly answer: () => boolean;
}

export class LateReads {
  private readonly admission: Pick<Admission, 'postpone' | 'resume'>;
  private readonly soon: (answer: () => void) => void;
  private readonly waiting: LateRead[] = [];

  /** `soon` runs a function in the next turn. */
  constructor(admission: Pick<Admission, 'postpone' | 'resume'>, soon: (answer: () => void) => void = setImmediate) {
    this.admission = admission;
    this.soon = soon;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** False: the queue of the pool is full. */
  add(read: LateRead): boolean {
    if (!this.admission.postpone(read.pool)) return false;
    if (this.isEmpty) this.soon(this.answer);
    this.waiting.push(read);
    return true;
  }

  private readonly answer = (): void => {
    let answered = 0;
    for (const read of this.waiting) {
      if (!read.answer()) break;
      this.admission.resume(read.pool);
      answered++;
    }
    this.waiting.splice(0, answered);
    if (!this.isEmpty) this.soon(this.answer);
  };
}
