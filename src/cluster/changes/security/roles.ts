/** Roles and role mappings come, change and go. What they say is checked before. */
import { withEntries } from '../../../base/shared-map.js';
import { checkRoom } from '../../security/check-room.js';
import { ROLE_MAPPINGS_MAX, ROLES_MAX } from '../../security/limits.js';
import type { RoleDescriptor } from '../../security/role-descriptor.js';
import type { RoleMapping } from '../../security/security-state.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface PutRoleInput {
  readonly name: string;
  /** Of `parseRoleDescriptor`. */
  readonly descriptor: RoleDescriptor;
}

export function putRole(
  state: ClusterState,
  { name, descriptor }: PutRoleInput,
  environment: ChangeEnvironment,
): Change<{ readonly created: boolean }> {
  checkRoom(state.roles, new Map([[name, descriptor]]), 'roles', ROLES_MAX);
  const created = !state.roles.has(name);
  const roles = withEntries(state.roles, [[name, descriptor]]);
  return { state: nextState(state, { roles }, environment), result: { created } };
}

export function deleteRole(
  state: ClusterState,
  { name }: { readonly name: string },
  environment: ChangeEnvironment,
): Change<{ readonly found: boolean }> {
  if (!state.roles.has(name)) return { state, result: { found: false } };
  const roles = withEntries(state.roles, [], [name]);
  return { state: nextState(state, { roles }, environment), result: { found: true } };
}

export interface PutRoleMappingInput {
  readonly name: string;
  /** Its rules are of `parseMappingRule`. */
  readonly mapping: RoleMapping;
}

export function putRoleMapping(
  state: ClusterState,
  { name, mapping }: PutRoleMappingInput,
  environment: ChangeEnvironment,
): Change<{ readonly created: boolean }> {
  checkRoom(state.roleMappings, new Map([[name, mapping]]), 'role mappings', ROLE_MAPPINGS_MAX);
  const created = !state.roleMappings.has(name);
  const roleMappings = withEntries(state.roleMappings, [[name, mapping]]);
  return { state: nextState(state, { roleMappings }, environment), result: { created } };
}

export function deleteRoleMapping(
  state: ClusterState,
  { name }: { readonly name: string },
  environment: ChangeEnvironment,
): Change<{ readonly found: boolean }> {
  if (!state.roleMappings.has(name)) return { state, result: { found: false } };
  const roleMappings = withEntries(state.roleMappings, [], [name]);
  return { state: nextState(state, { roleMappings }, environment), result: { found: true } };
}
