/** Errors as plain data, so that they keep type, details and causes on their way between threads. */
import { ERROR_STATUS, QuarryError, type ErrorDetails, type ErrorType } from './errors.js';

export interface PlainError {
  readonly type: ErrorType;
  readonly reason: string;
  readonly status: number;
  readonly details: ErrorDetails;
  readonly rootCauses: readonly PlainError[];
  readonly causedBy?: PlainError;
  readonly stack?: string;
}

/** Anything thrown, as data; what is not one of ours becomes an `internal_error`. */
export function toPlainError(thrown: unknown): PlainError {
  const error = asQuarryError(thrown);
  return {
    type: error.type,
    reason: error.message,
    status: error.status,
    details: error.details,
    rootCauses: error.rootCauses.map(toPlainError),
    ...(error.cause === undefined ? {} : { causedBy: toPlainError(error.cause) }),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
  };
}

export function fromPlainError(plain: PlainError): QuarryError {
  const error = new QuarryError(plain.type, plain.reason, {
    details: plain.details,
    status: plain.status,
    rootCauses: plain.rootCauses.map(fromPlainError),
    ...(plain.causedBy === undefined ? {} : { cause: fromPlainError(plain.causedBy) }),
  });
  if (plain.stack !== undefined) error.stack = plain.stack;
  return error;
}

export function asQuarryError(thrown: unknown): QuarryError {
  if (thrown instanceof QuarryError) return thrown;
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const error = new QuarryError('internal_error', reason);
  if (thrown instanceof Error && thrown.stack !== undefined) error.stack = thrown.stack;
  return error;
}

export function isErrorType(type: string): type is ErrorType {
  return Object.hasOwn(ERROR_STATUS, type);
}
