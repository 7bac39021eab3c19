/** Bounds what the cluster state keeps of users, roles, keys and tokens. */
import { illegalArgument } from '../../base/errors.js';
import { RECORD_LENGTH_MAX } from './limits.js';

/** Refuses one more where there are `limit` already, and one that is too large. `what` names the kind in the plural. */
export function checkRoom(
  entries: ReadonlyMap<string, unknown>,
  key: string,
  record: unknown,
  what: string,
  limit: number,
): void {
  if (!entries.has(key) && entries.size >= limit) {
    throw illegalArgument(`there are [${limit}] ${what} already, which is the limit`);
  }
  const length = JSON.stringify(record).length;
  if (length > RECORD_LENGTH_MAX) {
    throw illegalArgument(
      `[${key}] of [${length}] characters is larger than [${RECORD_LENGTH_MAX}], the limit of ${what}`,
    );
  }
}
