/** Bounds what the cluster state keeps of users, roles, keys and tokens. */
import { illegalArgument } from '../../base/errors.js';
import { RECORD_LENGTH_MAX, RECORDS_LENGTH_MAX } from './limits.js';

/** Of records that were measured before: they never change, and all of a kind are added up whenever one comes. */
const lengths = new WeakMap<object, number>();

function lengthOf(record: object): number {
  const known = lengths.get(record);
  if (known !== undefined) return known;
  const length = JSON.stringify(record).length;
  lengths.set(record, length);
  return length;
}

/**
 * Refuses `added` where there would be more than `limit` entries with them, where one is too large, and where all would be. `what` names the kind in
 * the plural.
 */
export function checkRoom(
  entries: ReadonlyMap<string, object>,
  added: ReadonlyMap<string, object>,
  what: string,
  limit: number,
): void {
  const more = [...added.keys()].filter((key) => !entries.has(key)).length;
  if (more > 0 && entries.size + more > limit) {
    throw illegalArgument(
      entries.size >= limit
        ? `there are [${limit}] ${what} already, which is the limit`
        : `there are [${entries.size}] ${what} already, with [${more}] more they were more than [${limit}], the limit`,
    );
  }
  for (const [key, record] of added) {
    const length = lengthOf(record);
    if (length > RECORD_LENGTH_MAX) {
      throw illegalArgument(
        `[${key}] of [${length}] characters is larger than [${RECORD_LENGTH_MAX}], the limit of ${what}`,
      );
    }
  }
  const total = lengthWith(entries, added);
  // What makes a kind smaller is taken, even where it is too large already.
  if (total > RECORDS_LENGTH_MAX && total > lengthWith(entries, NOTHING)) {
    throw illegalArgument(
      `[${total}] characters of ${what} would be kept, more than [${RECORDS_LENGTH_MAX}], the limit of all together`,
    );
  }
}

/** Whether there is room for `added`, by number and by length. */
export function hasRoom(
  entries: ReadonlyMap<string, object>,
  added: ReadonlyMap<string, object>,
  limit: number,
): boolean {
  const more = [...added.keys()].filter((key) => !entries.has(key)).length;
  return entries.size + more <= limit && lengthWith(entries, added) <= RECORDS_LENGTH_MAX;
}

const NOTHING: ReadonlyMap<string, object> = new Map();

/** Characters of all, with those that are added. */
function lengthWith(entries: ReadonlyMap<string, object>, added: ReadonlyMap<string, object>): number {
  let total = 0;
  for (const record of added.values()) total += lengthOf(record);
  for (const [key, record] of entries) if (!added.has(key)) total += lengthOf(record);
  return total;
}
