/** What the endpoints of snapshot lifecycle management have in common. */
import type { JsonObject } from '../../base/json-value.js';
import type { SlmPolicyStats } from '../../cluster/slm/types.js';
import { acknowledgedParameters } from '../parameters.js';

export const SLM_ENDPOINT = {
  parameters: acknowledgedParameters,
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
} as const;

/** A time as the API shows it: for people too, where they ask for that. */
export function timeMembers(raw: string, readable: string, atMs: number, human: boolean): JsonObject {
  return { ...(human ? { [readable]: new Date(atMs).toISOString() } : {}), [raw]: atMs };
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
