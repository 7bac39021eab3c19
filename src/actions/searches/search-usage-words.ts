/** Shared memory in which all threads of a node count what searches consist of, see `search-usage.ts`. */

/** More than there are names; those beyond it would not be counted. */
export const NAMES_MAX = 512;

/** Shared memory for the counts of a node. */
export function searchUsageWords(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(NAMES_MAX * BigInt64Array.BYTES_PER_ELEMENT));
}
