/** `GET _search/template`, `GET {index}/_search/template`: a search whose body a template makes. */
import { asParts } from '../../actions/security/authority.js';
import { keepOf } from '../../actions/searches/contexts/keep-alive.js';
import { Place } from '../../search/body/place.js';
import { readTemplateRequest } from '../../search/request/search-template.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, stringParameter } from '../parameters.js';
import { CLOSING_BRACE, runSearch, SEARCH_ACTION, searchDeclarations, toldOf } from './search-call.js';
import { readTemplatedSearch } from './template-call.js';

export const searchTemplate = defineEndpoint({
  name: 'search_template',
  action: 'indices:data/read/search/template',
  methods: ['GET', 'POST'],
  paths: ['/_search/template', '/{index}/_search/template'],
  parameters: { ...searchDeclarations, scroll: stringParameter(), profile: booleanParameter(false) },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters, body }, asked) {
    const context = asParts(asked, SEARCH_ACTION);
    body.requireObject();
    const { profile, scroll, ...values } = parameters;
    const request = readTemplateRequest(Place.ofBody(body), 'search_template');
    const call = { index: parts.index, parameters: values };
    const made = readTemplatedSearch({ ...request, profile: request.profile || profile }, call, context);
    const read = toldOf(made, context);
    const keep = scroll === undefined ? undefined : keepOf('scroll', scroll, context);
    return answerJson([...(await runSearch(read, context, { scroll: keep })), CLOSING_BRACE]);
  },
});
