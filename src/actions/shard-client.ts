/** How a use case reaches a shard, whichever worker owns it. */
import type { CommitDescription } from '../segment/commit-file.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from './shard-operations.js';

/** Names one primary shard. The uuid tells an index from a later one of the same name. */
export interface ShardKey {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
}

export interface ShardClient {
  /**
   * Runs the operation on the worker that owns the shard and gives its output. Fails with `shard_not_found_exception`
   * or `no_shard_available_action_exception` when that worker cannot serve it.
   */
  onShard<Name extends ShardOperationName>(
    key: ShardKey,
    name: Name,
    input: ShardOperationInput<Name>,
  ): Promise<ShardOperationOutput<Name>>;

  /** The newest commit point of a shard that nobody holds open: that of a closed index. */
  lastCommit(key: ShardKey): Promise<CommitDescription>;
}
