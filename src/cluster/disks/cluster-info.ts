/**
 * What the master knows of disks and of what lies on them: gathered from the nodes from time to time, never part of the
 * cluster state. Reducers get it as an argument; whatever it does not say is unknown, not zero.
 */
export interface ClusterInfo {
  /** By node id: the file system of the node's data path. */
  readonly disks: ReadonlyMap<string, DiskInfo>;
  /** By {@link shardKey}: bytes of the largest copy of the shard. */
  readonly shardBytes: ReadonlyMap<string, number>;
  /** By node id, then by {@link shardKey}: bytes of what lies in the node's directory of the shard. */
  readonly copyBytes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /**
   * By {@link shardKey}, then by node id: what a node found in its directory of that shard; null for nothing. A node without
   * an entry has not been asked, or did not answer yet. An answer is of one run of the node (`ephemeralId`) and ends when a
   * copy of the shard is assigned to the node.
   */
  readonly shardStores: ReadonlyMap<string, ReadonlyMap<string, ShardStore | null>>;
  /** By {@link shardKey}: how many processors writes to the primary have kept busy lately; shards that are hardly written to are not in it. */
  readonly writeLoads: ReadonlyMap<string, number>;
}

export interface DiskInfo {
  readonly path: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Files of a copy that nobody has open. */
export interface ShardStore {
  /** Null where an earlier version left the files, which did not keep it. */
  readonly allocationId: string | null;
  /** The copy that left the files to this one; they are as good as before while it is in sync. */
  readonly formerAllocationId?: string;
  readonly totalBytes: number;
  /** Bytes of files that the primary has too, by name and checksum. */
  readonly matchingBytes: number;
  /** Whether the primary still has every operation that this copy lacks. */
  readonly hasAllHistory: boolean;
  /** Why the copy cannot be opened, where that is known. */
  readonly error?: string;
}

/** Nothing is known of any node. */
export const NO_CLUSTER_INFO: ClusterInfo = {
  disks: new Map(),
  shardBytes: new Map(),
  copyBytes: new Map(),
  shardStores: new Map(),
  writeLoads: new Map(),
};

export function shardKey(indexUuid: string, shard: number): string {
  return `${indexUuid}/${shard}`;
}
