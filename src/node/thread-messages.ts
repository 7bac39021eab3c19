/** What the threads of a node say to each other. Everything is plain data or shared memory. */
import type { ShardKey } from '../actions/shard-client.js';
import type { ShardOperationName } from '../actions/shard-operations.js';
import type { LogFields, LoggerName, LogLevel } from '../base/logger.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { NewTask, TaskQuestion, TaskReport } from '../base/tasks/task.js';
import type { ThreadWords } from '../base/thread-words.js';
import type { NodeIdentity } from '../actions/context.js';
import type { PendingTasksOptions } from '../coordinator/client.js';
import type { AuditEntry } from '../cluster/security/audit/audit-entry.js';
import type { Subject } from '../cluster/security/subject.js';
import type { CommandName } from '../coordinator/commands.js';
import type { NodeRecord } from '../cluster/state.js';
import type { PackedRequest } from '../rest/wire.js';
import type { TransportSecurity } from '../transport/security.js';
import type { Wire, WireTask } from '../workers/wires.js';

/** Start data of a worker. */
export interface WorkerStart {
  readonly settings: NodeSettings;
  /** See `NodeKeystore.version`. */
  readonly secureSettingsVersion: Int32Array;
  /** What this node proves to others. */
  readonly security: TransportSecurity;
  readonly indicesPath: string;
  /** For the indexing buffers of all shards together. */
  readonly indexingBudgetBytes: number;
  /** What the workers' indexing buffers hold; see `shard/indexing-memory.ts`. */
  readonly indexingWords: Int32Array;
  /** How many scrolls and points in time each worker holds; see `actions/searches/contexts/context-counters.ts`. */
  readonly contextWords: Int32Array;
  /** See `searchUsageWords`. */
  readonly searchUsageWords: BigInt64Array;
  /** See `shard/replication/node-paces.ts`. */
  readonly paceWords: BigInt64Array;
  /** What all threads ask of other nodes; see `transport/client-traffic.ts`. */
  readonly trafficWords: BigInt64Array;
  readonly threadWords: ThreadWords;
  /** See `base/breakers.ts`. */
  readonly breakerWords: BigInt64Array;
  /** See `base/indexing-pressure.ts`. */
  readonly pressureWords: Float64Array;
  /** See `WorkerSlots`. */
  readonly slotWords: Int32Array;
}

/** Tasks of a worker; see `WorkerPool.run`. */
export type WorkerTask =
  /** Answered when a worker that had no lines before knows the cluster state. */
  | WireTask<NodeIdentity>
  /** Gives the routes of all endpoints. */
  | { readonly kind: 'describe' }
  /** Flushes and closes all shards. */
  | { readonly kind: 'drain' };

/** Start data of the coordinator thread. */
export interface CoordinatorStart {
  readonly settings: NodeSettings;
  readonly security: TransportSecurity;
  /** Directory of what the cluster agreed on. */
  readonly statePath: string;
  /** File of a version that knew one node only. */
  readonly formerStatePath: string;
  readonly indicesPath: string;
  /** See `node/freshness.ts`. */
  readonly freshness: Int32Array;
  /** Merges at once, of all shards together. */
  readonly mergesMax: number;
  readonly trafficWords: BigInt64Array;
  readonly threadWords: ThreadWords;
}

/** From the front to the coordinator thread. */
export type CoordinatorOrder =
  | { readonly kind: 'wire'; readonly wire: Wire }
  /** The worker of the slot crashed. Comes before the line of its successor. */
  | { readonly kind: 'worker-lost'; readonly slot: number };

/** To a worker or the front, from the coordinator. */
export interface PublishMessage {
  readonly kind: 'publish';
  /** See {@link packPublication}. */
  readonly publication: Uint8Array;
}

/** To the coordinator, from any thread. */
export interface SubmitMessage {
  readonly kind: 'submit';
  readonly name: CommandName;
  readonly input: unknown;
  readonly timeoutMs?: number;
}

/** To the coordinator, from a worker: which commands wait. */
export interface PendingTasksMessage extends PendingTasksOptions {
  readonly kind: 'pending-tasks';
}

/** To the coordinator, from a worker: how long changes of the state took. */
export interface UpdateFiguresMessage {
  readonly kind: 'update-figures';
}

/** To the coordinator, from a worker: carry out a merge. Answered with its outcome. */
export interface MergeMessage {
  readonly kind: 'merge';
  readonly id: string;
  readonly job: Uint8Array;
}

/** To the coordinator, from the worker that asked for the merge. */
export interface CancelMergeMessage {
  readonly kind: 'cancel-merge';
  readonly id: string;
}

/** To the coordinator, from the front: the node listens. Answered when it belongs to a cluster. */
export interface JoinMessage {
  readonly kind: 'join';
  readonly node: Omit<NodeRecord, 'raftId'>;
}

