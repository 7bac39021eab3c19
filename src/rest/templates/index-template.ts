/** `_index_template/{name}`: put, get, exists, delete. */
import { QuarryError } from '../../base/errors.js';
import { parseIndexTemplate } from '../../cluster/templates/parse-template.js';
import { answerAcknowledged, answerEmpty, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, splitList } from '../parameters.js';
import { renderIndexTemplate } from './render-template.js';
import { answerPut, getTemplateParameters, namedTemplates, putTemplateParameters } from './template-request.js';

export const putIndexTemplateEndpoint = defineEndpoint({
  name: 'indices.put_index_template',
  action: 'indices:admin/index_template/put',
  methods: ['PUT', 'POST'],
  paths: ['/_index_template/{name}'],
  parameters: putTemplateParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const template = parseIndexTemplate(body.requireObject());
    const input = { name: parts.name, template, create: parameters.create };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    return answerPut(await context.coordinator.submit('put-index-template', input, { timeoutMs }));
  },
});

export const getIndexTemplateEndpoint = defineEndpoint({
  name: 'indices.get_index_template',
  action: 'indices:admin/index_template/get',
  methods: ['GET', 'HEAD'],
  paths: ['/_index_template', '/_index_template/{name}'],
  parameters: { ...getTemplateParameters, include_defaults: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ method, parameters, parts }, context) {
    const found = namedTemplates(context.clusterState().indexTemplates, parts.name);
    if (method === 'HEAD') return answerEmpty(found === undefined || found.length === 0 ? 404 : 200);
    if (found === undefined) {
      throw new QuarryError('resource_not_found_exception', `index template matching [${parts.name ?? ''}] not found`);
    }
    return answerValue({
      index_templates: found.map(([name, template]) => ({
        name,
        index_template: renderIndexTemplate(template, parameters.flat_settings),
      })),
    });
  },
});

export const deleteIndexTemplateEndpoint = defineEndpoint({
  name: 'indices.delete_index_template',
  action: 'indices:admin/index_template/delete',
  methods: ['DELETE'],
  paths: ['/_index_template/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('delete-index-templates', { names: splitList(parts.name) }, { timeoutMs });
    return answerAcknowledged();
  },
});
