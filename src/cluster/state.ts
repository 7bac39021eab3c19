/**
 * The cluster state: what every thread agrees on. Immutable; each change makes a new version.
 *
 * Plain data of objects, arrays and maps, so that it survives a structured clone; `state-codec.ts` writes it as JSON.
 *
 * How a shard comes to life: a reducer puts a copy into the routing table as `INITIALIZING`, with a node and a worker
 * slot. The worker of that slot opens it when it is told the new state, and reports; the coordinator then
 * submits `shards-started` or `shard-failed`. A primary whose `inSyncAllocationIds` are empty never started before: its
 * directory is made anew, whatever is there. Any other primary opens the store that has its allocation id; a replica
 * recovers from the primary. A copy whose allocation id changed is opened again, and so is a primary whose primary term
 * changed or that was a replica before. A worker closes what the newest state no longer assigns to it, and deletes the
 * files of an index whose uuid is gone from `indices`. The shards of a closed index keep their places as `STARTED`, but
 * their worker holds no open files.
 *
 * A copy that moves is there twice: its source is `RELOCATING` and names the target's node, its target is `INITIALIZING`
 * and names the source's. The target of a primary is marked as primary too, but is none before it started.
 */
import type { JsonObject } from '../base/json-value.js';
import type { Mapping } from '../mapping/types.js';
import type { FlatSettings } from './settings/flat-settings.js';
import type { LifecyclePolicy } from './lifecycle/policy.js';
import type { IndexAccess } from './security/index-access.js';
import { INITIAL_SECURITY, type SecurityState } from './security/security-state.js';
import type { RepositoryRecord, RestoreSource, SnapshotOperation } from './snapshots/types.js';
import { INITIAL_SLM, type SlmPolicy, type SlmState } from './slm/types.js';
import type { SmPolicy } from './sm/types.js';
import type { ComponentTemplate, IndexTemplate, LegacyTemplate } from './templates/types.js';

export interface ClusterState extends SecurityState {
  /** Only in what the request of a subject sees who may not reach everything; such a state lacks the indices that he may not. */
  readonly access?: IndexAccess;
  /** Rises by one with each change. */
  readonly version: number;
  /** Rises by one with each change of more than who is there, where copies are and what is being done. */
  readonly metadataVersion: number;
  readonly stateUuid: string;
  readonly clusterName: string;
  readonly clusterUuid: string;
  /** By node id. */
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  /** The elected master: the node whose coordinator changes the state. Empty while there is none. */
  readonly masterNodeId: string;
  /** Term of that master's election; rises with each one. */
  readonly term: number;
  readonly voting: VotingConfiguration;
  /** Nodes that are about to stop, by node id; an entry outlives its node. */
  readonly shutdowns: ReadonlyMap<string, NodeShutdown>;
  /** By name. */
  readonly indices: ReadonlyMap<string, IndexMetadata>;
  /** By index name. */
  readonly routing: ReadonlyMap<string, IndexRouting>;
  readonly clusterSettings: ClusterSettings;
  /** By id. */
  readonly storedScripts: ReadonlyMap<string, StoredScript>;
  /** By name. */
  readonly legacyTemplates: ReadonlyMap<string, LegacyTemplate>;
  readonly indexTemplates: ReadonlyMap<string, IndexTemplate>;
  readonly componentTemplates: ReadonlyMap<string, ComponentTemplate>;
  /** By name. */
  readonly dataStreams: ReadonlyMap<string, DataStream>;
  /** By name. */
  readonly lifecyclePolicies: ReadonlyMap<string, LifecyclePolicy>;
  /** No index goes on in its policy. */
  readonly lifecyclesStopped: boolean;
  /** Snapshot lifecycle management. */
  readonly slm: SlmState;
  /** Its policies, by id. */
  readonly slmPolicies: ReadonlyMap<string, SlmPolicy>;
  /** Policies of OpenSearch's snapshot management, by name. */
  readonly smPolicies: ReadonlyMap<string, SmPolicy>;
  /** Ingest pipelines, by id. */
  readonly pipelines: ReadonlyMap<string, StoredPipeline>;
  /** Indices that were deleted, by uuid, the oldest first: nodes that were away then remove their files by them. */
  readonly tombstones: ReadonlyMap<string, IndexTombstone>;
  /** Of snapshots, by name. */
  readonly repositories: ReadonlyMap<string, RepositoryRecord>;
  /** What is being done in them, by uuid. */
  readonly snapshotOperations: ReadonlyMap<string, SnapshotOperation>;
}

