/** What an API key may do at most: what its owner may when the key is made or updated. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { parseRoleDescriptor } from '../../../cluster/security/parse-role-descriptor.js';
import { roleNamed } from '../../../cluster/security/subject-permissions.js';
import type { RoleDescriptors, Subject } from '../../../cluster/security/subject.js';
import type { RoleDescriptor } from '../../../cluster/security/role-descriptor.js';
import type { ClusterState } from '../../../cluster/state.js';

const DESCRIPTORS_MAX = 100;

export function limitedBy({ roles }: ClusterState, subject: Subject): RoleDescriptors {
  const { apiKey, serviceAccount, username } = subject;
  if (serviceAccount !== undefined) return { [username]: serviceAccount.roleDescriptor };
  if (apiKey !== undefined) return apiKey.limitedBy;
  return Object.fromEntries(
    subject.roles.flatMap((name) => {
      const role = roleNamed(roles, name);
      return role === undefined ? [] : [[name, role] as const];
    }),
  );
}

export function readRoleDescriptors(body: JsonObject | undefined): RoleDescriptors | undefined {
  if (body === undefined) return undefined;
  const entries = Object.entries(body);
  if (entries.length > DESCRIPTORS_MAX) {
    throw illegalArgument(`[role_descriptors] has [${entries.length}] members, more than [${DESCRIPTORS_MAX}]`);
  }
  return Object.fromEntries(entries.map(([name, role]) => [name, parseRoleDescriptor(name, role ?? null)]));
}

/** Keys must not beget keys: one that a key makes may do nothing. */
export function checkDerived(subject: Subject, descriptors: RoleDescriptors | undefined): void {
  if (subject.apiKey === undefined) return;
  const given = Object.values(descriptors ?? {});
  if (given.length > 0 && given.every(grantsNothing)) return;
  throw illegalArgument(
    'creating derived api keys requires an explicit role descriptor that is empty (has no privileges)',
  );
}

function grantsNothing({ cluster, indices, applications, run_as }: RoleDescriptor): boolean {
  return cluster.length + indices.length + applications.length + run_as.length === 0;
}
