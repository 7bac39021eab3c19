/** `_template/{name}`: put, get, exists, delete. */
import { parseLegacyTemplate } from '../../cluster/templates/parse-template.js';
import { answerAcknowledged, answerEmpty, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, integerParameter, splitList } from '../parameters.js';
import { renderLegacyTemplate } from './render-template.js';
import { answerPut, getTemplateParameters, namedTemplates, putTemplateParameters } from './template-request.js';

/** Of the one product; the other has them as they were. */
const DEPRECATED = 'Legacy index templates are deprecated in favor of composable templates.';

export const putLegacyTemplateEndpoint = defineEndpoint({
  name: 'indices.put_template',
  action: 'indices:admin/template/put',
  methods: ['PUT', 'POST'],
  paths: ['/_template/{name}'],
  parameters: { ...putTemplateParameters, order: integerParameter() },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const template = parseLegacyTemplate(body.requireObject(), parameters.order);
    const input = { name: parts.name, template, create: parameters.create };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const isStrict = context.settings.values['compatibility.distribution'] === 'elasticsearch';
    const result = await context.coordinator.submit('put-legacy-template', input, { timeoutMs });
    return answerPut(result, isStrict ? [DEPRECATED] : []);
  },
});

export const getLegacyTemplateEndpoint = defineEndpoint({
  name: 'indices.get_template',
  action: 'indices:admin/template/get',
  methods: ['GET', 'HEAD'],
  paths: ['/_template', '/_template/{name}'],
  parameters: getTemplateParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ method, parameters, parts }, context) {
    const { legacyTemplates } = context.clusterState();
    // Of several names those that are there are shown.
    const names = parts.name === undefined ? [undefined] : splitList(parts.name);
    const found = new Map(names.flatMap((name) => namedTemplates(legacyTemplates, name) ?? []));
    const isMissing =
      parts.name !== undefined && found.size === 0 && names.some((name) => name?.includes('*') !== true);
    if (method === 'HEAD') return answerEmpty(found.size === 0 ? 404 : 200);
    const rendered = [...found].map(
      ([name, template]) => [name, renderLegacyTemplate(template, parameters.flat_settings)] as const,
    );
    return answerValue(Object.fromEntries(rendered), isMissing ? 404 : 200);
  },
});

export const deleteLegacyTemplateEndpoint = defineEndpoint({
  name: 'indices.delete_template',
  action: 'indices:admin/template/delete',
  methods: ['DELETE'],
  paths: ['/_template/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('delete-legacy-templates', { names: splitList(parts.name) }, { timeoutMs });
    return answerAcknowledged();
  },
});