/** To the coordinator, from the front: the node ends, and the others are to know. */
export interface LeaveMessage {
  readonly kind: 'leave';
}

/** To the coordinator or a worker, from the front: a message of another node. Answered with bytes. */
export interface RemoteMessage {
  readonly kind: 'remote';
  readonly action: string;
  /** What the other node says that the message asks of a shard; may be empty. */
  readonly operation: string;
  readonly bytes: Uint8Array;
  readonly cancellation: Int32Array;
  /** Number of its task; 0: it has none. */
  readonly task: number;
  /** Id of the node that asks. */
  readonly sender: string;
}

export type CoordinatorMessage =
  | SubmitMessage
  | PendingTasksMessage
  | UpdateFiguresMessage
  | MergeMessage
  | CancelMergeMessage
  | JoinMessage
  | LeaveMessage
  | RemoteMessage;

/** To a worker, from the front: a request of a client. Always answered, with a `WireAnswer`. */
export interface RequestMessage {
  readonly kind: 'request';
  readonly request: PackedRequest;
}

/** To a worker, from another: the indexing buffers of the node hold too much, and the largest is yours. */
export interface MakeRoomMessage {
  readonly kind: 'make-room';
}

/** To a worker, from another: what its pipelines have done. */
export interface IngestFiguresMessage {
  readonly kind: 'ingest-figures';
}

/** To a worker, from another: an operation on a shard of its own. */
export interface ShardMessage {
  readonly kind: 'shard';
  readonly key: ShardKey;
  readonly name: ShardOperationName;
  readonly input: unknown;
  readonly cancellation: Int32Array;
}

/** To a worker, from another of its node: something that it alone knows, see `actions/nodes/node-actions.ts`. */
export interface NodeMessage {
  readonly kind: 'node';
  readonly name: string;
  readonly input: unknown;
  readonly cancellation: Int32Array;
  /** Text of the subject; empty: the node itself asks. */
  readonly subject: string;
}

/** To a worker, from another: how a copy of its own recovers. */
export interface RecoveryMessage {
  readonly kind: 'recovery';
  readonly key: ShardKey;
}

/** What a worker is sent by a worker of another node as bytes of a `RemoteMessage`, by action. */
export interface RemoteRequests {
  readonly shard: RemoteShardRequest;
  readonly 'last-commit': ShardKey;
  readonly recovery: ShardKey;
  /** What the node is asked about itself; see `actions/nodes/`. */
  readonly node: { readonly name: string; readonly input: unknown; readonly subject?: string };
}

export interface RemoteShardRequest {
  readonly key: ShardKey;
  readonly name: ShardOperationName;
  readonly input: unknown;
  /** The state by which the sender chose this copy: it is not looked for before this node knows that state. */
  readonly stateVersion: number;
}

/** The answer to a {@link RemoteShardRequest}. */
export interface RemoteShardAnswer {
  readonly output: unknown;
  readonly serviceMs: number;
  /** Operations that the worker had under way besides. */
  readonly queue: number;
}

/** To the front: of tasks. */
export type TaskMessage =
  /** Work begins that no request stands for. Answered with its number. */
  | { readonly kind: 'announce-task'; readonly task: NewTask; readonly words: Int32Array }
  | { readonly kind: 'report-task'; readonly number: number; readonly report: TaskReport }
  | { readonly kind: 'finish-task'; readonly number: number }
  | { readonly kind: 'ask-tasks'; readonly question: TaskQuestion };

/** To the front, where security is on: of users and passwords. */
export type SecurityQuestion =
  /** Answered with the hash. */
  | { readonly kind: 'hash-password'; readonly password: string }
  /** Answered with whether the hash is that of the password; undefined: it takes as long, and is not. */
  | { readonly kind: 'verify-password'; readonly password: string; readonly hash: string | undefined }
  /** Answered with the subject. */
  | { readonly kind: 'authenticate'; readonly username: string; readonly password: string; readonly uri: string }
  /** As the one before. */
  | { readonly kind: 'authenticate-header'; readonly authorization: string; readonly uri: string }
  /** Answered with whether the one is still there for whom a token stands. */
  | { readonly kind: 'is-there'; readonly subject: Subject }
  | {
      readonly kind: 'clear-authentications';
      readonly realms: readonly string[];
      readonly usernames: readonly string[];
    };

/** To the front. */
export type FrontMessage =
  | TaskMessage
  | { readonly kind: 'security'; readonly question: SecurityQuestion }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: LogFields | undefined;
      readonly logger: LoggerName | undefined;
    }
  | { readonly kind: 'audit'; readonly entry: AuditEntry }
  /** Answered with `FrontFigures`. */
  | { readonly kind: 'figures' }
  /** Answered with the values by name; see `NodeKeystore`. */
  | { readonly kind: 'secure-settings' }
  | { readonly kind: 'reload-secure-settings'; readonly password: string };
