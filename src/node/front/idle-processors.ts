/** Whether another thread could read for a front: one more than there are processors would only take the time of those that run. */
import type { Clock } from '../../base/clock.js';
import { UNDER_WAY_MIN, type WorkerSlots } from '../../workers/worker-slots.js';

/** Who has read so lately is about to read again: a client that has its answer sends the next request. */
const LATELY_MS = 2;

/** Shared memory for so many fronts: of each, when it last read. */
export function readMoments(fronts: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(fronts * Float64Array.BYTES_PER_ELEMENT));
}

export class IdleProcessors {
  private readonly moments: Float64Array;
  private readonly place: number;
  private readonly slots: Pick<WorkerSlots, 'count' | 'underWay'>;
  private readonly clock: Pick<Clock, 'nowMs'>;

  /** `moments` are of {@link readMoments}; the front has the place `place` there. There are as many workers as processors. */
  constructor(
    moments: Float64Array,
    place: number,
    slots: Pick<WorkerSlots, 'count' | 'underWay'>,
    clock: Pick<Clock, 'nowMs'>,
  ) {
    this.moments = moments;
    this.place = place;
    this.slots = slots;
    this.clock = clock;
  }

  /** This front reads. */
  noteRead(): void {
    this.moments[this.place] = this.clock.nowMs();
  }

  /** For this front, which has something to do. What another thread wrote a moment ago may be missing. */
  get hasSome(): boolean {
    const nowMs = this.clock.nowMs();
    let idle = this.slots.count;
    for (const [place, moment] of this.moments.entries()) {
      // A clock that was set back says nothing.
      const isBusy = moment <= nowMs && nowMs - moment < LATELY_MS;
      if (place === this.place || isBusy) idle--;
    }
    return this.slots.underWay < idle * UNDER_WAY_MIN;
  }
}
