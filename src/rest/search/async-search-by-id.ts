/** `GET` and `DELETE _async_search/{id}`, `GET _async_search/status/{id}`. */
import type { ActionContext } from '../../actions/context.js';
import type { AsyncQuestion, AsyncSearchView } from '../../actions/searches/async/ask-async-search.js';
import { ownerOf } from '../../actions/searches/contexts/seal.js';
import { decodeAsyncId } from '../../actions/searches/async/async-id.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, timeParameter } from '../parameters.js';
import { ASYNC_SEARCH_ACTION, answerAsync, checkKeepAlive } from './render-async-search.js';

export const getAsyncSearch = defineEndpoint({
  name: 'async_search.get',
  action: { name: 'indices:data/read/async_search/get', isOwn: () => true },
  methods: ['GET'],
  paths: ['/_async_search/{id}'],
  parameters: {
    keep_alive: timeParameter(),
    return_intermediate_results: booleanParameter(true),
    wait_for_completion_timeout: timeParameter(),
  },
  body: 'none',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters }, context) {
    const { keep_alive: keepAliveMs, wait_for_completion_timeout: waitMs = 0 } = parameters;
    if (keepAliveMs !== undefined) checkKeepAlive(keepAliveMs);
    const keep = keepAliveMs === undefined ? {} : { keepAliveMs };
    const view = await ask(parts.id, { kind: 'get', waitMs, ...keep }, context);
    const { response: _, ...others } = view;
    return answerAsync(parts.id, view.isRunning && !parameters.return_intermediate_results ? others : view);
  },
});

export const asyncSearchStatus = defineEndpoint({
  name: 'async_search.status',
  action: 'cluster:monitor/async_search/status',
  methods: ['GET'],
  paths: ['/_async_search/status/{id}'],
  parameters: { keep_alive: timeParameter() },
  body: 'none',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: { keep_alive: keepAliveMs } }, context) {
    if (keepAliveMs !== undefined) checkKeepAlive(keepAliveMs);
    const keep = keepAliveMs === undefined ? {} : { keepAliveMs };
    const view = await ask(parts.id, { kind: 'get', waitMs: 0, ...keep }, context, null);
    return answerValue({
      id: parts.id,
      is_running: view.isRunning,
      is_partial: view.isPartial,
      start_time_in_millis: view.startedMs,
      expiration_time_in_millis: view.expiresMs,
      ...(view.completedMs === undefined ? {} : { completion_time_in_millis: view.completedMs }),
      _shards: shardsOf(view),
      ...(view.isRunning ? {} : { completion_status: view.error?.status ?? 200 }),
    });
  },
});

export const deleteAsyncSearch = defineEndpoint({
  name: 'async_search.delete',
  action: { name: 'indices:data/read/async_search/delete', isOwn: () => true },
  methods: ['DELETE'],
  paths: ['/_async_search/{id}'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts }, context) {
    await cancel(parts.id, context);
    await ask(parts.id, { kind: 'delete' }, context);
    return answerAcknowledged();
  },
});

/** The worker may be busy with that very search: the table of tasks is elsewhere. */
async function cancel(id: string, context: ActionContext): Promise<void> {
  const { place, task: said } = decodeAsyncId(id);
  if (!context.clusterState().nodes.has(place.nodeId)) throw missing(id);
  // Where everybody has searches of his own, the worker alone knows whose it is, and which task.
  const task = context.authority === undefined ? said : (await ask(id, { kind: 'get', waitMs: 0 }, context)).task;
  const filter = { number: task, actions: [ASYNC_SEARCH_ACTION] };
  const question = { kind: 'cancel', filter, waits: false, timeoutMs: 0 } as const;
  // One that has ended is no task any more.
  await context.tasks.ask(place.nodeId, question, ANSWER_MS_MAX).catch(() => undefined);
}

function shardsOf({ response }: AsyncSearchView): JsonObject {
  if (response === undefined) return {};
  return (JSON.parse(Buffer.from(response).toString('utf8')) as { readonly _shards: JsonObject })._shards;
}

/** Beyond what the question itself waits for. */
const ANSWER_MS_MAX = 30_000;

type Asked = AsyncQuestion extends infer Question
  ? Question extends AsyncQuestion
    ? Omit<Question, 'token' | 'owner'>
    : never
  : never;

/** `owner`: whose search it must be; null: anybody's. */
async function ask(
  id: string,
  question: Asked,
  context: ActionContext,
  owner: string | null = ownerOf(context),
): Promise<AsyncSearchView> {
  const { place, token } = decodeAsyncId(id);
  if (!context.clusterState().nodes.has(place.nodeId)) throw missing(id);
  const waitMs = question.kind === 'get' ? question.waitMs : 0;
  const view = await context.nodes.onWorker(
    place,
    'async-search',
    { ...question, token, owner },
    waitMs + ANSWER_MS_MAX,
  );
  if (view === null) throw missing(id);
  return view;
}

function missing(id: string): QuarryError {
  return new QuarryError('resource_not_found_exception', id);
}
