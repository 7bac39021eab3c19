/** `GET {index}/_ilm/explain`: where indices stand in their policies. */
import type { JsonObject } from '../../base/json-value.js';
import { formatTime } from '../../base/units.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { parsePhases } from '../../cluster/lifecycle/policy.js';
import { lifecycleDateMs, policyOf } from '../../cluster/lifecycle/progress.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices, stateReadParameters } from '../indices/index-names.js';
import { booleanParameter, listParameter } from '../parameters.js';

export const explainPolicyEndpoint = defineEndpoint({
  name: 'ilm.explain_lifecycle',
  action: 'indices:admin/ilm/explain',
  methods: ['GET'],
  paths: ['/{index}/_ilm/explain'],
  parameters: {
    ...stateReadParameters,
    expand_wildcards: listParameter(),
    only_errors: booleanParameter(false),
    only_managed: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts }, context) {
    const state = context.clusterState();
    const defaults = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };
    const indices = namedIndices(context, parts.index, defaults, { expand_wildcards: parameters.expand_wildcards });
    const shown = indices.filter((index) => {
      const policy = policyOf(index);
      if (parameters.only_errors) {
        return policy !== undefined && (index.lifecycle?.failure !== undefined || !state.lifecyclePolicies.has(policy));
      }
      return policy !== undefined || !parameters.only_managed;
    });
    const nowMs = context.clock.nowMs();
    return answerValue({
      indices: Object.fromEntries(shown.map((index) => [index.name, explain(state, index, nowMs)])),
    });
  },
});

function explain(state: ClusterState, index: IndexMetadata, nowMs: number): JsonObject {
  const name = policyOf(index);
  if (name === undefined) return { index: index.name, managed: false };
  const policy = state.lifecyclePolicies.get(name);
  const sinceMs = lifecycleDateMs(state, index);
  const head = {
    index: index.name,
    managed: true,
    // Policies apply to all indices that name them.
    skip: false,
    policy: name,
    index_creation_date_millis: index.creationDateMs,
    time_since_index_creation: formatTime(nowMs - index.creationDateMs),
    lifecycle_date_millis: sinceMs,
    age: formatTime(nowMs - sinceMs),
  };
  if (policy === undefined) {
    const reason = `policy [${name}] does not exist`;
    return { ...head, step: 'ERROR', step_info: { type: 'illegal_argument_exception', reason } };
  }
  const { lifecycle } = index;
  if (lifecycle === undefined) return { ...head, phase: 'new', action: 'complete', step: 'complete' };
  const { phase, enteredAtMs, done, failure } = lifecycle;
  const actions = parsePhases(policy.policy).find((each) => each.name === phase)?.actions ?? [];
  const action = actions.find((each) => !done.includes(each.name))?.name ?? 'complete';
  return {
    ...head,
    phase,
    phase_time_millis: enteredAtMs,
    action,
    step: failure === undefined ? action : 'ERROR',
    ...(failure === undefined
      ? {}
      : { failed_step: failure.action, step_info: { type: 'exception', reason: failure.reason } }),
    phase_execution: { policy: name, version: policy.version, modified_date_in_millis: policy.modifiedAtMs },
  };
}
