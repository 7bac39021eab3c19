/** Waiting for others who may never answer: a node that is cut off hears neither from them nor that they are gone. */
import type { Clock } from '../base/clock.js';
import type { QuarryError } from '../base/errors.js';
import type { ClusterState } from '../cluster/state.js';

export interface Patience {
  readonly timeoutMs: number;
  /** Beyond `timeoutMs`, while this node knows no master: nobody tells it what became of the other. */
  readonly withoutMasterMs: number;
  /** Beyond `timeoutMs`, while it knows one: the master gives up nodes that do not answer, and that is waited for. */
  readonly withMasterMs: number;
}

export interface PatienceContext {
  readonly clock: Clock;
  readonly clusterState: () => ClusterState;
}

/** How often a wait that is overdue is looked at. */
const LOOK_MS = 250;

/** Fails with `overdue()` when `work` does not settle in time; it may go on then, and what it comes to is ignored. */
export async function inTime<Result>(
  work: Promise<Result>,
  { timeoutMs, withoutMasterMs, withMasterMs }: Patience,
  { clock, clusterState }: PatienceContext,
  overdue: () => QuarryError,
): Promise<Result> {
  const startedMs = clock.monotonicMs();
  let stop = (): void => undefined;
  const end = new Promise<never>((_, reject) => {
    const look = (delayMs: number): void => {
      stop = clock.schedule(delayMs, () => {
        const graceMs = clusterState().masterNodeId === '' ? withoutMasterMs : withMasterMs;
        if (clock.monotonicMs() - startedMs >= timeoutMs + graceMs) reject(overdue());
        else look(LOOK_MS);
      });
    };
    look(timeoutMs + Math.min(withoutMasterMs, withMasterMs));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    stop();
  }
}
