/**
 * The master runs the schedules of snapshot lifecycle management: it has workers of its node begin what is due, follow
 * the snapshots that policies began, whoever began them, and carry out retention. A time that passed while there was no
 * master is passed over. The clock says only when to look: what has run is in the state, so that no time runs twice.
 *
 * So it does for the policies of OpenSearch's snapshot management. Their state has the next time as well, so that one that
 * passed while there was no master is made up for, once.
 */
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { effectiveClusterSettings } from '../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../cluster/settings/cluster-settings.js';
import { valueOf } from '../cluster/settings/registry.js';
import { hasRunFor, nextRunMs } from '../cluster/slm/due.js';
import { parseSchedule } from '../cluster/slm/schedule.js';
import type { SlmRun } from '../cluster/slm/types.js';
import { workMs } from '../cluster/sm/due.js';
import { SM_WORKFLOWS, type SmWorkflowName } from '../cluster/sm/types.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import { reasonOf, type Coordinator } from './coordinator.js';

/** What workers do. */
export interface SlmWork {
  startRun(node: NodeRecord, input: { id: string; dueMs: number }, timeoutMs: number): Promise<void>;
  /** Resolves when the end of the snapshot is noted. */
  followRun(node: NodeRecord, input: { id: string; snapshotName: string }, timeoutMs: number): Promise<void>;
  runRetention(node: NodeRecord, input: { dueMs?: number }, timeoutMs: number): Promise<void>;
  /** Resolves when what the workflow has to do now is done, and that is noted. */
  runWorkflow(node: NodeRecord, input: { name: string; workflow: SmWorkflowName }, timeoutMs: number): Promise<void>;
}

export interface SlmTimerOptions {
  readonly self: NodeRecord;
  readonly coordinator: Pick<Coordinator, 'current' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly work: SlmWork;
}

/** The time of day may jump: it is looked at no less often. */
const LOOK_MS_MAX = 60_000;
/** After something that failed. */
const AGAIN_MS = 10_000;
const START_MS_MAX = 600_000;
/** Of one attempt: what goes on after it is followed again. */
const FOLLOW_MS_MAX = 24 * 60 * 60 * 1_000;
/** A run whose snapshot has not begun by then was lost with the worker that was to begin it. */
const BEGIN_MS_MAX = 600_000;
const RETENTION = 'retention';

export class SlmTimer {
  private readonly options: SlmTimerOptions;
  private stopTimer = (): void => undefined;
  private stopWatching = (): void => undefined;
  /** Up to when it was looked at what is due. */
  private lookedMs = 0;
  private retentionSchedule = '';
  /** By key, what is under way. */
  private readonly busy = new Set<string>();
  /** What the plan was made of. */
  private planned: Pick<ClusterState, 'slm' | 'slmPolicies' | 'smPolicies' | 'clusterSettings' | 'nodes'> | undefined;
  /** Rises with each time that this node becomes the master. */
  private reign = 0;

  constructor(options: SlmTimerOptions) {
    this.options = options;
  }

  /** This node is the master. */
  begin(): void {
    this.end();
    const { coordinator, clock } = this.options;
    this.lookedMs = clock.nowMs();
    this.stopWatching = coordinator.watch((state) => {
      if (this.isPlanned(state)) return;
      this.look();
    });
    this.look();
  }

  end(): void {
    this.reign++;
    this.stopWatching();
    this.stopTimer();
    this.busy.clear();
    this.planned = undefined;
  }

  private isPlanned(state: ClusterState): boolean {
    const { planned } = this;
    return (
      planned?.slm === state.slm &&
      planned.slmPolicies === state.slmPolicies &&
      planned.smPolicies === state.smPolicies &&
      planned.clusterSettings === state.clusterSettings &&
      planned.nodes === state.nodes
    );
  }

  /** Has everything done that is due, and comes back when more may be. */
  private look(): void {
    const { coordinator, clock } = this.options;
    const state = coordinator.current;
    const wasStopped = this.planned?.slm.stopped === true;
    this.planned = state;
    const nowMs = clock.nowMs();
    const sinceMs = wasStopped ? nowMs : Math.min(this.lookedMs, nowMs);
    this.lookedMs = nowMs;
    this.follow(state, nowMs);
    const nextMs = [
      this.lookAtPolicies(state, sinceMs, nowMs),
      this.lookAtRetention(state, sinceMs, nowMs),
      this.lookAtWorkflows(state, nowMs),
    ];
    this.comeBack(Math.min(LOOK_MS_MAX, ...nextMs.map((atMs) => atMs - nowMs)));
  }

