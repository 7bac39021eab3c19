/** `_security/role`: what roles grant. Built-in ones are shown and cannot be changed. */
import { checkRoleName, parseRoleDescriptor } from '../../cluster/security/parse-role-descriptor.js';
import { builtInRoles } from '../../cluster/security/privileges/built-in-roles.js';
import { roleNamed } from '../../cluster/security/subject-permissions.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { refreshParameters, refuseInvalid, SECURITY_ENDPOINT } from './common.js';

export const putRoleEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.put_role',
  action: 'cluster:admin/xpack/security/role/put',
  methods: ['PUT', 'POST'],
  paths: ['/_security/role/{name}'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ parts: { name }, body }, context) {
    checkRoleName(name);
    refuseReserved(name);
    const descriptor = parseRoleDescriptor(name, body.requireObject());
    return answerValue({ role: await context.coordinator.submit('put-role', { name, descriptor }) });
  },
});

export const getRoleEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_role',
  action: 'cluster:admin/xpack/security/role/get',
  methods: ['GET'],
  paths: ['/_security/role', '/_security/role/{name}'],
  parameters: {},
  body: 'none',
  handle({ parts }, context) {
    const { roles } = context.clusterState();
    const names = parts.name === undefined ? undefined : splitList(parts.name);
    const found = (names ?? [...builtInRoles().keys(), ...roles.keys()]).flatMap((name) => {
      const role = roleNamed(roles, name);
      return role === undefined ? [] : [[name, role] as const];
    });
    return answerValue(Object.fromEntries(found), names !== undefined && found.length === 0 ? 404 : 200);
  },
});

export const deleteRoleEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.delete_role',
  action: 'cluster:admin/xpack/security/role/delete',
  methods: ['DELETE'],
  paths: ['/_security/role/{name}'],
  parameters: refreshParameters,
  body: 'none',
  async handle({ parts: { name } }, context) {
    checkRoleName(name);
    refuseReserved(name);
    const result = await context.coordinator.submit('delete-role', { name });
    return answerValue(result, result.found ? 200 : 404);
  },
});

function refuseReserved(name: string): void {
  if (!builtInRoles().has(name)) return;
  refuseInvalid([`Role [${name}] is reserved and may not be used.`], 'action_request_validation_exception');
}
