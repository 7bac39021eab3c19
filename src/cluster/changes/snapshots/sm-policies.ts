/** Policies of snapshot management come, change and go, are enabled and disabled. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import { nextDueMs } from '../../sm/due.js';
import { SM_WORKFLOWS, type SmDefinition, type SmPolicy } from '../../sm/types.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

/** Each is kept by every thread of every node, and looked at whenever one changes. */
const POLICIES_MAX = 1_000;
/** Policies are of the cluster state, which has no primaries; clients send it back. */
export const SM_PRIMARY_TERM = 1;

export interface PutSmPolicyInput {
  readonly name: string;
  /** Checked by `checkSmPolicy`. */
  readonly definition: SmDefinition;
  readonly enabled: boolean;
  /** What the change is of; absent: the policy is new. */
  readonly expected?: { readonly seqNo: number; readonly primaryTerm: number };
}

/** Gives the policy as it is from now on. */
export function putSmPolicy(
  state: ClusterState,
  { name, definition, enabled, expected }: PutSmPolicyInput,
  environment: ChangeEnvironment,
): Change<SmPolicy> {
  const before = state.smPolicies.get(name);
  checkExpected(name, before, expected);
  if (before === undefined && state.smPolicies.size >= POLICIES_MAX) {
    throw illegalArgument(`there are [${POLICIES_MAX}] snapshot management policies already, which is the limit`);
  }
  const enabledAtMs = enabled ? (before?.enabledAtMs ?? environment.nowMs) : undefined;
  return withChanged(state, name, before, definition, enabledAtMs, environment);
}

/** The id under which the reference keeps a policy. */
export function smDocumentId(name: string): string {
  return `${name}-sm-policy`;
}

function checkExpected(name: string, before: SmPolicy | undefined, expected: PutSmPolicyInput['expected']): void {
  const conflict = (what: string): QuarryError =>
    new QuarryError('version_conflict_engine_exception', `[${smDocumentId(name)}]: version conflict, ${what}`);
  if (expected === undefined) {
    if (before === undefined) return;
    throw conflict(`document already exists (current version [${before.version}])`);
  }
  const required = `required seqNo [${expected.seqNo}], primary term [${expected.primaryTerm}]`;
  if (before === undefined) throw conflict(`${required}. but no document was found`);
  if (before.seqNo === expected.seqNo && expected.primaryTerm === SM_PRIMARY_TERM) return;
  const current = `current document has seqNo [${before.seqNo}] and primary term [${SM_PRIMARY_TERM}]`;
  throw conflict(`${required}. ${current}`);
}

export interface NamedSmPolicy {
  readonly name: string;
}

/** Gives what a deleted document of the reference shows of itself. What is under way goes on. */
export function deleteSmPolicy(
  state: ClusterState,
  { name }: NamedSmPolicy,
  environment: ChangeEnvironment,
): Change<{ readonly version: number; readonly seqNo: number }> {
  const { version } = find(state, name);
  const smPolicies = withEntries(state.smPolicies, [], [name]);
  const next = nextState(state, { smPolicies }, environment);
  return { state: next, result: { version: version + 1, seqNo: next.version } };
}

export interface SetSmEnabledInput extends NamedSmPolicy {
  readonly enabled: boolean;
}

export function setSmEnabled(
  state: ClusterState,
  { name, enabled }: SetSmEnabledInput,
  environment: ChangeEnvironment,
): Change<null> {
  const before = find(state, name);
  if ((before.enabledAtMs !== undefined) === enabled) return { state, result: null };
  const enabledAtMs = enabled ? environment.nowMs : undefined;
  const changed = withChanged(state, name, before, before.definition, enabledAtMs, environment);
  return { state: changed.state, result: null };
}

/** Each workflow waits for the next time of its schedule then; one that is under way goes on. */
function withChanged(
  state: ClusterState,
  name: string,
  before: SmPolicy | undefined,
  definition: SmDefinition,
  enabledAtMs: number | undefined,
  environment: ChangeEnvironment,
): Change<SmPolicy> {
  const { nowMs } = environment;
  const workflows = SM_WORKFLOWS.flatMap((workflow) => {
    const times = definition[workflow];
    if (times === undefined) return [];
    return [[workflow, { ...before?.workflows[workflow], dueMs: nextDueMs(times, nowMs) }] as const];
  });
  const policy: SmPolicy = {
    version: (before?.version ?? 0) + 1,
    seqNo: state.version + 1,
    changedAtMs: nowMs,
    ...(enabledAtMs === undefined ? {} : { enabledAtMs }),
    definition,
    workflows: Object.fromEntries(workflows),
  };
  const smPolicies = withEntries(state.smPolicies, [[name, policy]]);
  return { state: nextState(state, { smPolicies }, environment), result: policy };
}

function find(state: ClusterState, name: string): SmPolicy {
  const policy = state.smPolicies.get(name);
  if (policy !== undefined) return policy;
  throw new QuarryError('status_exception', 'Snapshot management policy not found', { status: 404 });
}
