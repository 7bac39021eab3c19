/** What a shard is opened with. */

/** The settings of an index that a shard itself acts on; may change while it is open. */
export interface ShardSettings {
  /** `index.translog.durability` */
  readonly durability: 'request' | 'async';
  /** `index.translog.flush_threshold_size` */
  readonly flushThresholdBytes: number;
  /** `index.translog.generation_threshold_size` */
  readonly generationThresholdBytes: number;
  /** `index.gc_deletes` */
  readonly gcDeletesMs: number;
  /** `index.codec` */
  readonly codec: 'default' | 'best_compression';
  /** `index.number_of_replicas`: what `_shards.total` counts beside the primary. */
  readonly replicas: number;
  /** Documents whose indexing takes so long are told of; absent: none is. */
  readonly slowIndexMs?: number;
  /** `index.sort.*`: what the documents of segments are sorted by, which never changes. */
  readonly sort?: readonly SortField[];
}

/** One field that documents are sorted by. */
export interface SortField {
  readonly field: string;
  readonly descending: boolean;
  /** Of several values the greatest decides, else the least. */
  readonly byGreatest: boolean;
  /** Documents without a value come first, whatever the direction. */
  readonly missingFirst: boolean;
}

export interface ShardOptions {
  /** Holds this shard and nothing else. */
  readonly directory: string;
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  /** Id of the node that opens it: explained hits tell it. */
  readonly node: string;
  readonly primaryTerm: number;
  readonly settings: ShardSettings;
  /** Memory for documents before they become a segment. */
  readonly bufferBytes?: number;
}

/** What a shard is made of that takes its documents from others. */
export interface ShardParts {
  /** What each of them lent; used up. */
  readonly directories: readonly string[];
  /** Where they have documents of other shards as well: how the new index spreads them. */
  readonly split?: { readonly shards: number; readonly routingShards: number; readonly partitionSize: number };
}
