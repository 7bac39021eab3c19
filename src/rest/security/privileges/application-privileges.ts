/** `_security/privilege`: what applications that use the cluster for their users call their own privileges. */
import type { JsonObject } from '../../../base/json-value.js';
import { patternMatcher } from '../../../cluster/names/wildcard.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { enumParameter, splitList } from '../../parameters.js';
import { nodesHeader } from '../../cluster/nodes/nodes-header.js';

const refresh = enumParameter(['true', 'false', 'wait_for', '']);

export const putPrivilegesEndpoint = defineEndpoint({
  name: 'security.put_privileges',
  action: 'cluster:admin/xpack/security/privilege/put',
  methods: ['PUT', 'POST'],
  paths: ['/_security/privilege'],
  // What is changed can be seen at once, whatever is asked for.
  parameters: { refresh },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ body }, context) {
    const { readPrivileges } = await import('./privilege-bodies.js');
    const privileges = readPrivileges(body.requireObject());
    const { created } = await context.coordinator.submit('put-application-privileges', { privileges });
    const answers = privileges.map(({ application, name }, at) => ({
      application,
      name,
      created: created[at] ?? false,
    }));
    return answerValue(byApplication(answers, (answer) => ({ created: answer.created })));
  },
});

export const getPrivilegesEndpoint = defineEndpoint({
  name: 'security.get_privileges',
  action: 'cluster:admin/xpack/security/privilege/get',
  methods: ['GET'],
  paths: ['/_security/privilege', '/_security/privilege/{application}', '/_security/privilege/{application}/{name}'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const isMeant = patternMatcher(parts.application ?? '*');
    const names = parts.name === undefined ? undefined : new Set(splitList(parts.name));
    const found = [...context.clusterState().applicationPrivileges.values()].filter(
      ({ application, name }) => isMeant(application) && names?.has(name) !== false,
    );
    const isMissing = found.length === 0 && names !== undefined;
    return answerValue(
      byApplication(found, (privilege) => ({ ...privilege })),
      isMissing ? 404 : 200,
    );
  },
});

export const deletePrivilegesEndpoint = defineEndpoint({
  name: 'security.delete_privileges',
  action: 'cluster:admin/xpack/security/privilege/delete',
  methods: ['DELETE'],
  paths: ['/_security/privilege/{application}/{name}'],
  parameters: { refresh },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts: { application, name } }, context) {
    const names = splitList(name);
    const { found } = await context.coordinator.submit('delete-application-privileges', { application, names });
    const answers = names.map((each, at) => ({ application, name: each, found: found[at] ?? false }));
    const status = found.includes(true) ? 200 : 404;
    return answerValue(
      byApplication(answers, (answer) => ({ found: answer.found })),
      status,
    );
  },
});

/** Nothing is cached that the newest cluster state would not change. */
export const clearCachedPrivilegesEndpoint = defineEndpoint({
  name: 'security.clear_cached_privileges',
  action: 'cluster:admin/xpack/security/privilege/cache/clear',
  methods: ['POST'],
  paths: ['/_security/privilege/{application}/_clear_cache'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(_request, context) {
    const { clusterName, nodes } = context.clusterState();
    const shown = [...nodes.values()].map(({ id, name }) => [id, { name }] as const);
    return answerValue({
      _nodes: nodesHeader(shown.length, []),
      cluster_name: clusterName,
      nodes: Object.fromEntries(shown),
    });
  },
});

function byApplication<Item extends { readonly application: string; readonly name: string }>(
  items: readonly Item[],
  show: (item: Item) => JsonObject,
): JsonObject {
  const shown = new Map<string, Record<string, JsonObject>>();
  for (const item of items) {
    const named = shown.get(item.application) ?? {};
    named[item.name] = show(item);
    shown.set(item.application, named);
  }
  return Object.fromEntries(shown);
}
