/** What a copy of a shard tells of its segments and of what it did. */

export interface SegmentStats {
  /** `_1b` */
  readonly name: string;
  readonly generation: number;
  readonly documents: number;
  readonly deleted: number;
  readonly bytes: number;
  readonly committed: boolean;
  readonly searchable: boolean;
  readonly merging: boolean;
}

/** Times are milliseconds. */
export interface SearchFigures {
  readonly queryTotal: number;
  readonly queryTimeMs: number;
  readonly fetchTotal: number;
  readonly fetchTimeMs: number;
}

/** Counts since the shard was opened, times in milliseconds. */
export interface ShardStats {
  readonly documents: number;
  readonly deleted: number;
  /** Of segments and buffers, nested and deleted ones too: what the limit of a shard counts. */
  readonly heldDocuments: number;
  readonly storeBytes: number;
  /** Of files that lie in a repository. */
  readonly remoteBytes: number;
  readonly segmentCount: number;
  /** What the readers of the segments take outside of their files. */
  readonly readerBytes: number;
  readonly maxSeqNo: number;
  readonly localCheckpoint: number;
  /** As far as this copy was told. */
  readonly globalCheckpoint: number;
  readonly historyUuid: string;
  readonly primaryTerm: number;
  readonly commit: { readonly id: string; readonly generation: number; readonly documents: number };
  readonly buffer: { readonly documents: number; readonly bytes: number; readonly versionMapBytes: number };
  readonly translog: {
    readonly operations: number;
    readonly bytes: number;
    readonly uncommittedOperations: number;
    readonly uncommittedBytes: number;
    readonly earliestLastModifiedAgeMs: number;
    /** The first operation that is still there for copies that catch up. */
    readonly historyStart: number;
    /** Of generations that are kept for them alone. */
    readonly historyBytes: number;
    /** Of the newest operations, in memory. */
    readonly tailBytes: number;
  };
  readonly indexing: {
    readonly indexTotal: number;
    readonly indexTimeMs: number;
    readonly indexFailed: number;
    readonly deleteTotal: number;
    readonly deleteTimeMs: number;
    readonly noopUpdateTotal: number;
  };
  readonly get: {
    readonly total: number;
    readonly timeMs: number;
    readonly existsTotal: number;
    readonly existsTimeMs: number;
    readonly missingTotal: number;
    readonly missingTimeMs: number;
  };
  /** What the field data of text fields takes in memory, by name. */
  readonly fielddataBytes: Readonly<Record<string, number>>;
  /** What completion fields take in the segments that are searched, by name. */
  readonly completionBytes: Readonly<Record<string, number>>;
  readonly search: {
    readonly queryTotal: number;
    readonly queryTimeMs: number;
    readonly fetchTotal: number;
    readonly fetchTimeMs: number;
    /** Phases that failed. */
    readonly queryFailed: number;
    readonly fetchFailed: number;
    readonly suggestTotal: number;
    readonly suggestTimeMs: number;
  };
  /** Searches by the groups that they name in `stats`. */
  readonly searchGroups: Readonly<Record<string, SearchFigures>>;
  readonly requestCache: {
    readonly memoryBytes: number;
    readonly evictions: number;
    readonly hits: number;
    readonly misses: number;
  };
  readonly refresh: { readonly total: number; readonly timeMs: number };
  readonly merges: {
    readonly total: number;
    readonly current: number;
    readonly timeMs: number;
    readonly documents: number;
    readonly bytes: number;
  };
}
