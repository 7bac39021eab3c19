/** Invariants that hold in production too: a broken one is a bug, and says so instead of going on. */
import { QuarryError } from './errors.js';

/** Throws an internal error unless `condition` holds. Give a function where the message costs something. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new QuarryError('internal_error', typeof message === 'string' ? message : message());
}

/** The value, or an internal error naming what is missing. */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new QuarryError('internal_error', `missing ${what}`);
  return value;
}
