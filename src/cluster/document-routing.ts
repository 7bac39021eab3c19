/** How documents spread over the shards of an index. */

/** An index that says nothing may be split by factors of two up to this many shards. */
const SPLIT_SHARDS_LOG2 = 10;

/**
 * The default of `index.number_of_routing_shards`: the number of shards times the power of two that reaches at most 1024,
 * at least times two.
 */
export function defaultRoutingShards(numberOfShards: number): number {
  const shardsLog2 = Math.ceil(Math.log2(numberOfShards));
  const splits = Math.max(1, SPLIT_SHARDS_LOG2 - shardsLog2);
  return numberOfShards * 2 ** splits;
}