export interface IndexTombstone {
  readonly name: string;
  readonly deletedAtMs: number;
}

/** Whose votes elect a master and commit a state. */
export interface VotingConfiguration {
  /** `raftId` of each voter. */
  readonly voters: readonly string[];
  /** Nodes that shall not vote. */
  readonly exclusions: readonly VotingExclusion[];
}

export interface VotingExclusion {
  /** `_absent_` for a node that was named before it ever joined. */
  readonly nodeId: string;
  readonly nodeName: string;
}

export type ShutdownType = 'restart' | 'remove' | 'replace' | 'sigterm';

export interface NodeShutdown {
  readonly nodeId: string;
  readonly type: ShutdownType;
  readonly reason: string;
  readonly startedAtMs: number;
  /** How long copies of a node that restarts wait for it; see `delayed-allocation.ts` for where it is absent. */
  readonly allocationDelayMs?: number;
  /** Name of the node that takes over everything; of `replace` only. */
  readonly targetNodeName?: string;
  /** How long the node may take to empty itself and end; of `sigterm` only. */
  readonly gracePeriodMs?: number;
  /** The run of the node that shall end; of `sigterm`, where the node was there. */
  readonly ephemeralId?: string;
}

export interface NodeRecord {
  readonly id: string;
  /** Of one run of the node's process: a node that joins with another one has restarted. */
  readonly ephemeralId: string;
  /** The node's number among the members of the Raft group, in decimal. */
  readonly raftId: string;
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
  /** Of its cache for files of repositories; 0, or absent of a node of an earlier release, where it has none. */
  readonly sharedCacheBytes?: number;
}

export interface ClusterSettings {
  /** From the configuration of the node that is the master; those below win over them. */
  readonly configured: FlatSettings;
  readonly persistent: FlatSettings;
  readonly transient: FlatSettings;
}

export interface StoredPipeline {
  /** As it was put. */
  readonly definition: JsonObject;
}

export interface StoredScript {
  readonly lang: string;
  readonly source: string;
  readonly options?: Readonly<Record<string, string>>;
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
  /** When the index handed on the writes of an alias or data stream, by the name of that. */
  readonly rolledOver?: ReadonlyMap<string, number>;
  /** Of an index that entered a phase of its policy. */
  readonly lifecycle?: LifecycleProgress;
  /** Of an index that was restored: where its shards began. */
  readonly restoredFrom?: RestoreSource;
}

/** A name for a row of indices, of which the last one takes writes. */
export interface DataStream {
  readonly name: string;
  /** How many indices it had in all; part of their names. */
  readonly generation: number;
  /** The oldest first. */
  readonly indices: readonly IndexId[];
  readonly hidden: boolean;
  readonly allowCustomRouting: boolean;
  /** The next write makes a new index first. */
  readonly rolloverOnWrite?: boolean;
  readonly lifecycle?: DataStreamLifecycle;
  /** Win over those of the template, in indices that are made from now on. */
  readonly settings?: FlatSettings;
  readonly mappings?: JsonObject;
  /** By alias name; each has a filter at most, and takes writes where it says so. */
  readonly aliases?: ReadonlyMap<string, AliasMetadata>;
}

export interface DataStreamLifecycle {
  readonly enabled: boolean;
  /** How long documents are kept after their index took its last write, as the user wrote it; for ever where absent. */
  readonly retention?: string;
}

export interface LifecycleProgress {
  readonly phase: string;
  readonly enteredAtMs: number;
  /** Actions of the phase that are behind the index. */
  readonly done: readonly string[];
  /** The action that failed when it was last tried; each round tries it again. */
  readonly failure?: { readonly action: string; readonly reason: string };
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
  /** By shard number; the primary is first, the target of a move is last. */
  readonly shards: readonly (readonly ShardCopy[])[];
}

