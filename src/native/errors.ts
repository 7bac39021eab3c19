/** Native failures as ours. The add-on throws errors whose message is JSON: type, reason, details, cause. */
import type { Cancellation } from '../base/cancellation.js';
import { ERROR_STATUS, QuarryError } from '../base/errors.js';
import type { ErrorType } from '../base/errors.js';
import type { JsonObject } from '../base/json-value.js';

/** An error as the add-on writes it: the API's form, with the members that tell the place beside type and reason. */
interface NativeFailure {
  readonly type: string;
  readonly reason: string;
  readonly caused_by?: NativeFailure;
}

function isErrorType(type: string): type is ErrorType {
  return Object.hasOwn(ERROR_STATUS, type);
}

function isNativeFailure(value: unknown): value is NativeFailure {
  return typeof value === 'object' && value !== null && 'type' in value && 'reason' in value;
}

let onTrip: (breaker: string) => void = () => undefined;

/** Is told the name of the breaker whenever a native call of this thread was refused by one. */
export function watchNativeBreakers(listener: (breaker: string) => void): void {
  onTrip = listener;
}

/** `[request] ... would be [123/123b], which is larger than the limit of [100/100b]`; the limit of a column has no words for people. */
const TRIPPED = /^\[(\w+)\] .*? would be \[(\d+)[^\]]*\], which is larger than the limit of \[(\d+)/s;

/** What the API tells beside the reason. */
function breakerDetails(reason: string): JsonObject {
  const [, breaker, wanted, limit] = TRIPPED.exec(reason) ?? [];
  if (breaker === undefined) return {};
  onTrip(breaker);
  const durability = breaker === 'fielddata' ? 'PERMANENT' : 'TRANSIENT';
  return { bytes_wanted: Number(wanted), bytes_limit: Number(limit), durability };
}

/** An unknown type means that the two vocabularies differ: a bug. */
function quarryErrorOf(failure: NativeFailure): QuarryError {
  const { type, reason, caused_by, ...place } = failure;
  const details = type === 'circuit_breaking_exception' ? { ...place, ...breakerDetails(reason) } : place;
  const cause = caused_by === undefined ? undefined : quarryErrorOf(caused_by);
  const known = isErrorType(type);
  return new QuarryError(
    known ? type : 'internal_error',
    known ? reason : `native error of unknown type [${type}]: ${reason}`,
    cause === undefined ? { details } : { details, cause },
  );
}

/** What a native call threw, as a `QuarryError`. */
export function fromNative(thrown: unknown): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (message.startsWith('{')) {
    try {
      const failure: unknown = JSON.parse(message);
      if (isNativeFailure(failure)) return quarryErrorOf(failure);
    } catch {
      // Not ours after all: reported as it is below.
    }
  }
  return new QuarryError('internal_error', message, { cause: thrown });
}

/** Runs a native call; whatever it throws arrives as a `QuarryError`. */
export function guarded<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (thrown) {
    throw fromNative(thrown);
  }
}

/** The same for calls that look at a cancellation: they do not know why it was raised. */
export function guardedUntil<Result>(cancellation: Cancellation, call: (word: Int32Array) => Result): Result {
  try {
    return guarded(() => call(cancellation.word));
  } catch (error) {
    if (error instanceof QuarryError && error.type === 'task_cancelled_exception') cancellation.throwIfCancelled();
    throw error;
  }
}

/** The same for calls that answer with a promise. */
export async function guardedAsync<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (thrown) {
    throw fromNative(thrown);
  }
}
