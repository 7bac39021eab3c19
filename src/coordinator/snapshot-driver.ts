/** The master has a worker of its node do what is to be done in repositories, as soon as there is anything. */
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import { reasonOf, type Coordinator } from './coordinator.js';

export interface SnapshotDriverOptions {
  readonly self: NodeRecord;
  readonly coordinator: Coordinator;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns when nothing is left. */
  readonly run: (node: NodeRecord, timeoutMs: number) => Promise<void>;
}

/** Of all that is to be done at once. */
const RUN_MS_MAX = 7 * 24 * 3_600_000;
/** After one that found nothing to do: its worker may not know yet that this node is the master. */
const PAUSE_MS = 10;
/** After a run that failed: a worker may have crashed, or none may be there yet. */
const RETRY_MS = 1_000;

export class SnapshotDriver {
  private readonly options: SnapshotDriverOptions;
  private stopWatching = (): void => undefined;
  private stopTimer = (): void => undefined;
  private isActive = false;
  private work: 'none' | 'running' | 'pausing' = 'none';

  constructor(options: SnapshotDriverOptions) {
    this.options = options;
  }

  /** This node is the master. */
  begin(): void {
    this.end();
    this.isActive = true;
    this.stopWatching = this.options.coordinator.watch((state) => {
      this.look(state);
    });
    this.look(this.options.coordinator.current);
  }

  end(): void {
    this.isActive = false;
    this.stopWatching();
    this.stopTimer();
    // Nothing ends the pause now. A run that is under way ends by itself.
    if (this.work === 'pausing') this.work = 'none';
  }

  private look({ snapshotOperations }: ClusterState): void {
    if (!this.isActive || this.work !== 'none' || snapshotOperations.size === 0) return;
    this.work = 'running';
    void this.run();
  }

  private async run(): Promise<void> {
    const { coordinator, self, clock, logger, run } = this.options;
    let pauseMs = PAUSE_MS;
    try {
      await run(self, RUN_MS_MAX);
    } catch (error) {
      pauseMs = RETRY_MS;
      if (this.isActive) logger.log('warn', 'snapshots could not be carried out', { reason: reasonOf(error) });
    }
    this.work = 'pausing';
    // What came while the run ended is in the state by then.
    this.stopTimer = clock.schedule(pauseMs, () => {
      this.work = 'none';
      this.look(coordinator.current);
    });
  }
}
