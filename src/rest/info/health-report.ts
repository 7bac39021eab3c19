/** `GET _health_report`. */
import { QuarryError } from '../../base/errors.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, integerParameter, timeParameter } from '../parameters.js';

const NAMES_MAX = 1000;

export const healthReportEndpoint = defineEndpoint({
  name: 'health_report',
  action: 'cluster:monitor/health_api',
  methods: ['GET'],
  paths: ['/_health_report', '/_health_report/{feature}'],
  parameters: { timeout: timeParameter(30_000), verbose: booleanParameter(true), size: integerParameter(NAMES_MAX) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  async handle({ parameters, parts }, context) {
    const size = parameters.size ?? NAMES_MAX;
    if (size < 0) throw new QuarryError('illegal_argument_exception', 'The size parameter must be a positive integer');
    // What looks for faults is much code that few requests need.
    const { healthReport } = await import('./indicators.js');
    const wanted = {
      feature: parts.feature,
      namesMax: size,
      isVerbose: parameters.verbose,
      timeoutMs: parameters.timeout,
    };
    return answerValue(await healthReport(wanted, context));
  },
});
