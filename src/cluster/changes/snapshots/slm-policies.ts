/** Snapshot lifecycle policies come, change and go, and are stopped and started as a whole. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import { effectiveClusterSettings } from '../../settings/effective-cluster-settings.js';
import { formatTime } from '../../../base/units.js';
import { ClusterSettingDefinitions } from '../../settings/cluster-settings.js';
import { valueOf } from '../../settings/registry.js';
import { readSlmPolicy } from '../../slm/policy.js';
import { intervalOf } from '../../slm/schedule.js';
import type { SlmPolicy, SlmPolicyBody } from '../../slm/types.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

/** Each is kept by every thread of every node, and looked at whenever one changes. */
const POLICIES_MAX = 1_000;
const NO_STATS = { taken: 0, failed: 0, deleted: 0, deletionFailures: 0 };

export interface PutSlmPolicyInput {
  readonly id: string;
  /** Checked by `checkSlmPolicy`. */
  readonly policy: SlmPolicyBody;
}

export function putSlmPolicy(
  state: ClusterState,
  { id, policy }: PutSlmPolicyInput,
  environment: ChangeEnvironment,
): Change<null> {
  const { repository, schedule, unhealthyAfterMs } = readSlmPolicy(policy);
  if (!state.repositories.has(repository)) throw illegalArgument(`no such repository [${repository}]`);
  const minimumMs = valueOf(ClusterSettingDefinitions.slmMinimumInterval, effectiveClusterSettings(state)) ?? 0;
  const interval = intervalOf(schedule, environment.nowMs);
  if (interval !== undefined && interval < minimumMs) {
    const what = `schedule would be too frequent, executing more than every [${formatTime(minimumMs)}]`;
    throw illegalArgument(`invalid schedule [${policy.schedule}]: ${what}`);
  }
  if (interval !== undefined && unhealthyAfterMs !== undefined && unhealthyAfterMs <= interval) {
    const least = `expecting at least more than the interval between snapshots [${formatTime(interval)}]`;
    throw illegalArgument(
      `invalid unhealthy_if_no_snapshot_within [${formatTime(unhealthyAfterMs)}]: time is too short, ${least}`,
    );
  }
  const before = state.slmPolicies.get(id);
  if (before !== undefined && JSON.stringify(before.policy) === JSON.stringify(policy)) return { state, result: null };
  if (before === undefined && state.slmPolicies.size >= POLICIES_MAX) {
    throw illegalArgument(`there are [${POLICIES_MAX}] snapshot lifecycle policies already, which is the limit`);
  }
  const kept: SlmPolicy = {
    ...(before ?? { invocationsSinceLastSuccess: 0, stats: NO_STATS, runs: new Map() }),
    version: (before?.version ?? 0) + 1,
    modifiedAtMs: environment.nowMs,
    policy,
  };
  const slmPolicies = withEntries(state.slmPolicies, [[id, kept]]);
  return { state: nextState(state, { slmPolicies }, environment), result: null };
}

export interface DeleteSlmPolicyInput {
  readonly id: string;
}

export function deleteSlmPolicy(
  state: ClusterState,
  { id }: DeleteSlmPolicyInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (!state.slmPolicies.has(id)) {
    throw new QuarryError('resource_not_found_exception', `snapshot lifecycle policy not found: ${id}`);
  }
  const slmPolicies = withEntries(state.slmPolicies, [], [id]);
  return { state: nextState(state, { slmPolicies }, environment), result: null };
}

export interface SetSlmModeInput {
  readonly running: boolean;
}

export function setSlmMode(
  state: ClusterState,
  { running }: SetSlmModeInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (state.slm.stopped === !running) return { state, result: null };
  const slm = { ...state.slm, stopped: !running };
  return { state: nextState(state, { slm }, environment), result: null };
}
