/** Shards that a thread copies into repositories at once; others wait. */
export const SHARDS_AT_ONCE = 2;
