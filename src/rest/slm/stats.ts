/** What policies of snapshot lifecycle management and retention did so far. */
import { formatTime } from '../../base/units.js';
import type { JsonObject } from '../../base/json-value.js';
import type { SlmPolicyStats } from '../../cluster/slm/types.js';
import type { ClusterState } from '../../cluster/state.js';

export function slmStats({ slm, slmPolicies }: ClusterState): JsonObject {
  const total = (member: keyof SlmPolicyStats): number =>
    [...slmPolicies.values()].reduce((sum, { stats }) => sum + stats[member], 0);
  return {
    retention_runs: slm.retentionRuns,
    retention_failed: slm.retentionFailed,
    retention_timed_out: slm.retentionTimedOut,
    retention_deletion_time: formatTime(slm.retentionDeletionMs),
    retention_deletion_time_millis: slm.retentionDeletionMs,
    total_snapshots_taken: total('taken'),
    total_snapshots_failed: total('failed'),
    total_snapshots_deleted: total('deleted'),
    total_snapshot_deletion_failures: total('deletionFailures'),
    policy_stats: [...slmPolicies].map(([id, { stats }]) => statsMembers(id, stats)),
  };
}

export function statsMembers(id: string, stats: SlmPolicyStats): JsonObject {
  return {
    policy: id,
    snapshots_taken: stats.taken,
    snapshots_failed: stats.failed,
    snapshots_deleted: stats.deleted,
    snapshot_deletion_failures: stats.deletionFailures,
  };
}
