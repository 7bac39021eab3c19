/** What features keep of their own: a snapshot has it where it is asked for, or where it has the global state and nothing is said. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isAnyMap } from '../../base/shared-map.js';
import { INITIAL_SECURITY, type SecurityState } from '../security/security-state.js';

const SECURITY = 'security';

/** By name, what the API tells of them. */
export const FEATURES: Readonly<Record<string, string>> = {
  [SECURITY]: 'Users, roles, role mappings, application privileges, API keys, tokens and user profiles of the cluster',
};

/** In the place of a list: of no feature. */
const NONE = 'none';

export interface FeatureStates {
  readonly security?: SecurityState;
}

/** Throws `illegal_argument_exception` for a name that no feature has. `asked`: nothing stands for what goes with the global state. */
export function featuresToSnapshot(asked: readonly string[], includesGlobal: boolean): readonly string[] {
  const names = named(asked, 'snapshotted');
  if (names === undefined) return includesGlobal ? Object.keys(FEATURES) : [];
  const unknown = names.find((name) => !Object.hasOwn(FEATURES, name));
  if (unknown === undefined) return [...new Set(names)];
  throw illegalArgument(`feature state [${unknown}] does not exist, there is [${Object.keys(FEATURES).join(', ')}]`);
}

/** Throws `snapshot_restore_exception` for a name that is not in the snapshot, which `has` these. `what` names the snapshot. */
export function featuresToRestore(
  asked: readonly string[],
  includesGlobal: boolean,
  has: readonly string[],
  what: string,
): readonly string[] {
  const names = named(asked, 'restored');
  if (names === undefined) return includesGlobal ? has.filter((name) => Object.hasOwn(FEATURES, name)) : [];
  const missing = names.filter((name) => !has.includes(name) || !Object.hasOwn(FEATURES, name));
  if (missing.length === 0) return names;
  const why = `requested feature states [[${missing.join(', ')}]] are not present in snapshot`;
  throw new QuarryError('snapshot_restore_exception', `[${what}] ${why}`);
}

/** Undefined where none is named, and it is not said that none is meant. */
function named(asked: readonly string[], done: string): readonly string[] | undefined {
  if (asked.length === 0) return undefined;
  const others = asked.filter((name) => name.toLowerCase() !== NONE);
  if (others.length === asked.length) return others;
  if (others.length === 0) return [];
  throw illegalArgument(
    `the feature_states value [${NONE}] indicates that no feature states should be ${done}, but other feature states ` +
      `were requested: [${asked.join(', ')}]`,
  );
}

/** Of these names those of features that keep anything. */
export function featuresInUse(state: SecurityState, names: readonly string[]): readonly string[] {
  const isUsed = Object.values(securityOf(state)).some((entries: ReadonlyMap<string, unknown>) => entries.size > 0);
  return names.filter((name) => name === SECURITY && isUsed);
}

export function featureStatesOf(state: SecurityState, names: readonly string[]): FeatureStates {
  return names.includes(SECURITY) ? { security: securityOf(state) } : {};
}

/** These parts alone: whatever else comes with them has no way into a snapshot, nor out of it. */
export function securityOf(state: SecurityState): SecurityState {
  return {
    reservedUsers: state.reservedUsers,
    users: state.users,
    roles: state.roles,
    roleMappings: state.roleMappings,
    apiKeys: state.apiKeys,
    serviceTokens: state.serviceTokens,
    bearerTokens: state.bearerTokens,
    applicationPrivileges: state.applicationPrivileges,
    userProfiles: state.userProfiles,
  };
}

export function areFeatureStates(value: unknown): value is FeatureStates {
  if (typeof value !== 'object' || value === null) return false;
  const { security } = value as Record<string, unknown>;
  if (security === undefined) return true;
  if (typeof security !== 'object' || security === null) return false;
  const members = security as Record<string, unknown>;
  return Object.keys(INITIAL_SECURITY).every((name) => isAnyMap(members[name]));
}
