/** `_security/privilege/_builtin` and `_security/user/_privileges`: which privileges there are, and which the sender has. */
import type { JsonObject } from '../../../base/json-value.js';
import { illegalArgument } from '../../../base/errors.js';
import { clusterPrivilegeNames } from '../../../cluster/security/privileges/cluster-privileges.js';
import { indexPrivilegeNames } from '../../../cluster/security/privileges/index-privileges.js';
import type { IndexPrivileges, RoleDescriptor } from '../../../cluster/security/role-descriptor.js';
import { descriptorSets } from '../../../cluster/security/subject-permissions.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { authorityOfSender } from './sender.js';

export const builtinPrivilegesEndpoint = defineEndpoint({
  name: 'security.get_builtin_privileges',
  action: 'cluster:admin/xpack/security/privilege/builtin/get',
  methods: ['GET'],
  paths: ['/_security/privilege/_builtin'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: () =>
    answerValue({
      cluster: [...clusterPrivilegeNames()].sort(),
      index: [...indexPrivilegeNames()].sort(),
      // Roles do not reach other clusters.
      remote_cluster: [],
    }),
});

export const userPrivilegesEndpoint = defineEndpoint({
  name: 'security.get_user_privileges',
  action: { name: 'cluster:admin/xpack/security/user/list_privileges', isOwn: () => true },
  methods: ['GET'],
  paths: ['/_security/user/_privileges'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(_request, context) {
    const { subject, wholeState } = authorityOfSender(context);
    const [descriptors = [], limit] = descriptorSets(wholeState().roles, subject);
    if (limit !== undefined) {
      throw illegalArgument(
        'Cannot retrieve privileges for API keys with assigned role descriptors. Use the Get API key information API',
      );
    }
    return answerValue(listed(descriptors));
  },
});

/** Restrictions are lists here, as of entries that were put together. */
function shown({ field_security: fields, query, ...entry }: IndexPrivileges): JsonObject {
  return {
    ...entry,
    ...(fields === undefined ? {} : { field_security: [{ ...fields }] }),
    ...(query === undefined ? {} : { query: [query] }),
  };
}

/** Of all roles together; what several grant is listed once. */
function listed(descriptors: readonly RoleDescriptor[]): JsonObject {
  const distinct = <Item>(items: readonly Item[]): readonly Item[] => [
    ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
  ];
  const all = <Item>(members: (descriptor: RoleDescriptor) => readonly Item[]): readonly Item[] =>
    distinct(descriptors.flatMap(members));
  return {
    cluster: [...all(({ cluster }) => cluster)].sort(),
    global: [],
    indices: all(({ indices }) => indices).map(shown),
    applications: all(({ applications }) => applications).map((entry) => ({ ...entry })),
    run_as: [...all(({ run_as }) => run_as)].sort(),
  };
}
