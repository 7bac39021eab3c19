/** `_security/role_mapping`: roles by rules about users. */
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
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
    const { readMapping } = await import('./mapping-bodies.js');
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
  async handle({ parts }, context) {
    const { renderMapping } = await import('./mapping-bodies.js');
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
