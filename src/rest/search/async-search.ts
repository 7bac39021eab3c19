/** `POST _async_search`: a search that goes on when its request is answered, and tells what shards have answered so far. */
import { ownerOf } from '../../actions/searches/contexts/seal.js';
import type { ActionContext } from '../../actions/context.js';
import { viewOf, whenDone } from '../../actions/searches/async/ask-async-search.js';
import { encodeAsyncId } from '../../actions/searches/async/async-id.js';
import type { AsyncAnswer, AsyncSearch } from '../../actions/searches/async/async-searches.js';
import { PartialSearch } from '../../actions/searches/async/partial-search.js';
import { illegalArgument } from '../../base/errors.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import type { RequestBody } from '../../search/body/place.js';
import type { RestAnswer } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, integerParameter, timeParameter, type ParameterValues } from '../parameters.js';
import { ASYNC_SEARCH_ACTION, answerAsync, checkKeepAlive } from './render-async-search.js';
import {
  CLOSING_BRACE,
  openAnswer,
  readSearch,
  runSearch,
  searchDeclarations,
  type ReadSearch,
} from './search-call.js';

const WAIT_MS = 1_000;
const KEEP_ALIVE_MS = 5 * 24 * 60 * 60 * 1_000;

/** Whoever looks while it runs is shown what was merged so far. */
const BATCH_SIZE = 5;

const declarations = {
  ...searchDeclarations,
  batched_reduce_size: integerParameter(BATCH_SIZE),
  keep_alive: timeParameter(KEEP_ALIVE_MS),
  keep_on_completion: booleanParameter(false),
  wait_for_completion_timeout: timeParameter(WAIT_MS),
} as const;

type Values = ParameterValues<typeof declarations>;

export const submitAsyncSearch = defineEndpoint({
  name: 'async_search.submit',
  action: 'indices:data/read/async_search/submit',
  methods: ['POST'],
  paths: ['/_async_search', '/{index}/_async_search'],
  parameters: declarations,
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters, body }, context) {
    checkKeepAlive(parameters.keep_alive);
    const read = readSubmitted(parts.index, parameters, body.isEmpty ? undefined : owned(body), context);
    const search = await begin(read, parameters, parts.index, context);
    await whenDone(search, parameters.wait_for_completion_timeout, context);
    return answerSubmitted(search, parameters.keep_on_completion, context);
  },
});

/** The search goes on when its request is answered, whose memory is then another one's. */
export function owned(body: RequestBody): RequestBody {
  const object = body.object();
  return { bytes: new Uint8Array(body.bytes), object: () => object };
}

type Body = Parameters<typeof readSearch>[0]['body'];

function readSubmitted(
  index: string | undefined,
  { keep_alive: _, keep_on_completion: __, wait_for_completion_timeout: ___, ...given }: Values,
  body: Body,
  context: ActionContext,
): ReadSearch {
  if (given.ccs_minimize_roundtrips === true) {
    throw illegalArgument('[ccs_minimize_roundtrips] must be false, got: true');
  }
  const parameters = { ...given, request_cache: given.request_cache ?? true };
  return readSearch({ index, parameters, body }, context);
}

/** The search is a task of its own: it ends when it is done, deleted or cancelled, whether its request is there or not. */
async function begin(
  read: ReadSearch,
  { keep_alive: keepAliveMs, rest_total_hits_as_int: totalAsInt, wait_for_completion_timeout: waitMs }: Values,
  index: string | undefined,
  context: ActionContext,
): Promise<AsyncSearch> {
  const progress = new PartialSearch();
  const task = await context.tasks.begin({
    action: ASYNC_SEARCH_ACTION,
    description: `indices[${index ?? ''}]`,
    isCancellable: true,
    parent: '',
    opaqueId: context.tasks.opaqueId,
    hasPace: false,
  });
  const { asyncSearches, clock } = context;
  const startedMs = clock.monotonicMs();
  const soFar = (): AsyncAnswer => {
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    const opened = openAnswer(progress.answer, tookMs, totalAsInt, {});
    return { bytes: Buffer.concat([...opened, CLOSING_BRACE]), isPartial: true };
  };
  try {
    const search = asyncSearches.begin({
      task: task.context.tasks.number,
      owner: ownerOf(context),
      keepAliveMs,
      answerBytesMax: answerBytesMax(context),
      soFar,
      cancel: () => {
        task.context.cancellation.cancelByRequest();
      },
    });
    void startDelay(waitMs, context)
      .then(() => carryOut(read, progress, search, task.context))
      .finally(task.finish);
    return search;
  } catch (error) {
    task.finish();
    throw error;
  }
}

/** Who does not wait gets the id before a shard of this very worker keeps it busy. */
const START_DELAY_MS = 10;

function startDelay(waitMs: number, { clock }: ActionContext): Promise<void> {
  if (waitMs > 0) return Promise.resolve();
  return new Promise((resolve) => {
    clock.schedule(START_DELAY_MS, resolve);
  });
}

/** Never fails: what goes wrong is the outcome. */
async function carryOut(
  read: ReadSearch,
  progress: PartialSearch,
  search: AsyncSearch,
  context: ActionContext,
): Promise<void> {
  const { asyncSearches } = context;
  try {
    const chunks = await runSearch(read, context, { progress });
    const bytes = Buffer.concat([...chunks, CLOSING_BRACE]);
    progress.ended(false);
    asyncSearches.complete(search, { answer: { bytes, isPartial: progress.hasFailures } });
  } catch (error) {
    progress.ended(true);
    asyncSearches.complete(search, { error });
  }
}

function answerSubmitted(search: AsyncSearch, keepOnCompletion: boolean, context: ActionContext): RestAnswer {
  const { asyncSearches, node } = context;
  if (context.cancellation.isCancelled) {
    // Nobody will learn its id.
    asyncSearches.remove(search);
    context.cancellation.throwIfCancelled();
  }
  if (search.outcome !== undefined && !keepOnCompletion) {
    asyncSearches.remove(search);
    return answerAsync(undefined, viewOf(search));
  }
  asyncSearches.keep(search);
  const place = { nodeId: node.id, workerSlot: context.workerSlot };
  const { token, start } = search;
  return answerAsync(encodeAsyncId({ place, token, task: start.task }), viewOf(search));
}

function answerBytesMax(context: ActionContext): number {
  const settings = effectiveClusterSettings(context.clusterState());
  return valueOf(ClusterSettingDefinitions.maxAsyncSearchResponseSize, settings) ?? 0;
}
