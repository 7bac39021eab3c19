/** Writes that were turned away because a queue was full or too much was held: they are tried again, later and later, fewer and fewer together. */
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { isJsonObject } from '../../base/json-value.js';
import type { BulkAnswer, ManyWrites } from '../documents/bulk.js';
import { renderItemError } from '../documents/item-error.js';

const REJECTED = 429;

/** Tries after the first. */
export const RETRIES_MAX = 11;
const FIRST_PAUSE_MS = 500;

/** Before the try of this number, counted from 0: half a second at first, half a minute at last. */
export function pauseBeforeRetryMs(retry: number): number {
  return FIRST_PAUSE_MS + 10 * Math.trunc(Math.exp(0.8 * retry) - 1);
}

/** Places of the writes to try again. None where something else is wrong: the job ends then, and a retry would be in vain. */
export function rejectedPlaces({ errors, items }: BulkAnswer): readonly number[] {
  if (!errors) return [];
  const statuses = parsed(items).map(statusOf);
  const isElseWrong = statuses.some((status) => status >= 300 && status !== REJECTED);
  return isElseWrong ? [] : statuses.flatMap((status, place) => (status === REJECTED ? [place] : []));
}

/** What came of writes that were turned away together: as if each of them had been. */
export function allRejected({ indexNames, actions }: ManyWrites, error: QuarryError): BulkAnswer {
  const items = actions.map(({ action, id, index }) =>
    renderItemError({ action, id, index: indexNames[index] ?? '' }, error, false),
  );
  return { errors: true, items: Buffer.from(JSON.stringify(items), 'utf8'), ingestTookMs: undefined };
}

export function writesAt(writes: ManyWrites, places: readonly number[]): ManyWrites {
  return { ...writes, actions: places.flatMap((place) => writes.actions[place] ?? []) };
}

/** In pieces of so many writes at most. */
export function piecesOf(writes: ManyWrites, size: number): readonly ManyWrites[] {
  const { actions } = writes;
  return Array.from({ length: Math.ceil(actions.length / size) }, (_, piece) => ({
    ...writes,
    actions: actions.slice(piece * size, (piece + 1) * size),
  }));
}

/** The answer to all pieces. */
export function joined(answers: readonly BulkAnswer[]): BulkAnswer {
  const items = answers.flatMap((answer) => parsed(answer.items));
  return {
    errors: answers.some(({ errors }) => errors),
    items: Buffer.from(JSON.stringify(items), 'utf8'),
    ingestTookMs: undefined,
  };
}

/** The answers of a retry in the places of those before; the last places may not have been tried again. */
export function withRetried(before: BulkAnswer, places: readonly number[], retried: BulkAnswer): BulkAnswer {
  const items = [...parsed(before.items)];
  const again = parsed(retried.items);
  for (const [at, item] of again.entries()) {
    const place = places[at];
    if (place !== undefined) items[place] = item;
  }
  const errors = retried.errors || again.length < places.length;
  return { ...before, errors, items: Buffer.from(JSON.stringify(items), 'utf8') };
}

function parsed(items: Uint8Array): readonly JsonObject[] {
  const bytes = Buffer.from(items.buffer, items.byteOffset, items.byteLength);
  return JSON.parse(bytes.toString('utf8')) as readonly JsonObject[];
}

function statusOf(item: JsonObject): number {
  const [answer]: readonly (JsonValue | undefined)[] = Object.values(item);
  const status = isJsonObject(answer) ? answer['status'] : undefined;
  return typeof status === 'number' ? status : 0;
}
