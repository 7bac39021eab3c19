/** `GET _render/template`: the search that a template makes, not carried out. */
import { parseJsonBytes } from '../../base/json.js';
import { Place } from '../../search/body/place.js';
import { readTemplateRequest } from '../../search/request/search-template.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { renderedBody } from './template-call.js';

export const renderTemplateEndpoint = defineEndpoint({
  name: 'render_search_template',
  action: 'indices:data/read/search/template',
  methods: ['GET', 'POST'],
  paths: ['/_render/template', '/_render/template/{id}'],
  parameters: {},
  body: 'json',
  pool: 'search',
  placement: 'any',
  handle({ parts, body }, context) {
    const place = Place.ofBody(body.isEmpty ? undefined : body);
    const request = readTemplateRequest(place, 'search_template', parts.id);
    return answerValue({ template_output: parseJsonBytes(renderedBody(request, context.clusterState()).bytes) });
  },
});
