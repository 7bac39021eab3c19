/** Native failures as ours. The add-on throws errors whose message is JSON: type, reason, details, cause. */
import { ERROR_STATUS, QuarryError } from '../base/errors.js';
import type { ErrorDetails, ErrorType } from '../base/errors.js';

interface NativeFailure {
  readonly type: string;
  readonly reason: string;
  readonly details?: ErrorDetails;
  readonly caused_by?: NativeFailure;
}

function isErrorType(type: string): type is ErrorType {
  return Object.hasOwn(ERROR_STATUS, type);
}

function isNativeFailure(value: unknown): value is NativeFailure {
  return typeof value === 'object' && value !== null && 'type' in value && 'reason' in value;
}

/** An item's or a thrown error's JSON as one of ours; an unknown type means that the two vocabularies differ: a bug. */
export function quarryErrorOf(failure: NativeFailure): QuarryError {
  const details = failure.details ?? {};
  const cause = failure.caused_by === undefined ? undefined : quarryErrorOf(failure.caused_by);
  const known = isErrorType(failure.type);
  return new QuarryError(
    known ? failure.type : 'internal_error',
    known ? failure.reason : `native error of unknown type [${failure.type}]: ${failure.reason}`,
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

/** The same for calls that answer with a promise. */
export async function guardedAsync<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (thrown) {
    throw fromNative(thrown);
  }
}
