/** Whether a processor is idle, so that another thread could carry out reads of a front: where none is, that thread would take the time of those that run. */
import type { Clock } from '../../base/clock.js';
import { UNDER_WAY_MIN, type WorkerSlots } from '../../workers/worker-slots.js';

/** Who had requests so lately is about to have some again: a client that has its answer sends the next one. Moments are whole milliseconds. */
const LATELY_MS = 3;
/** In place of a moment: it has requests in this turn of its event loop. */
const NOW = Infinity;

/** Shared memory for so many fronts: of each, when it last had requests. */
export function busyMoments(fronts: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(fronts * Float64Array.BYTES_PER_ELEMENT));
}

export class IdleProcessors {
  private readonly moments: Float64Array;
  private readonly place: number;
  private readonly slots: Pick<WorkerSlots, 'count' | 'underWay'>;
  private readonly clock: Pick<Clock, 'nowMs'>;
  private readonly soon: (end: () => void) => void;
  private isNoted = false;

  /**
   * `moments` are of {@link busyMoments}; the front has the place `place` there. There are as many workers as processors, by the node's settings. `soon` runs a
   * function after this turn of the event loop.
   */
  constructor(
    moments: Float64Array,
    place: number,
    slots: Pick<WorkerSlots, 'count' | 'underWay'>,
    clock: Pick<Clock, 'nowMs'>,
    soon: (end: () => void) => void = setImmediate,
  ) {
    this.moments = moments;
    this.place = place;
    this.slots = slots;
    this.clock = clock;
    this.soon = soon;
  }

  /** This front has a request. */
  noteRequest(): void {
    if (this.isNoted) return;
    this.isNoted = true;
    this.moments[this.place] = NOW;
    this.soon(this.endTurn);
  }

  /** For this front, which has something to do. What another thread wrote a moment ago may be missing. */
  get hasSome(): boolean {
    const nowMs = this.clock.nowMs();
    let idle = this.slots.count;
    for (const [place, moment] of this.moments.entries()) {
      // A clock that was set back says nothing.
      const isBusy = moment === NOW || (moment <= nowMs && nowMs - moment < LATELY_MS);
      if (place === this.place || isBusy) idle--;
    }
    return this.slots.underWay < idle * UNDER_WAY_MIN;
  }

  private readonly endTurn = (): void => {
    this.isNoted = false;
    this.moments[this.place] = this.clock.nowMs();
  };
}
