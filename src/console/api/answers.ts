/** The answers of the API as far as the console looks at them, and where they are read. */
import type { Resource } from './resource.js';

export type Health = 'green' | 'yellow' | 'red';

export interface NodeInfo {
  readonly name: string;
  readonly cluster_name: string;
  readonly version: { readonly number: string; readonly distribution?: string };
  readonly software?: { readonly name: string; readonly version: string };
}

export interface ClusterHealth {
  readonly cluster_name: string;
  readonly status: Health;
  readonly number_of_nodes: number;
  readonly number_of_data_nodes: number;
  readonly active_primary_shards: number;
  readonly active_shards: number;
  readonly relocating_shards: number;
  readonly initializing_shards: number;
  readonly unassigned_shards: number;
  readonly delayed_unassigned_shards: number;
  readonly number_of_pending_tasks: number;
  readonly active_shards_percent_as_number: number;
}

export interface HealthImpact {
  readonly severity: number;
  readonly description: string;
}

export interface HealthDiagnosis {
  readonly cause?: string;
  readonly action?: string;
}

export interface HealthIndicator {
  readonly status: Health | 'unknown';
  readonly symptom: string;
  readonly impacts?: readonly HealthImpact[];
  readonly diagnosis?: readonly HealthDiagnosis[];
}

export interface HealthReport {
  readonly status: Health | 'unknown';
  readonly indicators: Readonly<Record<string, HealthIndicator>>;
}

export interface ClusterStats {
  readonly indices: {
    readonly count: number;
    readonly docs?: { readonly count: number; readonly deleted: number };
    readonly store?: { readonly size_in_bytes: number };
    readonly segments?: { readonly count: number };
  };
}

export type CopyState = 'STARTED' | 'INITIALIZING' | 'RELOCATING' | 'UNASSIGNED';

export interface UnassignedInfo {
  readonly reason: string;
  readonly at: string;
  readonly details?: string;
}

export interface ShardCopy {
  readonly state: CopyState;
  readonly primary: boolean;
  readonly node: string | null;
  readonly relocating_node: string | null;
  readonly shard: number;
  readonly index: string;
  readonly unassigned_info?: UnassignedInfo;
}

export interface StateNode {
  readonly name: string;
  readonly transport_address: string;
  readonly roles?: readonly string[];
}

export interface RoutingState {
  readonly master_node: string | null;
  readonly nodes?: Readonly<Record<string, StateNode>>;
  readonly routing_table?: {
    readonly indices?: Readonly<Record<string, { readonly shards: Readonly<Record<string, readonly ShardCopy[]>> }>>;
  };
}

export interface ActiveRecovery {
  readonly index: string;
  readonly shard: string;
  readonly time: string;
  readonly type: string;
  readonly stage: string;
  readonly source_node: string;
  readonly target_node: string;
  readonly bytes_percent: string;
  readonly bytes_recovered: string;
  readonly bytes_total: string;
}

export interface CatNode {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
  readonly master: string;
  readonly 'node.role': string;
  readonly cpu: string | null;
  readonly 'heap.percent': string | null;
  readonly 'heap.current': string | null;
  readonly 'disk.used_percent': string | null;
  readonly 'disk.avail': string | null;
  readonly load_1m: string | null;
  readonly uptime: string | null;
}

export interface CatIndex {
  readonly health: Health | null;
  readonly status: 'open' | 'close';
  readonly index: string;
  readonly uuid: string;
  readonly pri: string;
  readonly rep: string;
  readonly 'docs.count': string | null;
  readonly 'docs.deleted': string | null;
  readonly 'store.size': string | null;
  readonly 'pri.store.size': string | null;
  readonly 'segments.count': string | null;
  readonly 'merges.current': string | null;
}

export interface IndexDescription {
  readonly aliases: Readonly<Record<string, unknown>>;
  readonly mappings: unknown;
  readonly settings: { readonly index: Readonly<Record<string, unknown>> };
}

export interface Segment {
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly size_in_bytes: number;
  readonly committed: boolean;
  readonly search: boolean;
  readonly merge_id?: string;
}

export interface ShardSegments {
  readonly routing: { readonly state: string; readonly primary: boolean; readonly node: string };
  readonly segments: Readonly<Record<string, Segment>>;
}

export interface IndexSegments {
  readonly indices: Readonly<Record<string, { readonly shards: Readonly<Record<string, readonly ShardSegments[]>> }>>;
}

/** Groups of numbers, some of which are objects themselves. */
export type Statistics = Readonly<Record<string, unknown>>;

export interface IndexStatistics {
  readonly _all: {
    readonly primaries: Readonly<Record<string, Statistics>>;
    readonly total: Readonly<Record<string, Statistics>>;
  };
}

export interface Task {
  readonly node: string;
  readonly id: number;
  readonly action: string;
  readonly description?: string;
  readonly running_time_in_nanos: number;
  readonly start_time_in_millis: number;
  readonly cancellable: boolean;
  readonly cancelled?: boolean;
  readonly parent_task_id?: string;
}

export interface TaskList {
  readonly nodes?: Readonly<Record<string, { readonly name: string; readonly tasks: Readonly<Record<string, Task>> }>>;
}

export interface PendingTasks {
  readonly tasks: readonly {
    readonly insert_order: number;
    readonly priority: string;
    readonly source: string;
    readonly time_in_queue_millis: number;
  }[];
}

export const NODE_INFO: Resource<NodeInfo> = { path: '/' };
export const CLUSTER_HEALTH: Resource<ClusterHealth> = { path: '_cluster/health' };
export const HEALTH_REPORT: Resource<HealthReport> = { path: '_health_report' };
export const CLUSTER_STATS: Resource<ClusterStats> = {
  path: '_cluster/stats?filter_path=indices.count,indices.docs,indices.store,indices.segments.count',
};
export const ROUTING_STATE: Resource<RoutingState> = { path: '_cluster/state/master_node,nodes,routing_table' };
export const ACTIVE_RECOVERIES: Resource<readonly ActiveRecovery[]> = {
  path: '_cat/recovery?active_only=true&format=json&bytes=b&h=index,shard,time,type,stage,source_node,target_node,bytes_percent,bytes_recovered,bytes_total',
};
export const CAT_NODES: Resource<readonly CatNode[]> = {
  path: '_cat/nodes?format=json&full_id=true&h=id,name,ip,master,node.role,cpu,heap.percent,heap.current,disk.used_percent,disk.avail,load_1m,uptime',
};
export const CAT_INDICES: Resource<readonly CatIndex[]> = {
  path: '_cat/indices?format=json&bytes=b&expand_wildcards=all&h=health,status,index,uuid,pri,rep,docs.count,docs.deleted,store.size,pri.store.size,segments.count,merges.current',
};
export const TASKS: Resource<TaskList> = { path: '_tasks?detailed=true' };
export const PENDING_TASKS: Resource<PendingTasks> = { path: '_cluster/pending_tasks' };

export function indexDescription(name: string): Resource<Readonly<Record<string, IndexDescription>>> {
  return { path: encodeURIComponent(name) };
}

export function indexSegments(name: string): Resource<IndexSegments> {
  return { path: `${encodeURIComponent(name)}/_segments` };
}

export function indexStatistics(name: string): Resource<IndexStatistics> {
  return { path: `${encodeURIComponent(name)}/_stats` };
}