  private comeBack(delayMs: number): void {
    this.stopTimer();
    this.stopTimer = this.options.clock.schedule(Math.max(1, delayMs), () => {
      this.look();
    });
  }

  /** Gives the next time at which one is due. */
  private lookAtPolicies(state: ClusterState, sinceMs: number, nowMs: number): number {
    if (state.slm.stopped) return Infinity;
    let earliestMs = Infinity;
    for (const [id, policy] of state.slmPolicies) {
      // What was put after a time was not due then.
      const dueMs = nextRunMs(policy, Math.max(sinceMs, policy.modifiedAtMs));
      if (dueMs !== undefined && dueMs <= nowMs && !hasRunFor(policy.lastDueMs, dueMs, nowMs)) {
        this.start(`start ${id}`, () => this.options.work.startRun(this.options.self, { id, dueMs }, START_MS_MAX));
      }
      earliestMs = Math.min(earliestMs, nextRunMs(policy, nowMs) ?? Infinity);
    }
    return earliestMs;
  }

  private lookAtWorkflows(state: ClusterState, nowMs: number): number {
    const { work, self } = this.options;
    let earliestMs = Infinity;
    for (const [name, policy] of state.smPolicies) {
      for (const workflow of SM_WORKFLOWS) {
        const atMs = workMs(policy, workflow, nowMs);
        if (atMs > nowMs) earliestMs = Math.min(earliestMs, atMs);
        else this.start(`${workflow} of ${name}`, () => work.runWorkflow(self, { name, workflow }, FOLLOW_MS_MAX));
      }
    }
    return earliestMs;
  }

  private lookAtRetention(state: ClusterState, sinceMs: number, nowMs: number): number {
    const text = valueOf(ClusterSettingDefinitions.slmRetentionSchedule, effectiveClusterSettings(state)) ?? '';
    const schedule = text === '' || state.slm.stopped ? undefined : parseSchedule(text);
    const isNew = text !== this.retentionSchedule;
    this.retentionSchedule = text;
    const dueMs = schedule?.nextAfter(isNew ? nowMs : sinceMs, 0) ?? Infinity;
    const isDue = dueMs <= nowMs && !hasRunFor(state.slm.retentionDueMs, dueMs, nowMs);
    if (state.slm.retentionWanted || (isDue && state.slmPolicies.size > 0)) {
      const input = isDue ? { dueMs } : {};
      this.start(RETENTION, () => this.options.work.runRetention(this.options.self, input, FOLLOW_MS_MAX));
    }
    return schedule?.nextAfter(nowMs, 0) ?? Infinity;
  }

  private follow(state: ClusterState, nowMs: number): void {
    for (const [id, { runs }] of state.slmPolicies) {
      for (const [snapshotName, run] of runs) {
        if (!isFollowed(state, run, nowMs)) continue;
        const input = { id, snapshotName };
        this.start(`follow ${snapshotName}`, () =>
          this.options.work.followRun(this.options.self, input, FOLLOW_MS_MAX),
        );
      }
    }
  }

  /** Once at a time. */
  private start(key: string, work: () => Promise<void>): void {
    if (this.busy.has(key)) return;
    this.busy.add(key);
    const { reign } = this;
    const ended = (): void => {
      if (reign !== this.reign) return;
      this.busy.delete(key);
      this.look();
    };
    work().then(ended, (error: unknown) => {
      if (reign !== this.reign) return;
      this.options.logger.log('warn', 'snapshot lifecycle management', { what: key, reason: reasonOf(error) });
      // Not at once: it may fail for long.
      this.options.clock.schedule(AGAIN_MS, ended);
    });
  }
}

/** Whoever was to begin it has done so, or never will. */
function isFollowed(state: ClusterState, run: SlmRun, nowMs: number): boolean {
  const { uuid, startedAtMs, nodeId, ephemeralId } = run;
  const isThere = state.nodes.get(nodeId)?.ephemeralId === ephemeralId;
  return uuid !== undefined || !isThere || nowMs - startedAtMs >= BEGIN_MS_MAX;
}
