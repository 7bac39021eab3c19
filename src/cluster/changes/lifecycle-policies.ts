/** Lifecycle policies come, change and go, and indices go through them. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { mountRepositories } from '../lifecycle/mount-rules.js';
import { parsePhases } from '../lifecycle/policy.js';
import { policyOf } from '../lifecycle/progress.js';
import type { ClusterState, IndexId, IndexMetadata, LifecycleProgress } from '../state.js';
import { nextState, withIndices, type Change, type ChangeEnvironment } from './change.js';
import { findIndex } from './find-index.js';

export interface PutLifecyclePolicyInput {
  readonly name: string;
  readonly policy: JsonObject;
}

export function putLifecyclePolicy(
  state: ClusterState,
  { name, policy }: PutLifecyclePolicyInput,
  environment: ChangeEnvironment,
): Change<null> {
  const absent = mountRepositories(parsePhases(policy)).find((repository) => !state.repositories.has(repository));
  if (absent !== undefined) {
    throw illegalArgument(
      `policy [${name}] references repository [${absent}] that does not exist: it must be registered first`,
    );
  }
  const before = state.lifecyclePolicies.get(name);
  if (before !== undefined && JSON.stringify(before.policy) === JSON.stringify(policy)) return { state, result: null };
  const kept = { version: (before?.version ?? 0) + 1, modifiedAtMs: environment.nowMs, policy };
  const lifecyclePolicies = new Map([...state.lifecyclePolicies, [name, kept]]);
  return { state: nextState(state, { lifecyclePolicies }, environment), result: null };
}

export interface DeleteLifecyclePolicyInput {
  readonly name: string;
}

export function deleteLifecyclePolicy(
  state: ClusterState,
  { name }: DeleteLifecyclePolicyInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (!state.lifecyclePolicies.has(name)) throw policyNotFound(name);
  const users = [...state.indices.values()].filter((index) => policyOf(index) === name);
  if (users.length > 0) {
    const names = users.map((index) => index.name).join(', ');
    throw illegalArgument(`Cannot delete policy [${name}]. It is in use by one or more indices: [${names}]`);
  }
  const lifecyclePolicies = new Map([...state.lifecyclePolicies].filter(([each]) => each !== name));
  return { state: nextState(state, { lifecyclePolicies }, environment), result: null };
}

export function policyNotFound(name: string): QuarryError {
  return new QuarryError('resource_not_found_exception', `Lifecycle policy not found: ${name}`);
}

export interface SetLifecycleModeInput {
  readonly running: boolean;
}

export function setLifecycleMode(
  state: ClusterState,
  { running }: SetLifecycleModeInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (state.lifecyclesStopped === !running) return { state, result: null };
  return { state: nextState(state, { lifecyclesStopped: !running }, environment), result: null };
}

export interface LifecycleStepInput {
  readonly index: IndexId;
  readonly change:
    | { readonly kind: 'enter'; readonly from: string | undefined; readonly phase: string }
    | { readonly kind: 'done'; readonly phase: string; readonly action: string }
    | { readonly kind: 'failed'; readonly phase: string; readonly action: string; readonly reason: string }
    | { readonly kind: 'retry' }
    | { readonly kind: 'forget' }
    | { readonly kind: 'move'; readonly from: string; readonly phase: string; readonly action: string | undefined };
}

export function lifecycleStep(
  state: ClusterState,
  { index: id, change }: LifecycleStepInput,
  environment: ChangeEnvironment,
): Change<null> {
  const index = findIndex(state, id);
  if (saysNothingNew(index, change)) return { state, result: null };
  const after = withProgress(state, index, change, environment.nowMs);
  return { state: nextState(state, { indices: withIndices(state, [after]) }, environment), result: null };
}

/** What is known, or no more so: after a change of master two rounds may be under way, and a user may move the index while a step takes its time. */
function saysNothingNew({ lifecycle }: IndexMetadata, change: LifecycleStepInput['change']): boolean {
  if (change.kind === 'enter') return lifecycle?.phase !== change.from;
  if (change.kind !== 'done' && change.kind !== 'failed') return false;
  if (lifecycle?.phase !== change.phase || lifecycle.done.includes(change.action)) return true;
  const { action, reason } = lifecycle.failure ?? {};
  return change.kind === 'failed' && action === change.action && reason === change.reason;
}

function withProgress(
  state: ClusterState,
  index: IndexMetadata,
  change: LifecycleStepInput['change'],
  nowMs: number,
): IndexMetadata {
  const { lifecycle, ...rest } = index;
  const version = index.version + 1;
  const keep = (progress: LifecycleProgress): IndexMetadata => ({ ...rest, version, lifecycle: progress });
  if (change.kind === 'enter') return keep({ phase: change.phase, enteredAtMs: nowMs, done: [] });
  if (change.kind === 'forget') {
    const settings = new Map([...index.settings].filter(([key]) => !key.startsWith('index.lifecycle.')));
    return { ...rest, version, settings, settingsVersion: index.settingsVersion + 1 };
  }
  if (change.kind === 'move') return keep(moved(state, index, change, nowMs));
  if (lifecycle === undefined) throw illegalArgument(`index [${index.name}] is not managed by a lifecycle policy yet`);
  const { failure, ...progress } = lifecycle;
  if (change.kind === 'done') return keep({ ...progress, done: [...progress.done, change.action] });
  if (change.kind === 'failed') return keep({ ...progress, failure: { action: change.action, reason: change.reason } });
  if (failure === undefined) {
    throw illegalArgument(
      `cannot retry an action for an index [${index.name}] that has not encountered an error when running a Lifecycle Policy`,
    );
  }
  return keep(progress);
}

/** The actions before the one that it is moved to count as done. */
function moved(
  state: ClusterState,
  index: IndexMetadata,
  change: Extract<LifecycleStepInput['change'], { kind: 'move' }>,
  nowMs: number,
): LifecycleProgress {
  const name = policyOf(index);
  const policy = name === undefined ? undefined : state.lifecyclePolicies.get(name);
  if (name === undefined || policy === undefined) {
    throw illegalArgument(`index [${index.name}] is not associated with an Index Lifecycle Policy`);
  }
  const current = index.lifecycle?.phase ?? 'new';
  if (current !== change.from) {
    throw illegalArgument(`index [${index.name}] is in phase [${current}], not in [${change.from}]`);
  }
  const phase = parsePhases(policy.policy).find((each) => each.name === change.phase);
  if (phase === undefined) {
    throw illegalArgument(`policy [${name}] has no phase [${change.phase}] that index [${index.name}] could move to`);
  }
  const actions = phase.actions.map((each) => each.name);
  const at = change.action === undefined ? 0 : actions.findIndex((each) => each === change.action);
  if (at === -1)
    throw illegalArgument(`phase [${change.phase}] of policy [${name}] has no action [${change.action ?? ''}]`);
  return { phase: phase.name, enteredAtMs: nowMs, done: actions.slice(0, at) };
}
