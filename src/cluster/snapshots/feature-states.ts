/** What features keep of their own, as a snapshot has it. */
import { isAnyMap } from '../../base/shared-map.js';
import { INITIAL_SECURITY, type SecurityState } from '../security/security-state.js';
import { SECURITY } from './features.js';

export interface FeatureStates {
  readonly security?: SecurityState;
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
