/** Role mappings as the API reads and shows them. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseMappingRule } from '../../cluster/security/role-mapping.js';
import { parseRoleTemplates, renderRoleTemplate } from '../../cluster/security/role-templates.js';
import type { RoleMapping } from '../../cluster/security/security-state.js';
import { BodyMembers } from './body-members.js';
import { refuseInvalid } from './common.js';

export function readMapping(body: JsonObject): RoleMapping {
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

export function renderMapping({ roleTemplates, ...mapping }: RoleMapping): JsonObject {
  const templates = roleTemplates === undefined ? {} : { role_templates: roleTemplates.map(renderRoleTemplate) };
  return { ...(mapping as unknown as JsonObject), ...templates };
}
