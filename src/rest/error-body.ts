/** The standard shape of an error answer. */
import { asQuarryError } from '../base/error-wire.js';
import type { ErrorType, QuarryError } from '../base/errors.js';
import type { JsonObject } from '../base/json-value.js';
import { withSourcePlaces } from '../store/source-places.js';

/** Failures of the request line and headers; the API answers those without a cause with a sentence in place of the object. */
const SENTENCE_TYPES: ReadonlySet<ErrorType> = new Set([
  'media_type_header_exception',
  'method_not_allowed_exception',
  'no_handler_found_exception',
]);

/** `{ error: { root_cause, type, reason, .. }, status }`. */
export function errorBody(thrown: unknown, options: { errorTrace: boolean }): { status: number; body: JsonObject } {
  const error = asQuarryError(thrown);
  if (SENTENCE_TYPES.has(error.type) && error.cause === undefined) {
    // One of them goes without its status.
    const isBare = error.type === 'no_handler_found_exception';
    return { status: error.status, body: { error: error.message, ...(isBare ? {} : { status: error.status }) } };
  }
  const rootCauses = error.rootCauses.length === 0 ? [error] : error.rootCauses;
  const root_cause = rootCauses.map((cause) => describe(cause, options.errorTrace));
  const body = { error: { root_cause, ...describeWithCause(error, options.errorTrace) }, status: error.status };
  return { status: error.status, body };
}

/** `{ type, reason, .., caused_by }`: an error inside another answer, as in the items of a bulk. */
export function describeWithCause(error: QuarryError, errorTrace = false): JsonObject {
  const described = describe(error, errorTrace);
  if (error.cause === undefined) return described;
  return { ...described, caused_by: describeWithCause(asQuarryError(error.cause), errorTrace) };
}

function describe(error: QuarryError, errorTrace: boolean): JsonObject {
  const described = { type: error.type, reason: error.message, ...error.details };
  return errorTrace && error.stack !== undefined
    ? { ...described, stack_trace: withSourcePlaces(error.stack) }
    : described;
}
