/** The answer of a bulk item that failed. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ItemAction } from '../../native/descriptor.js';

export interface NamedItem {
  readonly action: ItemAction;
  readonly index: string;
  readonly id: string;
}

/** `{ "index": { _index, _id, status, error } }`; `bare` leaves the action out. */
export function renderItemError(item: NamedItem, error: QuarryError, bare: boolean): JsonObject {
  const answer = { _index: item.index, _id: item.id, status: error.status, error: renderCause(error) };
  return bare ? answer : { [item.action]: answer };
}

/** `{ type, reason, .., caused_by }`. */
export function renderCause(error: QuarryError): JsonObject {
  const rendered = { type: error.type, reason: error.message, ...error.details };
  return error.cause === undefined ? rendered : { ...rendered, caused_by: renderCause(asQuarryError(error.cause)) };
}
