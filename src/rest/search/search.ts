/** `GET _search`, `GET {index}/_search`. */
import { keepOf } from '../../actions/searches/keep-alive.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stringParameter } from '../parameters.js';
import { CLOSING_BRACE, readSearch, runSearch, searchDeclarations } from './search-call.js';

export const search = defineEndpoint({
  name: 'search',
  methods: ['GET', 'POST'],
  paths: ['/_search', '/{index}/_search'],
  parameters: { ...searchDeclarations, scroll: stringParameter() },
  body: 'json',
  pool: 'search',
  placement: 'shard',
  async handle({ parts, parameters, body }, context) {
    const read = readSearch({ index: parts.index, parameters, body: body.isEmpty ? undefined : body }, context);
    const scroll =
      parameters.scroll === undefined ? undefined : keepOf('scroll', parameters.scroll, context.clusterState());
    return answerJson([...(await runSearch(read, context, { scroll })), CLOSING_BRACE]);
  },
});
