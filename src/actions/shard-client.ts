/** How a use case reaches a copy of a shard, whichever worker of whichever node owns it. */
import type { StoredCommit } from '../segment/commit-file.js';
import type { RecoveryReport } from '../shard/recovery-progress.js';
import type { CopyRanks } from './copy-ranks.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from './shard-operations.js';

/** Names one shard. The uuid tells an index from a later one of the same name. */
export interface ShardKey {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
}

/** For tables of shards. */
export function shardName({ indexUuid, shard }: Pick<ShardKey, 'indexUuid' | 'shard'>): string {
  return `${indexUuid}/${shard}`;
}

/** Where a copy of a shard is. */
export interface CopyPlace {
  readonly nodeId: string;
  readonly workerSlot: number;
}

export interface ShardClient {
  /**
   * Runs the operation on the copy at that place and gives its output. Fails with `shard_not_found_exception` or
   * `no_shard_available_action_exception` when its worker cannot serve it, and as connections fail (see
   * `isConnectionFailure`) when the node cannot be reached or is lost meanwhile.
   */
  onCopy<Name extends ShardOperationName>(
    key: ShardKey,
    place: CopyPlace,
    name: Name,
    input: ShardOperationInput<Name>,
  ): Promise<ShardOperationOutput<Name>>;

  /**
   * As {@link onCopy}, of an operation that reads: whoever on that node has a view of the copy may carry it out. The place is that of what the
   * answer names, if it names a view that is held.
   */
  read<Name extends ShardOperationName>(
    key: ShardKey,
    place: CopyPlace,
    name: Name,
    input: ShardOperationInput<Name>,
  ): Promise<{ readonly place: CopyPlace; readonly output: ShardOperationOutput<Name> }>;

  /** The newest commit point of a copy that nobody holds open: one of a closed index. */
  lastCommit(key: ShardKey, place: CopyPlace): Promise<StoredCommit>;

  /** How the copy at that place recovered, or does; undefined when there is none. Does not wait for it. */
  recovery(key: ShardKey, place: CopyPlace): Promise<RecoveryReport | undefined>;

  /** What this thread knows of the nodes that it asks. */
  readonly ranks: CopyRanks;
}
