/** What the cluster state holds of repositories, and of what is being done in them. */
import type { ErrorType } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { FlatSettings } from '../settings/flat-settings.js';
import type { IndexId } from '../state.js';

/** A place for snapshots that was registered. */
export interface RepositoryRecord {
  readonly name: string;
  /** New with each registration. */
  readonly uuid: string;
  readonly type: string;
  /** As they were given, without prefix. */
  readonly settings: FlatSettings;
  /**
   * Number of the newest root that this cluster read or wrote; -1 for a repository without any. Undefined until
   * somebody looked.
   */
  readonly generation?: number;
  /**
   * Of what lies there, whichever clusters use it and whatever they call it. Undefined until something was written there
   * and this cluster saw it.
   */
  readonly contentUuid?: string;
}

/**
 * - `pending`: to be copied, or being copied.
 * - `missing`: its primary was nowhere when the snapshot began.
 */
export type ShardSnapshotState = 'pending' | 'success' | 'failed' | 'missing';

export interface ShardSnapshot {
  readonly state: ShardSnapshotState;
  /** Where it was copied from. */
  readonly nodeId?: string;
  /** Of what the repository has of the shard, with this snapshot in it; of `success`. */
  readonly generation?: string;
  readonly files?: number;
  readonly bytes?: number;
  readonly newFiles?: number;
  readonly newBytes?: number;
  readonly segments?: number;
  readonly startedAtMs?: number;
  readonly tookMs?: number;
  /** Of `failed` and `missing`. */
  readonly reason?: string;
}

/** One index of a snapshot that is being made. */
export interface SnapshotIndex {
  readonly index: IndexId;
  /** What the repository calls it: the same for all indices of the name. */
  readonly id: string;
  readonly shards: readonly ShardSnapshot[];
}

interface OperationBase {
  readonly uuid: string;
  /** Operations of one repository are carried out as if one after the other in this order. */
  readonly order: number;
  readonly repository: string;
  readonly startedAtMs: number;
  /** How often whoever carries it out has made sure that it is still to be done. */
  readonly confirmations?: number;
  /** Set when nothing is left to be done: those who wait read it, then the operation goes. */
  readonly outcome?: OperationOutcome;
}

export interface OperationOutcome {
  /** Why it came to nothing. */
  readonly failure?: { readonly type: ErrorType; readonly reason: string };
  /** What was removed. */
  readonly blobs?: number;
  readonly bytes?: number;
}

/** A snapshot that is being made. Its uuid is that of the snapshot. */
export interface CreateOperation extends OperationBase {
  readonly kind: 'create';
  readonly name: string;
  readonly indices: readonly SnapshotIndex[];
  readonly dataStreams: readonly string[];
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly partial: boolean;
  readonly metadata?: JsonObject;
  /** It is to be deleted as soon as its shards have stopped. */
  readonly aborted?: boolean;
}

/** A snapshot that is made of a part of another one. Its uuid is that of the new one. */
export interface CloneOperation extends OperationBase {
  readonly kind: 'clone';
  readonly name: string;
  readonly source: { readonly name: string; readonly uuid: string };
  readonly indices: readonly string[];
}

/** Also the removal of what no snapshot needs, if it names none. */
export interface DeleteOperation extends OperationBase {
  readonly kind: 'delete';
  readonly snapshots: readonly { readonly name: string; readonly uuid: string }[];
  /** Those that were being made, of which files may be on their way into the repository. */
  readonly stopped?: readonly string[];
  /** What the repository calls indices of which files may lie there that no snapshot has. */
  readonly sweep: 'all' | readonly string[];
}

export type SnapshotOperation = CreateOperation | CloneOperation | DeleteOperation;

/** Where the shards of an index come from that was restored. */
export interface RestoreSource {
  readonly restoreUuid: string;
  readonly repository: string;
  readonly repositoryUuid: string;
  readonly snapshot: string;
  readonly snapshotUuid: string;
  /** Name of the index in the snapshot. */
  readonly index: string;
  /** What the repository calls it. */
  readonly indexId: string;
  /** Shards that the snapshot lacks: they begin empty. */
  readonly missingShards: readonly number[];
}
