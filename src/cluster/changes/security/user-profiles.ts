/** Profiles of users are made and kept up when these log in to programs; their data changes, and they are taken out of use. */
import { QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import { withEntries } from '../../../base/shared-map.js';
import { checkRoom } from '../../security/check-room.js';
import { USER_PROFILES_MAX } from '../../security/limits.js';
import type { UserProfile } from '../../security/security-state.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface ActivateProfileInput {
  readonly uid: string;
  readonly user: UserProfile['user'];
}

/** A profile that was taken out of use is in use again. */
export function activateProfile(
  state: ClusterState,
  { uid, user }: ActivateProfileInput,
  environment: ChangeEnvironment,
): Change<null> {
  const before = state.userProfiles.get(uid);
  const { labels = {}, data = {} } = before ?? {};
  const record = { user, enabled: true, synchronizedAtMs: environment.nowMs, labels, data, version: next(before) };
  return put(state, uid, record, environment);
}

export interface UpdateProfileInput {
  readonly uid: string;
  /** Merged into what is there. */
  readonly labels?: JsonObject;
  readonly data?: JsonObject;
  readonly enabled?: boolean;
  /** Refused where the profile is of another version by now. */
  readonly ifVersion?: number;
}

export function updateProfile(
  state: ClusterState,
  { uid, labels, data, enabled, ifVersion }: UpdateProfileInput,
  environment: ChangeEnvironment,
): Change<null> {
  const before = state.userProfiles.get(uid);
  if (before === undefined) throw new QuarryError('resource_not_found_exception', `profile [${uid}] does not exist`);
  if (ifVersion !== undefined && ifVersion !== before.version) {
    throw new QuarryError(
      'version_conflict_engine_exception',
      `[profile_${uid}]: version conflict, required seqNo [${ifVersion}], but the profile has [${before.version}]`,
    );
  }
  const record = {
    ...before,
    labels: merged(before.labels, labels ?? {}),
    data: merged(before.data, data ?? {}),
    enabled: enabled ?? before.enabled,
    version: next(before),
  };
  return put(state, uid, record, environment);
}

function put(state: ClusterState, uid: string, record: UserProfile, environment: ChangeEnvironment): Change<null> {
  checkRoom(state.userProfiles, new Map([[uid, record]]), 'user profiles', USER_PROFILES_MAX);
  const userProfiles = withEntries(state.userProfiles, [[uid, record]]);
  return { state: nextState(state, { userProfiles }, environment), result: null };
}

function next(before: UserProfile | undefined): number {
  return before === undefined ? 0 : before.version + 1;
}

/** Objects are merged member by member, all else is replaced. */
function merged(before: JsonObject, change: JsonObject): JsonObject {
  const result = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(change)) {
    const old = result.get(name);
    result.set(name, isJsonObject(old) && isJsonObject(value) ? merged(old, value) : value);
  }
  return Object.fromEntries(result);
}
