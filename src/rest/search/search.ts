/** `GET _search`, `GET {index}/_search`. */
import { keepOf } from '../../actions/searches/contexts/keep-alive.js';
import { PREPARED_WORDS_MAX, type SearchWords } from '../../actions/searches/prepared-searches.js';
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
    const verbatim = new Set<string>();
    const told = { bytes: body.bytes, object: () => body.object(), verbatim };
    const read = readSearch({ index: parts.index, parameters, body: body.isEmpty ? undefined : told }, context);
    const scroll = parameters.scroll === undefined ? undefined : keepOf('scroll', parameters.scroll, context);
    const said = words === undefined ? undefined : { words, verbatim };
    return answerJson([...(await runSearch(read, context, { scroll, said })), CLOSING_BRACE]);
  },
});

/** All that a client said; undefined where there is much of it, or where it means other indices tomorrow. */
export function wordsOf(rawPath: string, query: string, body: Uint8Array): SearchWords | undefined {
  if (body.length > PREPARED_WORDS_MAX || /<|%3c/i.test(rawPath)) return undefined;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  return { target: `${rawPath}?${query}`, body: text };
}
