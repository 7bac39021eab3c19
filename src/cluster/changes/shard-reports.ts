/** What workers report of the shards that they were given. */
import { QuarryError } from '../../base/errors.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface ShardReport {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly allocationId: string;
}

export interface ShardsStartedInput {
  readonly shards: readonly ShardReport[];
}

export interface ShardFailedInput {
  readonly shard: ShardReport;
  /** One sentence for `unassigned_info.details`. */
  readonly reason: string;
}

/** The copies became usable. Reports about copies that are assigned no more are ignored. */
export function shardsStarted(
  state: ClusterState,
  input: ShardsStartedInput,
  environment: ChangeEnvironment,
): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[shardsStarted] is not carried out yet, at version ${state.version}`);
}

/** The copy could not be opened, or failed later. A primary is tried again up to `index.allocation.max_retries` times. */

export function shardFailed(
  state: ClusterState,
  input: ShardFailedInput,
  environment: ChangeEnvironment,
): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[shardFailed] is not carried out yet, at version ${state.version}`);
}
