/** Snapshot lifecycle management as the cluster state keeps it. */
import type { JsonObject } from '../../base/json-value.js';

/** Of the whole cluster. */
export interface SlmState {
  /** No schedule runs: neither of policies nor of retention. */
  readonly stopped: boolean;
  /** Somebody asked for retention to run now, and it has not begun since. */
  readonly retentionWanted: boolean;
  /** The time of its schedule for which retention ran last. */
  readonly retentionDueMs?: number;
  readonly retentionRuns: number;
  readonly retentionFailed: number;
  readonly retentionTimedOut: number;
  readonly retentionDeletionMs: number;
}

export const INITIAL_SLM: SlmState = {
  stopped: false,
  retentionWanted: false,
  retentionRuns: 0,
  retentionFailed: 0,
  retentionTimedOut: 0,
  retentionDeletionMs: 0,
};

/** The member of a policy that says how long it may be without a successful snapshot. */
export const UNHEALTHY_WITHOUT = 'unhealthy_if_no_snapshot_within';

/** Checked, as the user wrote it. */
export type SlmPolicyBody = JsonObject & {
  readonly name: string;
  readonly schedule: string;
  readonly repository: string;
};

export interface SlmPolicy {
  /** From 1; rises with each change of the definition. */
  readonly version: number;
  readonly modifiedAtMs: number;
  readonly policy: SlmPolicyBody;
  /** The time of its schedule for which it ran last: it does not run for this one again. */
  readonly lastDueMs?: number;
  readonly lastSuccess?: SlmInvocation;
  readonly lastFailure?: SlmInvocation;
  readonly invocationsSinceLastSuccess: number;
  readonly stats: SlmPolicyStats;
  /** Snapshots that were begun and have not come to a known end, by name. */
  readonly runs: ReadonlyMap<string, SlmRun>;
}

export interface SlmInvocation {
  readonly snapshotName: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** What went wrong: an error as JSON. */
  readonly details?: string;
}

export interface SlmPolicyStats {
  readonly taken: number;
  readonly failed: number;
  readonly deleted: number;
  readonly deletionFailures: number;
}

export interface SlmRun {
  readonly startedAtMs: number;
  /** Absent until the snapshot itself has begun. */
  readonly uuid?: string;
  readonly repository: string;
  /** The node that is to begin it, and which run of the node. */
  readonly nodeId: string;
  readonly ephemeralId: string;
}
