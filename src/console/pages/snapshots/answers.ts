/** The answers about snapshots as far as the page looks at them. */
import type { Resource } from '../../api/resource.js';

export interface Repository {
  readonly type: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface SnapshotFailure {
  readonly index?: string;
  readonly shard_id?: number;
  readonly reason?: string;
}

export interface Snapshot {
  readonly snapshot: string;
  readonly uuid: string;
  readonly repository?: string;
  readonly indices: readonly string[];
  readonly state: string;
  readonly start_time_in_millis?: number;
  readonly duration_in_millis?: number;
  readonly failures?: readonly SnapshotFailure[];
  readonly shards?: { readonly total: number; readonly failed: number; readonly successful: number };
}

export interface SnapshotList {
  readonly snapshots: readonly Snapshot[];
  readonly total: number;
}

export interface RunningSnapshot {
  readonly snapshot: string;
  readonly repository: string;
  readonly state: string;
  readonly shards_stats: { readonly total: number; readonly done: number; readonly failed: number };
  readonly stats?: { readonly time_in_millis?: number };
}

export interface Policy {
  readonly policy: { readonly schedule?: string; readonly name?: string; readonly repository?: string };
  readonly next_execution_millis?: number;
  readonly last_success?: { readonly snapshot_name: string; readonly time: number };
  readonly last_failure?: { readonly snapshot_name: string; readonly time: number; readonly details?: string };
  readonly in_progress?: { readonly name: string };
}

export const REPOSITORIES: Resource<Readonly<Record<string, Repository>>> = { path: '_snapshot' };
export const RUNNING_SNAPSHOTS: Resource<{ readonly snapshots: readonly RunningSnapshot[] }> = {
  path: '_snapshot/_status',
};
export const POLICIES: Resource<Readonly<Record<string, Policy>>> = { path: '_slm/policy' };

/** The newest of a repository. */
export const SNAPSHOTS_MAX = 100;

export function newestSnapshots(repository: string): Resource<SnapshotList> {
  return {
    path: `_snapshot/${encodeURIComponent(repository)}/_all?sort=start_time&order=desc&size=${SNAPSHOTS_MAX}&ignore_unavailable=true`,
  };
}
