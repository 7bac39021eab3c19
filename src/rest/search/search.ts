/** `GET _search`, `GET {index}/_search`. */
import { keepOf } from '../../actions/searches/contexts/keep-alive.js';
import { PREPARED_WORDS_MAX } from '../../actions/searches/prepared-searches.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stringParameter } from '../parameters.js';
import { CLOSING_BRACE, readSearch, runPrepared, runSearch, searchDeclarations } from './search-call.js';

export const search = defineEndpoint({
  name: 'search',
  action: 'indices:data/read/search',
  methods: ['GET', 'POST'],
  paths: ['/_search', '/{index}/_search'],
  parameters: { ...searchDeclarations, scroll: stringParameter() },
  body: 'json',
  pool: 'search',
  placement: 'near',
  async handle({ parts, parameters, body, rawPath, query }, context) {
    const words = wordsOf(rawPath, query, body.bytes);
    const prepared = words === undefined ? undefined : context.preparedSearches.find(words, context.clusterState());
    if (prepared !== undefined) return answerJson([...(await runPrepared(prepared, context)), CLOSING_BRACE]);
    const read = readSearch({ index: parts.index, parameters, body: body.isEmpty ? undefined : body }, context);
    const scroll = parameters.scroll === undefined ? undefined : keepOf('scroll', parameters.scroll, context);
    return answerJson([...(await runSearch(read, context, { scroll, words })), CLOSING_BRACE]);
  },
});

/** All that tells one search from another, a character for each byte; undefined where that is long, or means other indices tomorrow. */
function wordsOf(rawPath: string, query: string, body: Uint8Array): string | undefined {
  if (body.length > PREPARED_WORDS_MAX || /<|%3c/i.test(rawPath)) return undefined;
  return `${rawPath}?${query} ${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
}
