/**
 * The cluster state: what every thread agrees on. Immutable; each change makes a new version.
 *
 * Plain data of objects, arrays and maps, so that it survives a structured clone; `state-codec.ts` writes it as JSON.
 *
 * How a shard comes to life: a reducer puts a copy into the routing table as `INITIALIZING`, with a node and a worker
 * slot. The worker of that slot opens it when it is told the new state, and reports; the coordinator then
 * submits `shards-started` or `shard-failed`. A primary whose `inSyncAllocationIds` are empty never started before: its
 * directory is made anew, whatever is there. A copy whose allocation id or primary term changed is opened again.
 * A worker closes what the newest state no longer assigns to it, and deletes the files of an index whose uuid is gone
 * from `indices`. The shards of a closed index keep their places as `STARTED`, but their worker holds no open files.
 */
import type { JsonObject } from '../base/json-value.js';
import type { Mapping } from '../mapping/types.js';
import type { FlatSettings } from './settings/flat-settings.js';

export interface ClusterState {
  /** Rises by one with each change. */
  readonly version: number;
  readonly stateUuid: string;
  readonly clusterName: string;
  readonly clusterUuid: string;
  /** By node id. */
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  /** The node whose coordinator changes the state. Empty before the first node started. */
  readonly masterNodeId: string;
  /** By name. */
  readonly indices: ReadonlyMap<string, IndexMetadata>;
  /** By index name. */
  readonly routing: ReadonlyMap<string, IndexRouting>;
  readonly clusterSettings: ClusterSettings;
}

export interface NodeRecord {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly ip: string;
  /** `ip:port` of HTTP. */
  readonly httpAddress: string;
  /** `ip:port` that other nodes would use. */
  readonly transportAddress: string;
  readonly version: string;
  readonly roles: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  /** Workers that can own shards: slots 0 to this, exclusive. */
  readonly workerSlots: number;
}

export interface ClusterSettings {
  readonly persistent: FlatSettings;
  readonly transient: FlatSettings;
}

/** Tells an index from a later one of the same name. */
export interface IndexId {
  readonly name: string;
  readonly uuid: string;
}

export type IndexState = 'open' | 'close';

export interface IndexMetadata extends IndexId {
  readonly creationDateMs: number;
  readonly state: IndexState;
  /** Rises with every change of this record. */
  readonly version: number;
  readonly mappingVersion: number;
  readonly settingsVersion: number;
  readonly aliasesVersion: number;
  /** As given, and those that the index got at its creation (`index.uuid`, `index.creation_date`, ...). */
  readonly settings: FlatSettings;
  readonly mapping: Mapping;
  /** By alias name. */
  readonly aliases: ReadonlyMap<string, AliasMetadata>;
  readonly numberOfShards: number;
  readonly numberOfReplicas: number;
  /** Hash space of document routing: a multiple of `numberOfShards`. */
  readonly routingNumShards: number;
  /** One for each shard; rises when a primary is replaced or its node restarts. */
  readonly primaryTerms: readonly number[];
  /** For each shard, the allocation ids of the copies that hold every acknowledged operation. */
  readonly inSyncAllocationIds: readonly (readonly string[])[];
}

export interface AliasMetadata {
  /** A query in the DSL. */
  readonly filter?: JsonObject;
  readonly indexRouting?: string;
  readonly searchRouting?: string;
  readonly isWriteIndex?: boolean;
  readonly isHidden?: boolean;
}

export interface IndexRouting {
  readonly index: IndexId;
  /** By shard number; the primary is first. */
  readonly shards: readonly (readonly ShardCopy[])[];
}

export type ShardState = 'UNASSIGNED' | 'INITIALIZING' | 'STARTED';

export interface ShardCopy {
  readonly shard: number;
  readonly primary: boolean;
  readonly state: ShardState;
  /** Null while unassigned. */
  readonly nodeId: string | null;
  /** Which worker of the node owns the shard. Null while unassigned. */
  readonly workerSlot: number | null;
  readonly allocationId: string | null;
  /** Why the copy is not, or not yet, started. Null once started. */
  readonly unassigned: UnassignedInfo | null;
  /** Of a started copy that failed before; counts on if it fails again soon. */
  readonly recovered?: RecoveredInfo;
}

export interface RecoveredInfo {
  readonly failedAllocations: number;
  readonly startedAtMs: number;
}

export type UnassignedReason =
  'INDEX_CREATED' | 'CLUSTER_RECOVERED' | 'INDEX_REOPENED' | 'REPLICA_ADDED' | 'ALLOCATION_FAILED' | 'NODE_LEFT';

export interface UnassignedInfo {
  readonly reason: UnassignedReason;
  readonly atMs: number;
  readonly failedAllocations: number;
  readonly details?: string;
  readonly lastAllocationStatus: 'no' | 'no_attempt' | 'no_valid_shard_copy' | 'deciders_no' | 'allocation_failed';
}

/** A cluster before its first node. */
export function emptyClusterState(clusterName: string, clusterUuid: string): ClusterState {
  return {
    version: 0,
    stateUuid: clusterUuid,
    clusterName,
    clusterUuid,
    nodes: new Map(),
    masterNodeId: '',
    indices: new Map(),
    routing: new Map(),
    clusterSettings: { persistent: new Map(), transient: new Map() },
  };
}
