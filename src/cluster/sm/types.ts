/** Policies of OpenSearch's snapshot management as the cluster state keeps them. */
import type { JsonObject } from '../../base/json-value.js';

/** What a policy does, each on a schedule of its own. */
export const SM_WORKFLOWS = ['creation', 'deletion'] as const;
export type SmWorkflowName = (typeof SM_WORKFLOWS)[number];

/** The member of a snapshot's metadata that names the policy that made it. */
export const SM_METADATA = 'sm_policy';

export interface SmPolicy {
  /** From 1; rises with each change of the definition. */
  readonly version: number;
  /** Of the change: rises with each change of any policy. */
  readonly seqNo: number;
  readonly changedAtMs: number;
  /** When it was enabled; absent while it is not. */
  readonly enabledAtMs?: number;
  readonly definition: SmDefinition;
  /** Of what the definition has. */
  readonly workflows: Readonly<Partial<Record<SmWorkflowName, SmWorkflow>>>;
}

/** Checked by `checkSmPolicy`. */
export interface SmDefinition {
  readonly description?: string;
  readonly creation?: SmTimes;
  readonly deletion?: SmTimes & {
    readonly condition: SmCondition;
    /** Of other snapshots that are let go as the policy's own ones are. */
    readonly snapshotPattern?: string;
  };
  /** As it was written. */
  readonly snapshotConfig: JsonObject & { readonly repository: string };
}

export interface SmTimes {
  readonly expression: string;
  readonly timezone: string;
  /** A time value, as it was written. */
  readonly timeLimit?: string;
}

/** Which snapshots stay. */
export interface SmCondition {
  /** A time value, as it was written. */
  readonly maxAge?: string;
  readonly minCount: number;
  readonly maxCount?: number;
}

export interface SmWorkflow {
  /** When it runs next. */
  readonly dueMs: number;
  /** The time of its schedule for which it ran last. */
  readonly lastDueMs?: number;
  /** What is under way. */
  readonly run?: SmRun;
  readonly latest?: SmExecution;
}

export interface SmRun {
  readonly id: string;
  readonly startedAtMs: number;
  readonly repository: string;
  /** The one that is made, or those that are deleted; the uuid of one that is made is not known before. */
  readonly snapshots: readonly { readonly name: string; readonly uuid?: string }[];
  /** The snapshot was begun. */
  readonly isBegun: boolean;
  /** After a failure: when it is tried again, and how often more. */
  readonly retry?: { readonly atMs: number; readonly left: number };
}

export type SmStatus = 'IN_PROGRESS' | 'RETRYING' | 'SUCCESS' | 'FAILED' | 'TIME_LIMIT_EXCEEDED';

/** What became of the latest run. */
export interface SmExecution {
  readonly status: SmStatus;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly message?: string;
  readonly cause?: string;
}
