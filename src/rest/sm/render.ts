/** Policies of snapshot management as the API shows them. */
import type { JsonObject } from '../../base/json-value.js';
import { SM_PRIMARY_TERM } from '../../cluster/changes/snapshots/sm-policies.js';
import { dueMs } from '../../cluster/sm/due.js';
import { LOOKED_AT } from '../../cluster/sm/policy.js';
import {
  SM_WORKFLOWS,
  type SmExecution,
  type SmPolicy,
  type SmTimes,
  type SmWorkflow,
  type SmWorkflowName,
} from '../../cluster/sm/types.js';

/** The reference's number of this shape. */
const SCHEMA_VERSION = 30;

export function renderPolicy(name: string, { definition, changedAtMs, enabledAtMs }: SmPolicy): JsonObject {
  const { description, creation, deletion, snapshotConfig } = definition;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    schema_version: SCHEMA_VERSION,
    ...(creation === undefined ? {} : { creation: renderTimes(creation) }),
    ...(deletion === undefined ? {} : { deletion: renderDeletion(deletion) }),
    snapshot_config: snapshotConfig,
    schedule: { interval: { start_time: changedAtMs, ...LOOKED_AT } },
    enabled: enabledAtMs !== undefined,
    last_updated_time: changedAtMs,
    enabled_time: enabledAtMs ?? null,
  };
}

function renderTimes({ expression, timezone, timeLimit }: SmTimes): JsonObject {
  return {
    schedule: { cron: { expression, timezone } },
    ...(timeLimit === undefined ? {} : { time_limit: timeLimit }),
  };
}

function renderDeletion(deletion: NonNullable<SmPolicy['definition']['deletion']>): JsonObject {
  const { maxAge, minCount, maxCount } = deletion.condition;
  const { schedule, ...limit } = renderTimes(deletion);
  const condition: JsonObject = {
    ...(maxAge === undefined ? {} : { max_age: maxAge }),
    min_count: minCount,
    ...(maxCount === undefined ? {} : { max_count: maxCount }),
  };
  const { snapshotPattern } = deletion;
  return {
    schedule,
    condition,
    ...limit,
    ...(snapshotPattern === undefined ? {} : { snapshot_pattern: snapshotPattern }),
  };
}

export function renderExplained(name: string, policy: SmPolicy, nowMs: number): JsonObject {
  const workflows = SM_WORKFLOWS.flatMap((workflow) => {
    const [times, kept] = [policy.definition[workflow], policy.workflows[workflow]];
    if (times === undefined || kept === undefined) return [];
    return [[workflow, renderWorkflow(workflow, kept, dueMs(times, kept, nowMs))] as const];
  });
  return {
    name,
    ...Object.fromEntries(workflows),
    policy_seq_no: policy.seqNo,
    policy_primary_term: SM_PRIMARY_TERM,
    enabled: policy.enabledAtMs !== undefined,
  };
}

function renderWorkflow(name: SmWorkflowName, { run, latest }: SmWorkflow, nextMs: number): JsonObject {
  return {
    current_state: stateOf(name, run),
    trigger: { time: nextMs },
    ...(run === undefined ? {} : { started: run.snapshots.map((snapshot) => snapshot.name) }),
    ...(latest === undefined ? {} : { latest_execution: renderExecution(latest) }),
    ...(run?.retry === undefined ? {} : { retry: { count: run.retry.left } }),
  };
}

function stateOf(name: SmWorkflowName, run: SmWorkflow['run']): string {
  if (run === undefined) return name === 'creation' ? 'CREATION_START' : 'DELETION_START';
  if (!run.isBegun) return name === 'creation' ? 'CREATION_CONDITION_MET' : 'DELETION_CONDITION_MET';
  return name === 'creation' ? 'CREATING' : 'DELETING';
}

function renderExecution({ status, startedAtMs, endedAtMs, message, cause }: SmExecution): JsonObject {
  const info = { ...(message === undefined ? {} : { message }), ...(cause === undefined ? {} : { cause }) };
  return {
    status,
    start_time: startedAtMs,
    end_time: endedAtMs ?? null,
    ...(message === undefined && cause === undefined ? {} : { info }),
  };
}
