/** Snapshots of lifecycle policies begin and end, and retention runs. Each is noted before and after it is carried out. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import { hasRunFor } from '../../slm/due.js';
import type { SlmInvocation, SlmPolicy, SlmPolicyStats, SlmRun } from '../../slm/types.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

/** Snapshots of one policy that are under way at once. */
const RUNS_MAX = 10;

export interface BeginSlmRunInput {
  readonly id: string;
  readonly snapshotName: string;
  /** The node that is to begin it, and which run of the node. */
  readonly nodeId: string;
  readonly ephemeralId: string;
  /** The time of the schedule; absent where somebody asked for it. */
  readonly dueMs?: number;
}

export interface BeginSlmRunResult {
  /** `false`: a snapshot was taken for this time already, or the policy is gone or stopped. */
  readonly begun: boolean;
}

/** At most one run begins for one time of the schedule, whichever master asks. */
export function beginSlmRun(
  state: ClusterState,
  { id, snapshotName, nodeId, ephemeralId, dueMs }: BeginSlmRunInput,
  environment: ChangeEnvironment,
): Change<BeginSlmRunResult> {
  const policy = state.slmPolicies.get(id);
  const { nowMs } = environment;
  if (dueMs !== undefined) {
    const isOver = policy === undefined || state.slm.stopped || hasRunFor(policy.lastDueMs, dueMs, nowMs);
    if (isOver) return { state, result: { begun: false } };
  }
  if (policy === undefined) throw illegalArgument(`no such snapshot lifecycle policy [${id}]`);
  if (policy.runs.size >= RUNS_MAX) {
    const why = `[${RUNS_MAX}] snapshots of it are under way already`;
    throw new QuarryError(
      'es_rejected_execution_exception',
      `cannot execute snapshot lifecycle policy [${id}]: ${why}`,
    );
  }
  const run: SlmRun = { startedAtMs: nowMs, repository: policy.policy.repository, nodeId, ephemeralId };
  const runs = new Map([...policy.runs, [snapshotName, run]]);
  const next = { ...policy, runs, ...(dueMs === undefined ? {} : { lastDueMs: dueMs }) };
  return { state: withPolicy(state, id, next, environment), result: { begun: true } };
}

export interface SlmRunStartedInput {
  readonly id: string;
  readonly snapshotName: string;
  readonly uuid: string;
}

/** The snapshot itself has begun. */
export function slmRunStarted(
  state: ClusterState,
  { id, snapshotName, uuid }: SlmRunStartedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const policy = state.slmPolicies.get(id);
  const run = policy?.runs.get(snapshotName);
  if (policy === undefined || run === undefined) return { state, result: null };
  const runs = new Map([...policy.runs, [snapshotName, { ...run, uuid }]]);
  return { state: withPolicy(state, id, { ...policy, runs }, environment), result: null };
}

export interface EndSlmRunInput {
  readonly id: string;
  readonly snapshotName: string;
  /** An error as JSON; absent: it succeeded. */
  readonly details?: string;
}

/** Nothing changes when it is known already, as after a change of master. */
export function endSlmRun(
  state: ClusterState,
  { id, snapshotName, details }: EndSlmRunInput,
  environment: ChangeEnvironment,
): Change<{ readonly noted: boolean }> {
  const policy = state.slmPolicies.get(id);
  const run = policy?.runs.get(snapshotName);
  if (policy === undefined || run === undefined) return { state, result: { noted: false } };
  const runs = new Map([...policy.runs].filter(([name]) => name !== snapshotName));
  const times = { startedAtMs: run.startedAtMs, endedAtMs: environment.nowMs };
  const invocation: SlmInvocation = { snapshotName, ...times, ...(details === undefined ? {} : { details }) };
  const { stats, invocationsSinceLastSuccess: since } = policy;
  const outcome =
    details === undefined
      ? { lastSuccess: invocation, invocationsSinceLastSuccess: 0, stats: { ...stats, taken: stats.taken + 1 } }
      : {
          lastFailure: invocation,
          invocationsSinceLastSuccess: since + 1,
          stats: { ...stats, failed: stats.failed + 1 },
        };
  return { state: withPolicy(state, id, { ...policy, runs, ...outcome }, environment), result: { noted: true } };
}

export type RequestSlmRetentionInput = null;

/** Also where the schedules are stopped. */
export function requestSlmRetention(
  state: ClusterState,
  _input: RequestSlmRetentionInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (state.slm.retentionWanted) return { state, result: null };
  const slm = { ...state.slm, retentionWanted: true };
  return { state: nextState(state, { slm }, environment), result: null };
}

export interface BeginSlmRetentionInput {
  /** The time of the schedule; absent where somebody asked for it. */
  readonly dueMs?: number;
}

export function beginSlmRetention(
  state: ClusterState,
  { dueMs }: BeginSlmRetentionInput,
  environment: ChangeEnvironment,
): Change<{ readonly begun: boolean }> {
  const { slm } = state;
  const isDue = dueMs !== undefined && !slm.stopped && !hasRunFor(slm.retentionDueMs, dueMs, environment.nowMs);
  if (!isDue && !slm.retentionWanted) return { state, result: { begun: false } };
  const noted = dueMs === undefined ? {} : { retentionDueMs: dueMs };
  const next = { ...slm, ...noted, retentionWanted: false, retentionRuns: slm.retentionRuns + 1 };
  return { state: nextState(state, { slm: next }, environment), result: { begun: true } };
}

export interface EndSlmRetentionInput {
  /** Some repository could not be read. */
  readonly failed: boolean;
  /** The time that it may take was over before all was deleted. */
  readonly timedOut: boolean;
  readonly deletionMs: number;
  readonly policies: readonly {
    readonly id: string;
    readonly deleted: number;
    readonly deletionFailures: number;
  }[];
}

export function endSlmRetention(
  state: ClusterState,
  { failed, timedOut, deletionMs, policies }: EndSlmRetentionInput,
  environment: ChangeEnvironment,
): Change<null> {
  const { slm } = state;
  const counted = policies.flatMap(({ id, deleted, deletionFailures }): [string, SlmPolicy][] => {
    const policy = state.slmPolicies.get(id);
    if (policy === undefined || deleted + deletionFailures === 0) return [];
    return [[id, { ...policy, stats: added(policy.stats, deleted, deletionFailures) }]];
  });
  const next = {
    ...slm,
    retentionFailed: slm.retentionFailed + Number(failed),
    retentionTimedOut: slm.retentionTimedOut + Number(timedOut),
    retentionDeletionMs: slm.retentionDeletionMs + deletionMs,
  };
  const slmPolicies = withEntries(state.slmPolicies, counted);
  return { state: nextState(state, { slm: next, slmPolicies }, environment), result: null };
}

function added(stats: SlmPolicyStats, deleted: number, deletionFailures: number): SlmPolicyStats {
  return {
    ...stats,
    deleted: stats.deleted + deleted,
    deletionFailures: stats.deletionFailures + deletionFailures,
  };
}

function withPolicy(state: ClusterState, id: string, policy: SlmPolicy, environment: ChangeEnvironment): ClusterState {
  return nextState(state, { slmPolicies: withEntries(state.slmPolicies, [[id, policy]]) }, environment);
}
