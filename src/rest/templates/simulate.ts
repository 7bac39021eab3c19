/** `POST _index_template/_simulate_index/{name}` and `POST _index_template/_simulate/{name}`: what templates would do. */
import type { ActionContext } from '../../actions/context.js';
import type { SimulateTemplateInput } from '../../cluster/templates/simulate.js';
import { parseIndexTemplate } from '../../cluster/templates/parse-template.js';
import { answerValue, type RestAnswer } from '../answer.js';
import { defineEndpoint, type RestBody } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { booleanParameter } from '../parameters.js';
import { renderContent } from './render-template.js';
import { putTemplateParameters } from './template-request.js';

const parameters = { ...putTemplateParameters, include_defaults: booleanParameter(false) } as const;

export const simulateIndexTemplateEndpoint = defineEndpoint({
  name: 'indices.simulate_index_template',
  action: 'indices:admin/index_template/simulate_index',
  methods: ['POST'],
  paths: ['/_index_template/_simulate_index/{name}'],
  parameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { create } = request.parameters;
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    return simulate({ index: request.parts.name, ...bodyOf(request.body), create }, timeoutMs, context);
  },
});

export const simulateTemplateEndpoint = defineEndpoint({
  name: 'indices.simulate_template',
  action: 'indices:admin/index_template/simulate',
  methods: ['POST'],
  paths: ['/_index_template/_simulate', '/_index_template/_simulate/{name}'],
  parameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { create } = request.parameters;
    const { name } = request.parts;
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    const template = name === undefined ? {} : { template: name };
    return simulate({ ...template, ...bodyOf(request.body), create }, timeoutMs, context);
  },
});

function bodyOf(body: RestBody): Pick<SimulateTemplateInput, 'body'> {
  return body.isEmpty ? {} : { body: parseIndexTemplate(body.requireObject()) };
}

async function simulate(input: SimulateTemplateInput, timeoutMs: number, context: ActionContext): Promise<RestAnswer> {
  const simulated = await context.coordinator.submit('simulate-template', input, { timeoutMs });
  if (simulated === null) return answerValue({});
  return answerValue({
    template: renderContent(simulated.composition, false),
    overlapping: simulated.overlapping.map(({ name, indexPatterns }) => ({ name, index_patterns: indexPatterns })),
  });
}
