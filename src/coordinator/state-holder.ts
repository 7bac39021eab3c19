/** One thread's copy of the cluster state, and who waits for it to change. */
import { assert } from '../base/assert.js';
import type { Clock } from '../base/clock.js';
import type { Cancellation } from '../base/cancellation.js';
import type { ClusterState } from '../cluster/state.js';
import { applyPublication, type Publication } from './publication.js';

/** Publications that came to a thread. */
export interface PublicationFigures {
  /** Whole states. */
  readonly full: number;
  /** Changes of the state that the thread had. */
  readonly compatible: number;
  /** Changes of another one, which were refused. */
  readonly incompatible: number;
}

/** How often a wait looks whether it is still wanted. */
const LOOK_MS = 200;

export class StateHolder {
  private readonly clock: Clock;
  private state: ClusterState | undefined;
  private readonly came = { full: 0, compatible: 0, incompatible: 0 };
  private readonly watchers = new Set<(state: ClusterState) => void>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get current(): ClusterState {
    assert(this.state !== undefined, 'the cluster state was not published to this thread yet');
    return this.state;
  }

  get isKnown(): boolean {
    return this.state !== undefined;
  }

  figures(): PublicationFigures {
    return { ...this.came };
  }

  apply(publication: Publication): ClusterState {
    const next = this.after(publication);
    this.came[publication.kind === 'full' ? 'full' : 'compatible']++;
    this.state = next;
    for (const watcher of [...this.watchers]) watcher(next);
    return next;
  }

  private after(publication: Publication): ClusterState {
    try {
      return applyPublication(this.state, publication);
    } catch (error) {
      this.came.incompatible++;
      throw error;
    }
  }

  /** The first state for which `holds` is true, from the current one on; undefined when the time is over, or the wait is cancelled. */
  when(
    holds: (state: ClusterState) => boolean,
    timeoutMs: number,
    cancellation?: Cancellation,
  ): Promise<ClusterState | undefined> {
    if (this.state !== undefined && holds(this.state)) return Promise.resolve(this.state);
    return new Promise((resolve) => {
      const finish = (state: ClusterState | undefined): void => {
        this.watchers.delete(watcher);
        cancelTimer();
        resolve(state);
      };
      const watcher = (state: ClusterState): void => {
        if (holds(state)) finish(state);
      };
      const stepMs = cancellation === undefined ? timeoutMs : LOOK_MS;
      const wait = (leftMs: number): void => {
        cancelTimer = this.clock.schedule(Math.min(stepMs, leftMs), () => {
          if (leftMs <= stepMs || cancellation?.isCancelled === true) finish(undefined);
          else wait(leftMs - stepMs);
        });
      };
      let cancelTimer: () => void = () => undefined;
      wait(timeoutMs);
      this.watchers.add(watcher);
    });
  }
}
