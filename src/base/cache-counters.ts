/**
 * What the caches of JavaScript found, did not find and dropped. Each thread has caches of its own, and a row of a table that all threads share: it alone
 * writes there, so that counting is one addition.
 */

/** By what they keep. Those whose entries are bounded by what a cluster state has are not among them. */
export const CACHES = [
  'searches',
  'search_targets',
  'query_strings',
  'repeated_requests',
  'subjects',
  'role_permissions',
  'visible_states',
  'read_restrictions',
  'source_filters',
  'template_patterns',
  'ingest_field_paths',
  'ingest_user_agents',
] as const;
export type CountedCache = (typeof CACHES)[number];

/** `evictions`: entries that made room for others. What went because it held no more is not among them. */
export const COUNTS = ['hits', 'misses', 'evictions'] as const;
export type Count = (typeof COUNTS)[number];

/** Rows begin at lines of the processor's cache, of 64 bytes. */
export const ROW_LENGTH = Math.ceil((CACHES.length * COUNTS.length) / 8) * 8;

/** A row for each thread. Whole numbers as doubles are exact up to 2^53. */
export function cacheWords(threads: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(threads * ROW_LENGTH * Float64Array.BYTES_PER_ELEMENT));
}

/** Of this thread. */
let row: Float64Array = new Float64Array(ROW_LENGTH);

/** From now on this thread counts in its row of the table, with what it has counted so far. A thread that took another one's place goes on in its row. */
export function shareCacheCounts(words: Float64Array, thread: number): void {
  const shared = words.subarray(thread * ROW_LENGTH, (thread + 1) * ROW_LENGTH);
  if (shared.length < ROW_LENGTH) throw new Error(`there is no row [${thread}]`);
  if (row.buffer === shared.buffer) return;
  for (const [at, count] of row.entries()) shared[at] = (shared[at] ?? 0) + count;
  row = shared;
}

/** The hand of one kind of cache on the row of this thread. */
export class CacheCounter {
  /** Where its counts begin, in the order of {@link COUNTS}. */
  private readonly place: number;

  constructor(name: CountedCache) {
    this.place = placeOf(name);
  }

  hit(): void {
    add(this.place, 1);
  }

  miss(): void {
    add(this.place + 1, 1);
  }

  evicted(entries: number): void {
    add(this.place + 2, entries);
  }
}

/** Of the first count of a cache in a row. */
export function placeOf(name: CountedCache): number {
  return CACHES.indexOf(name) * COUNTS.length;
}

function add(place: number, more: number): void {
  row[place] = (row[place] ?? 0) + more;
}
