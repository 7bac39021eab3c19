/** `GET _msearch/template`: many templated searches in one request, each answered for itself. */
import { asParts } from '../../actions/security/authority.js';
import { Place } from '../../search/body/place.js';
import { readTemplateRequest } from '../../search/request/search-template.js';
import { defineEndpoint } from '../endpoint.js';
import { answerSearches, commonValues, multiSearchDeclarations } from './msearch.js';
import { readSearchHeader } from './msearch-header.js';
import { readLinePairs } from './msearch-lines.js';
import { runSearch, SEARCH_ACTION, toldOf } from './search-call.js';
import { readTemplatedSearch } from './template-call.js';

export const msearchTemplate = defineEndpoint({
  name: 'msearch_template',
  action: { name: 'indices:data/read/msearch/template', isPerItem: true },
  methods: ['GET', 'POST'],
  paths: ['/_msearch/template', '/{index}/_msearch/template'],
  parameters: multiSearchDeclarations,
  body: 'ndjson',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters, body }, asked) {
    const context = asParts(asked, SEARCH_ACTION);
    const common = commonValues(parameters);
    const searches = readLinePairs(body.bytes).map(({ header, body: line }) => {
      const { index = parts.index, parameters: values } = readSearchHeader(header, common);
      return {
        request: readTemplateRequest(Place.ofBody(line), 'search_template'),
        call: { index, parameters: values },
      };
    });
    // What a template makes is known only when it runs: it fails alone.
    return answerSearches(searches, parameters, context, ({ request, call }) =>
      runSearch(toldOf(readTemplatedSearch(request, call, context), context), context),
    );
  },
});
