/** `GET _search`, `GET {index}/_search`. */
import { illegalArgument } from '../../base/errors.js';
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
    if (parameters.scroll !== undefined) throw illegalArgument('[scroll] is not supported, use [search_after]');
    const call = { index: parts.index, parameters, body: body.isEmpty ? undefined : body };
    return answerJson([...(await runSearch(readSearch(call, context), context)), CLOSING_BRACE]);
  },
});