export type ShardState = 'UNASSIGNED' | 'INITIALIZING' | 'STARTED' | 'RELOCATING';

export interface ShardCopy {
  readonly shard: number;
  readonly primary: boolean;
  readonly state: ShardState;
  /** Null while unassigned. */
  readonly nodeId: string | null;
  /** Of a `RELOCATING` copy the node that it moves to; of the `INITIALIZING` target the node that it comes from. */
  readonly relocatingNodeId: string | null;
  /** Which worker of the node owns the shard. Null while unassigned. */
  readonly workerSlot: number | null;
  readonly allocationId: string | null;
  /** Why the copy is not, or not yet, started. Null once started. */
  readonly unassigned: UnassignedInfo | null;
  /** Of a started copy that failed before; counts on if it fails again soon. */
  readonly recovered?: RecoveredInfo;
  /** Moves of this copy in a row that came to nothing because the target failed. */
  readonly failedRelocations?: number;
}

export interface RecoveredInfo {
  readonly failedAllocations: number;
  readonly startedAtMs: number;
}

/** The API's words; see `unassigned_info.reason` in the reference of the allocation explain API. */
export type UnassignedReason =
  | 'ALLOCATION_FAILED'
  | 'CLUSTER_RECOVERED'
  | 'DANGLING_INDEX_IMPORTED'
  | 'EXISTING_INDEX_RESTORED'
  | 'FORCED_EMPTY_PRIMARY'
  | 'INDEX_CLOSED'
  | 'INDEX_CREATED'
  | 'INDEX_REOPENED'
  | 'MANUAL_ALLOCATION'
  | 'NEW_INDEX_RESTORED'
  | 'NODE_LEFT'
  | 'NODE_RESTARTING'
  | 'PRIMARY_FAILED'
  | 'REALLOCATED_REPLICA'
  | 'REINITIALIZED'
  | 'REPLICA_ADDED'
  | 'REROUTE_CANCELLED'
  | 'UNPROMOTABLE_REPLICA';

/** What came of the last try to give the copy a place. */
export type AllocationStatus =
  | 'no_attempt'
  | 'deciders_no'
  | 'deciders_throttled'
  | 'delayed_allocation'
  | 'fetching_shard_data'
  | 'no_valid_shard_copy';

export interface UnassignedInfo {
  readonly reason: UnassignedReason;
  readonly atMs: number;
  readonly failedAllocations: number;
  readonly details?: string;
  readonly lastAllocationStatus: AllocationStatus;
  /** Whether its node, which left, is waited for. */
  readonly delayed: boolean;
  /** Where the copy was last, and as what; null when it never was anywhere. */
  readonly lastNodeId: string | null;
  readonly lastAllocationId: string | null;
  /** Nodes on which it failed since it last started. */
  readonly failedNodeIds: readonly string[];
}

/** A cluster before its first node. */
export function emptyClusterState(clusterName: string, clusterUuid: string): ClusterState {
  return {
    version: 0,
    metadataVersion: 0,
    stateUuid: clusterUuid,
    clusterName,
    clusterUuid,
    nodes: new Map(),
    masterNodeId: '',
    term: 0,
    voting: { voters: [], exclusions: [] },
    shutdowns: new Map(),
    indices: new Map(),
    routing: new Map(),
    clusterSettings: { configured: new Map(), persistent: new Map(), transient: new Map() },
    legacyTemplates: new Map(),
    indexTemplates: new Map(),
    componentTemplates: new Map(),
    dataStreams: new Map(),
    lifecyclePolicies: new Map(),
    lifecyclesStopped: false,
    slm: INITIAL_SLM,
    slmPolicies: new Map(),
    smPolicies: new Map(),
    tombstones: new Map(),
    storedScripts: new Map(),
    pipelines: new Map(),
    repositories: new Map(),
    snapshotOperations: new Map(),
    ...INITIAL_SECURITY,
  };
}
