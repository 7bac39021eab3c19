/** What the worker that carries an async search out is asked about it. */
import { asQuarryError, toPlainError, type PlainError } from '../../../base/error-wire.js';
import type { ActionContext } from '../../context.js';
import { defineNodeAction } from '../../nodes/node-action.js';
import type { AsyncSearch } from './async-searches.js';

export type AsyncQuestion =
  | {
      readonly kind: 'get';
      readonly token: string;
      /** Null: whoever began it. */
      readonly owner: string | null;
      readonly waitMs: number;
      /** Undefined: as before. */
      readonly keepAliveMs?: number;
    }
  | { readonly kind: 'delete'; readonly token: string; readonly owner: string | null };

export interface AsyncSearchView {
  /** Number of its task. */
  readonly task: number;
  readonly isRunning: boolean;
  readonly isPartial: boolean;
  readonly startedMs: number;
  readonly expiresMs: number;
  readonly completedMs?: number;
  /** The body of the search's answer as JSON: partial while it runs. */
  readonly response?: Uint8Array;
  readonly error?: PlainError;
}

/** `null`: there is no such search. */
export const askAsyncSearch = defineNodeAction(
  'async-search',
  async (context, question: AsyncQuestion): Promise<AsyncSearchView | null> => {
    const search = context.asyncSearches.find(question.token);
    if (search === undefined || (question.owner ?? search.start.owner) !== search.start.owner) return null;
    if (question.kind === 'delete') {
      context.asyncSearches.remove(search);
      return viewOf(search);
    }
    if (question.keepAliveMs !== undefined) context.asyncSearches.prolong(search, question.keepAliveMs);
    await whenDone(search, question.waitMs, context);
    return viewOf(search);
  },
);

/** Resolves when the search has ended, or the time is over. */
export async function whenDone(search: AsyncSearch, waitMs: number, { clock }: ActionContext): Promise<void> {
  if (search.outcome !== undefined || waitMs <= 0) return;
  let stop = (): void => undefined;
  const overdue = new Promise<void>((resolve) => {
    stop = clock.schedule(waitMs, resolve);
  });
  await Promise.race([search.done, overdue]);
  stop();
}

export function viewOf(search: AsyncSearch): AsyncSearchView {
  const { startedMs, expiresMs, completedMs, outcome } = search;
  const isRunning = outcome === undefined;
  const times = {
    task: search.start.task,
    startedMs,
    expiresMs,
    ...(completedMs === undefined ? {} : { completedMs }),
  };
  if (outcome !== undefined && 'answer' in outcome) {
    const { bytes, isPartial } = outcome.answer;
    return { isRunning, isPartial, ...times, response: bytes };
  }
  const error = outcome === undefined ? {} : { error: toPlainError(asQuarryError(outcome.error)) };
  return { isRunning, isPartial: true, ...times, response: search.start.soFar().bytes, ...error };
}
