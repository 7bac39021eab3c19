/** `GET _script_context`: where scripts run. */
import { scriptContexts } from '../../native/scripts.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';

/** Only the names are told: there is no Java behind them whose methods could be listed. */
export const scriptContextEndpoint = defineEndpoint({
  name: 'get_script_context',
  action: 'cluster:admin/script_context/get',
  methods: ['GET'],
  paths: ['/_script_context'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle() {
    const method = { name: 'execute', return_type: 'java.lang.Object', params: [] };
    return answerValue({ contexts: scriptContexts().map(({ name }) => ({ name, methods: [method] })) });
  },
});
