/** From who asks to what he may do, by the roles of the newest cluster state. */
import { CacheCounter } from '../../base/cache-counters.js';
import { Memo } from '../../base/memo.js';
import { PairMemo } from '../../base/pair-memo.js';
import { builtInRoles } from './privileges/built-in-roles.js';
import { commonPermissions, permissionsOf, type Permissions } from './permissions.js';
import type { RoleDescriptor } from './role-descriptor.js';
import type { SecurityState } from './security-state.js';
import type { RoleDescriptors, Subject } from './subject.js';

type Roles = SecurityState['roles'];

/** Roles of this name that exist, built-in ones first. */
export function roleNamed(roles: Roles, name: string): RoleDescriptor | undefined {
  return builtInRoles().get(name) ?? roles.get(name);
}

/** Names of the subject's roles that exist, sorted; and those that do not. */
export function effectiveRoles(
  roles: Roles,
  subject: Subject,
): { found: readonly string[]; missing: readonly string[] } {
  const names = [...new Set(subject.roles)].sort();
  const exists = (name: string): boolean => roleNamed(roles, name) !== undefined;
  return { found: names.filter(exists), missing: names.filter((name) => !exists(name)) };
}

/** What the subject was given, each set a limit to the ones before: all of them must allow. */
export function descriptorSets(roles: Roles, subject: Subject): readonly (readonly RoleDescriptor[])[] {
  const { apiKey, serviceAccount } = subject;
  if (serviceAccount !== undefined) return [[serviceAccount.roleDescriptor]];
  if (apiKey === undefined) return [subject.roles.flatMap((name) => roleNamed(roles, name) ?? [])];
  const own = listOf(apiKey.roleDescriptors);
  const limits = listOf(apiKey.limitedBy);
  return own.length === 0 ? [limits] : [own, limits];
}

function listOf(descriptors: RoleDescriptors): readonly RoleDescriptor[] {
  return Object.values(descriptors);
}

/** Sets of roles whose permissions are kept, of each version of the roles. */
const KEPT_SETS = { counter: new CacheCounter('role_permissions'), valuesMax: 1_024, textMax: Infinity };
const byRoles = new WeakMap<Roles, Memo<Permissions>>();
/** By the roles first: a subject that does not come back would keep former ones. */
const bySubject = new PairMemo<Roles, Subject, Permissions>();

/** Compiled once for each subject, or set of roles, and version of the roles. */
export function permissionsOfSubject(roles: Roles, subject: Subject): Permissions {
  const isUser = subject.apiKey === undefined && subject.serviceAccount === undefined;
  return bySubject.get(roles, subject, () => (isUser ? permissionsOfRoles(roles, subject) : compile(roles, subject)));
}

function permissionsOfRoles(roles: Roles, subject: Subject): Permissions {
  let kept = byRoles.get(roles);
  if (kept === undefined) {
    kept = new Memo(KEPT_SETS);
    byRoles.set(roles, kept);
  }
  const key = JSON.stringify([...new Set(subject.roles)].sort());
  return kept.get(key, () => compile(roles, subject));
}

function compile(roles: Roles, subject: Subject): Permissions {
  return descriptorSets(roles, subject).map(permissionsOf).reduce(commonPermissions);
}
