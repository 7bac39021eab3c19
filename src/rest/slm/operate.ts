/** `_slm/start`, `_slm/stop`, `_slm/status`, and what runs at once: a policy, or retention. */
import { startSlmRun } from '../../actions/slm/take-snapshot.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { SLM_ENDPOINT } from './common.js';

export const startSlmEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.start',
  action: 'cluster:admin/slm/start',
  methods: ['POST'],
  paths: ['/_slm/start'],
  body: 'none',
  async handle({ parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('set-slm-mode', { running: true }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const stopSlmEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.stop',
  action: 'cluster:admin/slm/stop',
  methods: ['POST'],
  paths: ['/_slm/stop'],
  body: 'none',
  async handle({ parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('set-slm-mode', { running: false }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const slmStatusEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.get_status',
  action: 'cluster:admin/slm/status',
  methods: ['GET'],
  paths: ['/_slm/status'],
  body: 'none',
  handle: (_request, context) =>
    answerValue({ operation_mode: context.clusterState().slm.stopped ? 'STOPPED' : 'RUNNING' }),
});

/** Also where the schedules are stopped. Answers when the snapshot has begun. */
export const executeSlmPolicyEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.execute_lifecycle',
  action: 'cluster:admin/slm/execute',
  methods: ['PUT', 'POST'],
  paths: ['/_slm/policy/{policy_id}/_execute'],
  body: 'none',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const name = await startSlmRun(context, { id: parts.policy_id }, timeoutMs);
    return answerValue({ snapshot_name: name });
  },
});

/** Answers before anything is deleted: the master has it done. */
export const executeSlmRetentionEndpoint = defineEndpoint({
  ...SLM_ENDPOINT,
  name: 'slm.execute_retention',
  action: 'cluster:admin/slm/execute-retention',
  methods: ['POST'],
  paths: ['/_slm/_execute_retention'],
  body: 'none',
  async handle({ parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('request-slm-retention', null, { timeoutMs });
    return answerAcknowledged();
  },
});
