/** The master has lifecycles carried out from time to time: one round at a time, in a worker of its node. */
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { effectiveClusterSettings } from '../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../cluster/settings/cluster-settings.js';
import { valueOf } from '../cluster/settings/registry.js';
import type { NodeRecord } from '../cluster/state.js';
import { reasonOf, type Coordinator } from './coordinator.js';

/** Of one round, merges included. What goes on after it ends with its own limits. */
const ROUND_MS_MAX = 3_600_000;

export interface LifecycleTimerOptions {
  readonly self: NodeRecord;
  readonly coordinator: Coordinator;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly run: (node: NodeRecord, timeoutMs: number) => Promise<void>;
}

export class LifecycleTimer {
  private readonly options: LifecycleTimerOptions;
  private stopTimer = (): void => undefined;
  private stopWatching = (): void => undefined;
  private intervalMs = 0;
  private isRunning = false;

  constructor(options: LifecycleTimerOptions) {
    this.options = options;
  }

  /** This node is the master. */
  begin(): void {
    this.end();
    const { coordinator } = this.options;
    this.stopWatching = coordinator.watch(() => {
      if (this.interval() !== this.intervalMs) this.schedule();
    });
    this.schedule();
  }

  end(): void {
    this.stopWatching();
    this.stopTimer();
  }

  /** Rounds do all that is due, so that the shorter interval counts. */
  private interval(): number {
    const settings = effectiveClusterSettings(this.options.coordinator.current);
    const { lifecyclePollInterval, policyPollInterval } = ClusterSettingDefinitions;
    return Math.min(valueOf(lifecyclePollInterval, settings) ?? 0, valueOf(policyPollInterval, settings) ?? 0);
  }

  private schedule(): void {
    this.stopTimer();
    this.intervalMs = this.interval();
    this.stopTimer = this.options.clock.schedule(this.intervalMs, () => {
      this.schedule();
      void this.runOnce();
    });
  }

  private async runOnce(): Promise<void> {
    const { coordinator, self, logger, run } = this.options;
    const { dataStreams, lifecyclePolicies } = coordinator.current;
    const hasWork =
      lifecyclePolicies.size > 0 || [...dataStreams.values()].some(({ lifecycle }) => lifecycle?.enabled === true);
    if (this.isRunning || !hasWork) return;
    this.isRunning = true;
    try {
      await run(self, ROUND_MS_MAX);
    } catch (error) {
      logger.log('warn', 'lifecycles could not be carried out', { reason: reasonOf(error) });
    } finally {
      this.isRunning = false;
    }
  }
}
