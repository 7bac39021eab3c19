/** Privileges of applications come, change and go. What they say is checked before. */
import { withEntries } from '../../../base/shared-map.js';
import { checkRoom } from '../../security/check-room.js';
import { APPLICATION_PRIVILEGES_MAX } from '../../security/limits.js';
import type { ApplicationPrivilege } from '../../security/security-state.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

/** What the state keeps a privilege by. */
export function privilegeKey(application: string, name: string): string {
  return `${application}:${name}`;
}

/** For each privilege whether it is new, in the order of the input. */
export function putApplicationPrivileges(
  state: ClusterState,
  { privileges }: { readonly privileges: readonly ApplicationPrivilege[] },
  environment: ChangeEnvironment,
): Change<{ readonly created: readonly boolean[] }> {
  const before = state.applicationPrivileges;
  const added = new Map<string, ApplicationPrivilege>();
  const created = privileges.map((privilege) => {
    const key = privilegeKey(privilege.application, privilege.name);
    const isNew = !before.has(key) && !added.has(key);
    added.set(key, privilege);
    return isNew;
  });
  checkRoom(before, added, 'privileges of applications', APPLICATION_PRIVILEGES_MAX);
  const applicationPrivileges = withEntries(before, added);
  return { state: nextState(state, { applicationPrivileges }, environment), result: { created } };
}

/** For each name whether it was there. */
export function deleteApplicationPrivileges(
  state: ClusterState,
  { application, names }: { readonly application: string; readonly names: readonly string[] },
  environment: ChangeEnvironment,
): Change<{ readonly found: readonly boolean[] }> {
  const keys = names.map((name) => privilegeKey(application, name));
  const found = keys.map((key) => state.applicationPrivileges.has(key));
  if (!found.includes(true)) return { state, result: { found } };
  const applicationPrivileges = withEntries(
    state.applicationPrivileges,
    [],
    keys.filter((_, at) => found[at] === true),
  );
  return { state: nextState(state, { applicationPrivileges }, environment), result: { found } };
}
