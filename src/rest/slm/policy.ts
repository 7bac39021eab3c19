/** `_slm/policy/{policy_id}`: put, get, delete. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { nextRunMs } from '../../cluster/slm/due.js';
import { checkSlmPolicy } from '../../cluster/slm/policy.js';
import type { SlmInvocation, SlmPolicy, SlmRun } from '../../cluster/slm/types.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { splitList } from '../parameters.js';
import { SLM_ENDPOINT, statsMembers, timeMembers } from './common.js';

export const putSlmPolicyEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.put_lifecycle',
  action: 'cluster:admin/slm/put',
  methods: ['PUT'],
  paths: ['/_slm/policy/{policy_id}'],
  body: 'json',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const id = parts.policy_id;
    const input = { id, policy: checkSlmPolicy(id, body.requireObject()) };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('put-slm-policy', input, { timeoutMs });
    return answerAcknowledged();
  },
});

export const getSlmPolicyEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.get_lifecycle',
  action: 'cluster:admin/slm/get',
  methods: ['GET'],
  paths: ['/_slm/policy', '/_slm/policy/{policy_id}'],
  body: 'none',
  handle({ parts, presentation }, context) {
    const { slmPolicies } = context.clusterState();
    const asked = parts.policy_id === undefined ? [] : splitList(parts.policy_id);
    const names = asked.map((name) => (name === '_all' ? '*' : name));
    const found = [...slmPolicies].filter(([id]) => asked.length === 0 || matchesAny(names, id));
    if (found.length === 0 && asked.length > 0) {
      const none = slmPolicies.size === 0 ? ', no policies are configured' : '';
      const reason = `snapshot lifecycle policy or policies [${asked.join(', ')}] not found${none}`;
      throw new QuarryError('resource_not_found_exception', reason);
    }
    const nowMs = context.clock.nowMs();
    return answerValue(
      Object.fromEntries(found.map(([id, policy]) => [id, shown(id, policy, nowMs, presentation.human)])),
    );
  },
});

function shown(id: string, policy: SlmPolicy, nowMs: number, human: boolean): JsonObject {
  const { lastSuccess, lastFailure } = policy;
  const run = [...policy.runs].findLast(([, { uuid }]) => uuid !== undefined);
  const next = nextRunMs(policy, Math.max(nowMs, policy.lastDueMs ?? 0));
  return {
    version: policy.version,
    ...timeMembers('modified_date_millis', 'modified_date', policy.modifiedAtMs, human),
    policy: policy.policy,
    ...(lastSuccess === undefined ? {} : { last_success: invocation(lastSuccess, human) }),
    ...(lastFailure === undefined ? {} : { last_failure: invocation(lastFailure, human) }),
    ...(next === undefined
      ? { next_execution_millis: -1 }
      : timeMembers('next_execution_millis', 'next_execution', next, human)),
    ...(run === undefined ? {} : { in_progress: inProgress(run, human) }),
    stats: statsMembers(id, policy.stats),
  };
}

function invocation({ snapshotName, startedAtMs, endedAtMs, details }: SlmInvocation, human: boolean): JsonObject {
  return {
    snapshot_name: snapshotName,
    ...timeMembers('start_time', 'start_time_string', startedAtMs, human),
    ...timeMembers('time', 'time_string', endedAtMs, human),
    ...(details === undefined ? {} : { details }),
  };
}

function inProgress([name, { uuid = '', startedAtMs }]: readonly [string, SlmRun], human: boolean): JsonObject {
  return { name, uuid, state: 'STARTED', ...timeMembers('start_time_millis', 'start_time', startedAtMs, human) };
}

export const deleteSlmPolicyEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.delete_lifecycle',
  action: 'cluster:admin/slm/delete',
  methods: ['DELETE'],
  paths: ['/_slm/policy/{policy_id}'],
  body: 'none',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('delete-slm-policy', { id: parts.policy_id }, { timeoutMs });
    return answerAcknowledged();
  },
});
