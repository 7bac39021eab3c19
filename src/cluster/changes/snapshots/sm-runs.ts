/** Runs of policies of snapshot management begin and end. Each is noted before and after it is carried out. */
import { withEntries } from '../../../base/shared-map.js';
import { dueMs, nextDueMs } from '../../sm/due.js';
import type { SmExecution, SmPolicy, SmRun, SmStatus, SmWorkflow, SmWorkflowName } from '../../sm/types.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

/** How often a run that fails is tried again, and how long after the failure, as in the reference. */
const RETRIES = 3;
const RETRY_MS = 60_000;

export interface BeginSmRunInput {
  readonly name: string;
  readonly workflow: SmWorkflowName;
  /** None: there is nothing to do at this time. */
  readonly snapshots: SmRun['snapshots'];
  /** Why nobody could tell what is to be done. */
  readonly failure?: { readonly message: string; readonly cause: string };
}

/** Gives the run; undefined: it is not due, or the policy is gone, disabled, or at it. At most one begins for one time. */
export function beginSmRun(
  state: ClusterState,
  { name, workflow, snapshots, failure }: BeginSmRunInput,
  environment: ChangeEnvironment,
): Change<{ readonly run?: SmRun }> {
  const { nowMs } = environment;
  const policy = state.smPolicies.get(name);
  const times = policy?.definition[workflow];
  const former = policy?.workflows[workflow];
  const isIdle = policy?.enabledAtMs !== undefined && former?.run === undefined;
  if (!isIdle || times === undefined || former === undefined) return { state, result: {} };
  const due = dueMs(times, former, nowMs);
  if (due > nowMs) return { state, result: {} };
  const next: SmWorkflow = { ...former, dueMs: nextDueMs(times, nowMs), lastDueMs: due };
  const withNext = (parts: Partial<SmWorkflow>): ClusterState =>
    withWorkflow(state, name, policy, workflow, { ...next, ...parts }, environment);
  if (failure !== undefined) return { state: withNext({ latest: failed(failure, nowMs) }), result: {} };
  if (snapshots.length === 0) return { state: withNext({}), result: {} };
  const { repository } = policy.definition.snapshotConfig;
  const run = { id: environment.newUuid(), startedAtMs: nowMs, repository, snapshots, isBegun: false };
  return { state: withNext({ run, latest: { status: 'IN_PROGRESS', startedAtMs: nowMs } }), result: { run } };
}

function failed({ message, cause }: NonNullable<BeginSmRunInput['failure']>, nowMs: number): SmExecution {
  const times = { startedAtMs: nowMs, endedAtMs: nowMs };
  return { status: 'FAILED', ...times, message: stamped(message, nowMs), cause: stamped(cause, nowMs) };
}

export interface NoteSmRunInput {
  readonly name: string;
  readonly workflow: SmWorkflowName;
  /** Of the run: what is noted of another one changes nothing. */
  readonly runId: string;
  /** `IN_PROGRESS`: it was begun. `RETRYING`: it failed, and is tried again unless it has failed too often. */
  readonly status: SmStatus;
  readonly message?: string;
  readonly cause?: string;
}

export function noteSmRun(
  state: ClusterState,
  { name, workflow, runId, status, message, cause }: NoteSmRunInput,
  environment: ChangeEnvironment,
): Change<null> {
  const policy = state.smPolicies.get(name);
  const former = policy?.workflows[workflow];
  if (policy === undefined || former?.run?.id !== runId) return { state, result: null };
  const { run, ...rest } = former;
  const { nowMs } = environment;
  const next = runAfter(run, status, nowMs);
  const latest: SmExecution = {
    status: status === 'RETRYING' && next === undefined ? 'FAILED' : status,
    startedAtMs: run.startedAtMs,
    ...(next === undefined ? { endedAtMs: nowMs } : {}),
    ...(message === undefined ? {} : { message: stamped(message, nowMs) }),
    ...(cause === undefined ? {} : { cause: stamped(cause, nowMs) }),
  };
  const changed: SmWorkflow = { ...rest, latest, ...(next === undefined ? {} : { run: next }) };
  return { state: withWorkflow(state, name, policy, workflow, changed, environment), result: null };
}

function runAfter(run: SmRun, status: SmStatus, nowMs: number): SmRun | undefined {
  const { retry, ...rest } = run;
  if (status === 'IN_PROGRESS') return { ...rest, isBegun: true };
  if (status !== 'RETRYING') return undefined;
  const left = retry === undefined ? RETRIES : retry.left - 1;
  return left === 0 ? undefined : { ...run, retry: { atMs: nowMs + RETRY_MS, left } };
}

/** As the reference writes what people read. */
function stamped(text: string, nowMs: number): string {
  return `[${new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z')}]: ${text}`;
}

function withWorkflow(
  state: ClusterState,
  name: string,
  policy: SmPolicy,
  workflow: SmWorkflowName,
  next: SmWorkflow,
  environment: ChangeEnvironment,
): ClusterState {
  const changed: SmPolicy = { ...policy, workflows: { ...policy.workflows, [workflow]: next } };
  return nextState(state, { smPolicies: withEntries(state.smPolicies, [[name, changed]]) }, environment);
}
