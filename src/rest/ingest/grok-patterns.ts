/** `GET _ingest/processor/grok`: the patterns that have names. */
import { illegalArgument } from '../../base/errors.js';
import { namedPatterns } from '../../ingest/patterns/grok.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, stringParameter } from '../parameters.js';

export const grokPatternsEndpoint = defineEndpoint({
  name: 'ingest.processor_grok',
  action: 'cluster:admin/ingest/processor/grok/get',
  methods: ['GET'],
  paths: ['/_ingest/processor/grok'],
  parameters: { s: booleanParameter(false), ecs_compatibility: stringParameter('disabled') },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters }) {
    const mode = parameters.ecs_compatibility;
    if (mode !== 'disabled')
      throw illegalArgument(`unsupported ECS compatibility mode [${mode}], [disabled] is supported`);
    const entries = Object.entries(namedPatterns());
    if (parameters.s) entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return answerValue({ patterns: Object.fromEntries(entries) });
  },
});
