/** A bulk body cut into items without parsing documents in JavaScript, and the answers put together again. */
import { guarded } from './errors.js';
import { native } from './addon.js';

/** What applies to items that do not say it themselves. */
export interface SplitOptions {
  /** `{index}` of the path. */
  readonly index?: string;
  readonly routing?: string;
  readonly requireAlias?: boolean;
  /** The `_source`, `_source_includes`, `_source_excludes` parameters of update items, in the form of the body. */
  readonly source?: SourceSpec;
  /** `rest.action.multi.allow_explicit_index`; default true. */
  readonly allowExplicitIndex?: boolean;
}

/** `_source` of an update or a get: all, none, one pattern, patterns, or includes and excludes. */
export type SourceSpec =
  | boolean
  | string
  | readonly string[]
  | { readonly includes?: readonly string[]; readonly excludes?: readonly string[] };

/**
 * The items of a body. `descriptors` holds `DESCRIPTOR_WORDS` words for each item (see `descriptor.ts`); `strings` holds
 * their ids and routings, unescaped. Both survive a structured clone.
 */
export interface BulkItems {
  readonly descriptors: Uint32Array;
  readonly strings: Uint8Array;
}

export interface SplitBulk extends BulkItems {
  /** Distinct index names as written, in order of first use; an item names its own by position. */
  readonly indexNames: readonly string[];
  /** Some item must be written through an alias. */
  readonly requiresAlias: boolean;
}

/** Random bytes that `splitBulk` makes automatic ids from; fresh ones for each call. */
export const ID_SEED_BYTES = 11;

/**
 * Cuts a bulk body. Throws what the API answers to the whole request: `illegal_argument_exception` naming the line,
 * `action_request_validation_exception`. Items without an id get one made of `idSeed` and their place.
 */
export function splitBulk(body: Uint8Array, options: SplitOptions, idSeed: Uint8Array): SplitBulk {
  return guarded(() => native().splitBulk(body, JSON.stringify(options), idSeed));
}

/** Whether a bulk body has a word that action lines name pipelines with, there or anywhere else. */
export function mentionsPipelines(body: Uint8Array): boolean {
  return guarded(() => native().mentionsPipelines(body));
}

/** How documents spread over the shards of an index. */
export interface RoutingTarget {
  readonly shards: number;
  /** `index.number_of_routing_shards`. */
  readonly routingShards: number;
  /** `index.routing_partition_size`; default 1. */
  readonly partitionSize?: number;
}

/** Items that go to the same shard, in the order of the request. */
export interface ShardGroup {
  /** Position of their target. */
  readonly target: number;
  readonly shard: number;
  readonly places: Uint32Array;
}

/**
 * The items of each shard. `names[i]` is the position of the target of `indexNames[i]`, `null` where it has none; items of
 * such names are left out, and so are the `excluded` places (ascending).
 */
export function groupItems(
  items: BulkItems,
  names: readonly (number | null)[],
  targets: readonly RoutingTarget[],
  excluded: Uint32Array,
): readonly ShardGroup[] {
  const { descriptors, strings } = items;
  return guarded(() =>
    native().groupItems(descriptors, strings, JSON.stringify(names), JSON.stringify(targets), excluded),
  );
}

/** The shard of one document; without a routing its id decides. */
export function shardOf(target: RoutingTarget, id: string, routing?: string): number {
  const { shards, routingShards, partitionSize = 1 } = target;
  if (shards === 1) return 0;
  return guarded(() => native().shardOf(routing ?? '', id, shards, routingShards, partitionSize));
}

/** Murmur3 (32 bits, signed) over the UTF-16 bytes of a text: what routing is computed from. */
export function murmur3(text: string): number {
  return guarded(() => native().murmur3(text));
}

/** Finished items of one shard (or of the caller, for items that never reached one). */
export interface ItemAnswers {
  /** One JSON object after the other. */
  readonly items: Uint8Array;
  /** Where each ends in `items`. */
  readonly ends: Uint32Array;
  /** The place of each in the request. */
  readonly places: Uint32Array;
}

/** The response's `items` array as JSON, in the order of the request. Every place below `total` must be answered once. */
export function joinItems(parts: readonly ItemAnswers[], total: number): Uint8Array {
  return guarded(() =>
    native().joinItems(
      parts.map((part) => part.items),
      parts.map((part) => part.ends),
      parts.map((part) => part.places),
      total,
    ),
  );
}
