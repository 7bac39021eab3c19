/** `_ilm/policy/{policy}`: put, get, delete. */
import type { JsonObject } from '../../base/json-value.js';
import { policyNotFound } from '../../cluster/changes/lifecycle-policies.js';
import { parentStream } from '../../cluster/data-streams/data-streams.js';
import { checkPolicy } from '../../cluster/lifecycle/policy.js';
import { LIFECYCLE_NAME, policyOf } from '../../cluster/lifecycle/progress.js';
import type { ClusterState } from '../../cluster/state.js';
import { templateSetting } from '../../cluster/templates/compose.js';
import { isPattern, matchesAny } from '../../cluster/names/wildcard.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, splitList } from '../parameters.js';

export const putPolicyEndpoint = defineEndpoint({
  name: 'ilm.put_lifecycle',
  action: 'cluster:admin/ilm/put',
  methods: ['PUT'],
  paths: ['/_ilm/policy/{policy}'],
  parameters: acknowledgedParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const input = { name: parts.policy, policy: checkPolicy(body.requireObject()) };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('put-lifecycle-policy', input, { timeoutMs });
    return answerAcknowledged();
  },
});

export const getPolicyEndpoint = defineEndpoint({
  name: 'ilm.get_lifecycle',
  action: 'cluster:admin/ilm/get',
  methods: ['GET'],
  paths: ['/_ilm/policy', '/_ilm/policy/{policy}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const state = context.clusterState();
    const names = parts.policy === undefined ? ['*'] : splitList(parts.policy);
    const missing = names.find((name) => !isPattern(name) && !state.lifecyclePolicies.has(name));
    if (missing !== undefined) throw policyNotFound(missing);
    const entries = [...state.lifecyclePolicies]
      .filter(([name]) => matchesAny(names, name))
      .map(([name, { version, modifiedAtMs, policy }]) => {
        const modified = new Date(modifiedAtMs).toISOString();
        return [name, { version, modified_date: modified, policy, in_use_by: usersOf(state, name) }] as const;
      });
    return answerValue(Object.fromEntries(entries));
  },
});

function usersOf(state: ClusterState, policy: string): JsonObject {
  const indices = [...state.indices.values()].filter((index) => policyOf(index) === policy).map(({ name }) => name);
  const streams = new Set(indices.flatMap((name) => parentStream(state, name)?.name ?? []));
  const templates = [...state.indexTemplates].filter(
    ([, template]) => templateSetting(state, template, LIFECYCLE_NAME) === policy,
  );
  return { indices, data_streams: [...streams], composable_templates: templates.map(([name]) => name) };
}

export const deletePolicyEndpoint = defineEndpoint({
  name: 'ilm.delete_lifecycle',
  action: 'cluster:admin/ilm/delete',
  methods: ['DELETE'],
  paths: ['/_ilm/policy/{policy}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('delete-lifecycle-policy', { name: parts.policy }, { timeoutMs });
    return answerAcknowledged();
  },
});
