/** `POST _monitoring/bulk`: what other products tell of themselves. Nothing collects it, which the answer says. */
import { QuarryError } from '../../base/errors.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stringParameter, timeParameter } from '../parameters.js';

const REQUIRED = ['system_id', 'system_api_version', 'interval'] as const;

export const monitoringBulkEndpoint = defineEndpoint({
  name: 'monitoring.bulk',
  action: 'cluster:admin/xpack/monitoring/bulk',
  methods: ['POST', 'PUT'],
  paths: ['/_monitoring/bulk'],
  parameters: { system_id: stringParameter(), system_api_version: stringParameter(), interval: timeParameter() },
  body: 'ndjson',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  handle({ parameters, body }) {
    const missing = REQUIRED.find((name) => parameters[name] === undefined || parameters[name] === '');
    if (missing !== undefined) {
      throw new QuarryError('illegal_argument_exception', `no [${missing}] for monitoring bulk request`);
    }
    if (body.isEmpty) throw new QuarryError('parse_exception', 'request body is required');
    return answerValue({ took: 0, ignored: true, errors: false });
  },
});
