/** `_component_template/{name}`: put, get, exists, delete. */
import { QuarryError } from '../../base/errors.js';
import { parseComponentTemplate } from '../../cluster/templates/parse-template.js';
import type { ComponentTemplate } from '../../cluster/templates/types.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { answerAcknowledged, answerEmpty, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, listParameter, splitList } from '../parameters.js';
import { renderComponentTemplate } from './render-template.js';
import { answerPut, getTemplateParameters, namedTemplates, putTemplateParameters } from './template-request.js';

export const putComponentTemplateEndpoint = defineEndpoint({
  name: 'cluster.put_component_template',
  action: 'cluster:admin/component_template/put',
  methods: ['PUT', 'POST'],
  paths: ['/_component_template/{name}'],
  parameters: putTemplateParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const template = parseComponentTemplate(body.requireObject());
    const input = { name: parts.name, template, create: parameters.create };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    return answerPut(await context.coordinator.submit('put-component-template', input, { timeoutMs }));
  },
});

export const getComponentTemplateEndpoint = defineEndpoint({
  name: 'cluster.get_component_template',
  action: 'cluster:admin/component_template/get',
  methods: ['GET', 'HEAD'],
  paths: ['/_component_template', '/_component_template/{name}'],
  parameters: {
    ...getTemplateParameters,
    include_defaults: booleanParameter(false),
    settings_filter: listParameter(),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ method, parameters, parts }, context) {
    const found = namedTemplates(context.clusterState().componentTemplates, parts.name);
    if (method === 'HEAD') return answerEmpty(found === undefined || found.length === 0 ? 404 : 200);
    if (found === undefined) {
      const reason = `component template matching [${parts.name ?? ''}] not found`;
      throw new QuarryError('resource_not_found_exception', reason);
    }
    const hidden = parameters.settings_filter ?? [];
    return answerValue({
      component_templates: found.map(([name, template]) => ({
        name,
        component_template: renderComponentTemplate(withoutSettings(template, hidden), parameters.flat_settings),
      })),
    });
  },
});

/** Without the settings that the patterns match. */
function withoutSettings(component: ComponentTemplate, patterns: readonly string[]): ComponentTemplate {
  const { settings } = component.template;
  if (settings === undefined || patterns.length === 0) return component;
  const shown = new Map([...settings].filter(([key]) => !matchesAny(patterns, key)));
  return { ...component, template: { ...component.template, settings: shown } };
}

export const deleteComponentTemplateEndpoint = defineEndpoint({
  name: 'cluster.delete_component_template',
  action: 'cluster:admin/component_template/delete',
  methods: ['DELETE'],
  paths: ['/_component_template/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('delete-component-templates', { names: splitList(parts.name) }, { timeoutMs });
    return answerAcknowledged();
  },
});
