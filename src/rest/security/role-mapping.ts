/** `_security/role_mapping`: roles by rules about users. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseMappingRule } from '../../cluster/security/role-mapping.js';
import { parseRoleTemplates, renderRoleTemplate } from '../../cluster/security/role-templates.js';
import type { RoleMapping } from '../../cluster/security/security-state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { BodyMembers } from './body-members.js';
import { refreshParameters, refuseInvalid, SECURITY_ENDPOINT } from './common.js';
import { nameFaults } from './names.js';

export const putRoleMappingEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.put_role_mapping',
  action: 'cluster:admin/xpack/security/role_mapping/put',
  methods: ['PUT', 'POST'],
  paths: ['/_security/role_mapping/{name}'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ parts: { name }, body }, context) {
    refuseInvalid(nameFaults('Role mapping', name), 'action_request_validation_exception');
    const mapping = readMapping(body.requireObject());
    return answerValue({ role_mapping: await context.coordinator.submit('put-role-mapping', { name, mapping }) });
  },
});

export const getRoleMappingEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_role_mapping',
  action: 'cluster:admin/xpack/security/role_mapping/get',
  methods: ['GET'],
  paths: ['/_security/role_mapping', '/_security/role_mapping/{name}'],
  parameters: {},
  body: 'none',
  handle({ parts }, context) {
    const { roleMappings } = context.clusterState();
    const names = parts.name === undefined ? undefined : splitList(parts.name);
    const found = (names ?? [...roleMappings.keys()]).flatMap((name) => {
      const mapping = roleMappings.get(name);
      return mapping === undefined ? [] : [[name, renderMapping(mapping)] as const];
    });
    return answerValue(Object.fromEntries(found), names !== undefined && found.length === 0 ? 404 : 200);
  },
});

export const deleteRoleMappingEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.delete_role_mapping',
  action: 'cluster:admin/xpack/security/role_mapping/delete',
  methods: ['DELETE'],
  paths: ['/_security/role_mapping/{name}'],
  parameters: refreshParameters,
  body: 'none',
  async handle({ parts: { name } }, context) {
    const result = await context.coordinator.submit('delete-role-mapping', { name });
    return answerValue(result, result.found ? 200 : 404);
  },
});

function readMapping(body: JsonObject): RoleMapping {
  const members = new BodyMembers(body, 'role-mapping');
  const roleTemplates = parseRoleTemplates(members.value('role_templates'));
  const enabled = members.boolean('enabled');
  const roles = members.strings('roles', 'single');
  const rules = members.value('rules');
  const metadata = members.object('metadata') ?? {};
  members.end();
  if (rules === undefined)
    throw new QuarryError('parse_exception', 'failed to parse role-mapping. [rules] is required');
  refuseInvalid(
    [
      ...((roles ?? []).length + roleTemplates.length === 0
        ? ['role-mapping roles or role-templates are missing']
        : []),
      ...((roles ?? []).length > 0 && roleTemplates.length > 0
        ? ['role-mapping cannot have both roles and role-templates']
        : []),
      ...(Object.keys(metadata).some((key) => key.startsWith('_')) ? ['metadata keys may not start with [_]'] : []),
    ],
    'action_request_validation_exception',
  );
  const templates = roleTemplates.length === 0 ? {} : { roleTemplates };
  return { enabled: enabled ?? true, roles: roles ?? [], ...templates, rules: parseMappingRule(rules), metadata };
}

function renderMapping({ roleTemplates, ...mapping }: RoleMapping): JsonObject {
  const templates = roleTemplates === undefined ? {} : { role_templates: roleTemplates.map(renderRoleTemplate) };
  return { ...(mapping as unknown as JsonObject), ...templates };
}
