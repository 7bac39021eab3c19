/** How an async search is shown. */
import type { AsyncSearchView } from '../../actions/searches/async/ask-async-search.js';
import { fromPlainError } from '../../base/error-wire.js';
import { illegalArgument } from '../../base/errors.js';
import { formatTime } from '../../base/units.js';
import { answerJson, type RestAnswer } from '../answer.js';
import { describeWithCause } from '../error-body.js';

/** Of the task that such a search is. */
export const ASYNC_SEARCH_ACTION = 'indices:data/read/async_search/submit';

const KEEP_ALIVE_MS_MIN = 1_000;

export function checkKeepAlive(keepAliveMs: number): void {
  if (keepAliveMs >= KEEP_ALIVE_MS_MIN) return;
  const least = formatTime(KEEP_ALIVE_MS_MIN);
  throw illegalArgument(`[keep_alive] must be greater or equals than ${least}, got: ${formatTime(keepAliveMs)}`);
}

export function answerAsync(id: string | undefined, view: AsyncSearchView): RestAnswer {
  const { isPartial, isRunning, startedMs, expiresMs, completedMs, response, error } = view;
  const head = {
    ...(id === undefined ? {} : { id }),
    is_partial: isPartial,
    is_running: isRunning,
    start_time_in_millis: startedMs,
    expiration_time_in_millis: expiresMs,
    ...(completedMs === undefined ? {} : { completion_time_in_millis: completedMs }),
  };
  const failure = error === undefined ? undefined : fromPlainError(error);
  const end = failure === undefined ? '' : `,"error":${JSON.stringify(describeWithCause(failure))}`;
  const chunks = [
    Buffer.from(JSON.stringify(head).slice(0, -1), 'utf8'),
    ...(response === undefined ? [] : [RESPONSE, response]),
    Buffer.from(`${end}}`, 'utf8'),
  ];
  return answerJson(chunks, failure?.status ?? 200);
}

const RESPONSE = Buffer.from(',"response":', 'utf8');
