/** The endpoints of snapshot lifecycle management. What most of them do is loaded by the first request to one of them. */
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint, type Endpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters } from '../parameters.js';
import { slmStats } from './stats.js';

const ACTION = 'cluster:admin/slm/';
const POLICY = '/_slm/policy/{policy_id}';
const SLM = {
  parameters: acknowledgedParameters,
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  body: 'none',
} as const;

const handlers = (): Promise<typeof import('./policies.js')> => import('./policies.js');

export const SLM_ENDPOINTS: readonly Endpoint[] = [
  defineEndpoint({
    ...SLM,
    name: 'slm.put_lifecycle',
    action: `${ACTION}put`,
    methods: ['PUT'],
    paths: [POLICY],
    body: 'json',
    handle: async (request, context) => (await handlers()).putPolicy(request, context),
  }),
  defineEndpoint({
    ...SLM,
    name: 'slm.get_lifecycle',
    action: `${ACTION}get`,
    methods: ['GET'],
    paths: ['/_slm/policy', POLICY],
    handle: async ({ parts, presentation }, context) =>
      (await handlers()).getPolicies(parts.policy_id, presentation.human, context),
  }),
  defineEndpoint({
    ...SLM,
    name: 'slm.delete_lifecycle',
    action: `${ACTION}delete`,
    methods: ['DELETE'],
    paths: [POLICY],
    async handle({ parameters, parts, sentParameters }, context) {
      const timeoutMs = masterTimeoutMs(parameters, sentParameters);
      await context.coordinator.submit('delete-slm-policy', { id: parts.policy_id }, { timeoutMs });
      return answerAcknowledged();
    },
  }),
  /** Also where the schedules are stopped. Answers when the snapshot has begun. */
  defineEndpoint({
    ...SLM,
    name: 'slm.execute_lifecycle',
    action: `${ACTION}execute`,
    methods: ['PUT', 'POST'],
    paths: [`${POLICY}/_execute`],
    handle: async (request, context) => (await handlers()).executePolicy(request, context),
  }),
  /** Answers before anything is deleted: the master has it done. */
  defineEndpoint({
    ...SLM,
    name: 'slm.execute_retention',
    action: `${ACTION}execute-retention`,
    methods: ['POST'],
    paths: ['/_slm/_execute_retention'],
    async handle({ parameters, sentParameters }, context) {
      const timeoutMs = masterTimeoutMs(parameters, sentParameters);
      await context.coordinator.submit('request-slm-retention', null, { timeoutMs });
      return answerAcknowledged();
    },
  }),
  mode('start', true),
  mode('stop', false),
  defineEndpoint({
    ...SLM,
    name: 'slm.get_status',
    action: `${ACTION}status`,
    methods: ['GET'],
    paths: ['/_slm/status'],
    handle: (_request, context) =>
      answerValue({ operation_mode: context.clusterState().slm.stopped ? 'STOPPED' : 'RUNNING' }),
  }),
  defineEndpoint({
    ...SLM,
    name: 'slm.get_stats',
    action: `${ACTION}stats`,
    methods: ['GET'],
    paths: ['/_slm/stats'],
    handle: (_request, context) => answerValue(slmStats(context.clusterState())),
  }),
];

function mode(word: 'start' | 'stop', running: boolean): Endpoint {
  return defineEndpoint({
    ...SLM,
    name: `slm.${word}`,
    action: `${ACTION}${word}`,
    methods: ['POST'],
    paths: [`/_slm/${word}`],
    async handle({ parameters, sentParameters }, context) {
      const timeoutMs = masterTimeoutMs(parameters, sentParameters);
      await context.coordinator.submit('set-slm-mode', { running }, { timeoutMs });
      return answerAcknowledged();
    },
  });
}
