/** `GET _msearch`, `GET {index}/_msearch`: many searches in one request, each answered for itself. */
import type { ActionContext } from '../../actions/context.js';
import { asParts } from '../../actions/security/authority.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { runLimited } from '../../base/run-limited.js';
import { answerJson, type RestAnswer } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { errorBody } from '../error-body.js';
import { booleanParameter, integerParameter, stringParameter, type ParameterValues } from '../parameters.js';
import { readSearchHeader } from './msearch-header.js';
import { readLinePairs } from './msearch-lines.js';
import { readSearch, runSearch, SEARCH_ACTION, toldOf, type ReadSearch, type SearchValues } from './search-call.js';
import { indicesOptionsParameters } from '../parameters.js';

export const multiSearchDeclarations = {
  ...indicesOptionsParameters,
  ccs_minimize_roundtrips: booleanParameter(),
  ignore_throttled: booleanParameter(),
  max_concurrent_searches: integerParameter(),
  max_concurrent_shard_requests: integerParameter(),
  pre_filter_shard_size: integerParameter(),
  rest_total_hits_as_int: booleanParameter(false),
  routing: stringParameter(),
  search_type: stringParameter(),
  typed_keys: booleanParameter(),
} as const;

export type MultiSearchValues = ParameterValues<typeof multiSearchDeclarations>;

export const msearch = defineEndpoint({
  name: 'msearch',
  action: { name: 'indices:data/read/msearch', isPerItem: true },
  methods: ['GET', 'POST'],
  paths: ['/_msearch', '/{index}/_msearch'],
  parameters: multiSearchDeclarations,
  body: 'ndjson',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters, body }, asked) {
    const context = asParts(asked, SEARCH_ACTION);
    const common = commonValues(parameters);
    const searches = readLinePairs(body.bytes).map(({ header, body: search }) => {
      const { index = parts.index, parameters: values } = readSearchHeader(header, common);
      return toldOf(readSearch({ index, parameters: values, body: search }, context), context);
    });
    return answerSearches(searches, parameters, context, (search) => runSearch(search, context));
  },
});

/** What the query string says of every search that does not say it itself. */
export function commonValues(parameters: MultiSearchValues): Partial<SearchValues> {
  const { max_concurrent_searches: _, ...common } = parameters;
  return common;
}

/** Runs the searches side by side; one that fails has its error in the place of its answer. */
export async function answerSearches<Search = ReadSearch>(
  searches: readonly Search[],
  parameters: MultiSearchValues,
  context: ActionContext,
  run: (search: Search) => Promise<readonly Uint8Array[]>,
): Promise<RestAnswer> {
  const startedMs = context.clock.monotonicMs();
  const limit = concurrency(parameters.max_concurrent_searches, context);
  if (searches.length === 0) {
    throw new QuarryError('action_request_validation_exception', 'Validation Failed: 1: no requests added;');
  }
  const answers = await runLimited(searches, limit, context.loop, (search) => answerOne(() => run(search), context));
  const took = Math.round(context.clock.monotonicMs() - startedMs);
  const joined = answers.flatMap((chunks, at) => (at === 0 ? chunks : [COMMA, ...chunks]));
  return answerJson([Buffer.from(`{"took":${took},"responses":[`), ...joined, Buffer.from(']}')]);
}

const COMMA = Buffer.from(',');
const OK_STATUS = Buffer.from(',"status":200}');

async function answerOne(
  run: () => Promise<readonly Uint8Array[]>,
  context: ActionContext,
): Promise<readonly Uint8Array[]> {
  try {
    return [...(await run()), OK_STATUS];
  } catch (error) {
    context.cancellation.throwIfCancelled();
    return [Buffer.from(JSON.stringify(errorBody(error, { errorTrace: false }).body), 'utf8')];
  }
}

/** As the API has it: as many as the data nodes run at once, at most ten on each. */
const SEARCHES_PER_NODE_MAX = 10;

function concurrency(asked: number | undefined, context: ActionContext): number {
  if (asked !== undefined && asked < 1) throw illegalArgument('maxConcurrentSearchRequests must be positive');
  return asked ?? Math.max(1, context.clusterState().nodes.size * SEARCHES_PER_NODE_MAX);
}
