/** What a use case may reach: the cluster state, the coordinator, the shards, and time and chance as arguments. */
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { ClusterState } from '../cluster/state.js';
import type { CoordinatorClient } from '../coordinator/client.js';
import type { ShardClient } from './shard-client.js';

/** What a node says about itself. */
export interface NodeIdentity {
  readonly id: string;
  readonly name: string;
  /** Version of this software, and the number that official clients are told. */
  readonly version: string;
  readonly startedAtMs: number;
  /** `host:port` of HTTP, as bound. */
  readonly httpAddress: string;
  readonly dataPath: string;
}

export interface ActionContext {
  /** The newest state that this thread was told; immutable. Read it once per step, not once per request. */
  clusterState(): ClusterState;
  readonly coordinator: CoordinatorClient;
  readonly shards: ShardClient;
  readonly node: NodeIdentity;
  readonly settings: NodeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Set when the client went away. */
  readonly cancellation: Cancellation;
}
