/** Work on one open shard, named so that it can be asked for from another worker. Input and output are plain data. */
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import type { Random } from '../base/random.js';
import type { CoordinatorClient } from '../coordinator/client.js';
import type { ManagedShard } from '../shard/managed-shard.js';
import type { OpenSearchers } from './searches/open-searchers.js';

/** A shard as its owner holds it. */
export type OpenShard = ManagedShard;

export interface ShardOperationContext {
  readonly coordinator: CoordinatorClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly cancellation: Cancellation;
  /** Of this worker. */
  readonly searchers: OpenSearchers;
}

export interface ShardOperation<Name extends string, Input, Output> {
  readonly name: Name;
  run(shard: OpenShard, input: Input, context: ShardOperationContext): Promise<Output> | Output;
}

/** Input and output must survive a structured clone; large bytes are better shared than copied. */
export function defineShardOperation<const Name extends string, Input, Output>(
  name: Name,
  run: ShardOperation<Name, Input, Output>['run'],
): ShardOperation<Name, Input, Output> {
  return { name, run };
}
