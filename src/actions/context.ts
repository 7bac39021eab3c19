/** What a use case may reach: the cluster state, the coordinator, the shards, and time and chance as arguments. */
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import type { IndexingPressure } from '../base/indexing-pressure.js';
import type { Logger } from '../base/logger.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { Random } from '../base/random.js';
import type { TurnOfLoop } from '../base/turn-of-loop.js';
import type { Turns } from '../base/turns.js';
import type { Subject } from '../cluster/security/subject.js';
import type { ClusterState } from '../cluster/state.js';
import type { CoordinatorClient } from '../coordinator/client.js';
import type { IngestService } from '../ingest/ingest-service.js';
import type { IngestFigures } from '../ingest/statistics.js';
import type { FrontFigures } from './front-figures.js';
import type { NodeClient } from './nodes/node-actions.js';
import type { SecurityClient } from './security/security-client.js';
import type { AsyncSearches } from './searches/async/async-searches.js';
import type { PreparedSearches } from './searches/prepared-searches.js';
import type { Authority } from './security/authority.js';
import type { ShardClient } from './shard-client.js';
import type { RepositoryAccess } from './snapshots/repository-access.js';
import type { TaskClient } from './tasks/task-client.js';

/** What a node says about itself. */
export interface NodeIdentity {
  readonly id: string;
  readonly name: string;
  /** Of this software; `rest/version.ts` says what official clients are told. */
  readonly version: string;
  /** New with each start of the process. */
  readonly ephemeralId: string;
  readonly startedAtMs: number;
  /** `host:port` of HTTP, as bound. */
  readonly httpAddress: string;
  /** `host:port` that other nodes use. */
  readonly transportAddress: string;
  readonly dataPath: string;
  /** What the buffers of all shards may hold together. */
  readonly indexingBufferBytes: number;
}

/** What one bounded queue of requests did so far. */
export interface PoolFigures {
  readonly size: number;
  readonly queueSize: number;
  readonly active: number;
  readonly queue: number;
  readonly rejected: number;
  readonly completed: number;
  /** The most that ran at once. */
  readonly largest: number;
  /** How long requests have waited, all together. */
  readonly waitMs: number;
}

export interface ActionContext {
  /** The newest state that this thread was told; immutable. Read it once per step, not once per request. */
  readonly clusterState: () => ClusterState;
  /** The first state for which `holds` is true, from now on; undefined when the time is over, or the wait is cancelled. */
  whenState(
    holds: (state: ClusterState) => boolean,
    timeoutMs: number,
    cancellation?: Cancellation,
  ): Promise<ClusterState | undefined>;
  /** What the front thread counts. */
  frontFigures(): Promise<FrontFigures>;
  /** Has this node read its keystore again. Rejects where that changed nothing, with why. */
  reloadSecureSettings(password: string): Promise<void>;
  /** The pipelines of this thread. */
  readonly ingest: IngestService;
  /** What pipelines have done in each worker of this node. */
  ingestFigures(): Promise<readonly IngestFigures[]>;
  readonly coordinator: CoordinatorClient;
  readonly shards: ShardClient;
  readonly nodes: NodeClient;
  readonly tasks: TaskClient;
  /** Of this worker. */
  readonly asyncSearches: AsyncSearches;
  readonly preparedSearches: PreparedSearches;
  /** See `searches/search-usage.ts`. */
  readonly searchUsageWords: BigInt64Array;
  /** Of this worker. */
  readonly repositories: RepositoryAccess;
  /** Of the subject whose request this is; undefined: the node works for itself, or security is off. */
  readonly authority: Authority | undefined;
  readonly workerSlot: number;
  /** What documents hold while they are written; the hand of this thread. */
  readonly pressure: IndexingPressure;
  /** Of this worker's work in the background. */
  readonly turns: Turns;
  /** Of this worker, for requests that are rows of steps. */
  readonly loop: TurnOfLoop;
  readonly node: NodeIdentity;
  readonly settings: NodeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Set when the client went away, or somebody cancelled the task. */
  readonly cancellation: Cancellation;
  /** For whom it works. Undefined: for the node itself, or security is off. */
  readonly subject: Subject | undefined;
  readonly security: SecurityClient;
}
