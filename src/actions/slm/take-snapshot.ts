/** A lifecycle policy takes a snapshot: it is noted first, then begun, then followed to its end. */
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { newUuid } from '../../base/random.js';
import { named } from '../../base/logger.js';
import { featuresToSnapshot } from '../../cluster/snapshots/features.js';
import { POLICY_METADATA, readSlmPolicy, type SlmDefinition } from '../../cluster/slm/policy.js';
import { generatedName } from '../../cluster/slm/snapshot-name.js';
import { isOver } from '../../cluster/snapshots/queue.js';
import type { SnapshotRecord } from '../../repositories/format.js';
import type { ActionContext } from '../context.js';
import { createSnapshot, snapshotMissing, whenDone, type SnapshotRequest } from '../snapshots/create-snapshot.js';
import { listSnapshots, nameOf, recordOf, type ListedSnapshot } from '../snapshots/list-snapshots.js';
import { asTask } from '../tasks/as-task.js';
import { noteHistory } from './history.js';

const NOTE_MS_MAX = 60_000;

export interface StartSlmRun {
  readonly id: string;
  /** The time of the schedule; absent where somebody asked for it. */
  readonly dueMs?: number;
}

/**
 * Gives the name of the snapshot that has begun; undefined: one for this time was taken already. What keeps it from
 * beginning is thrown, and noted as the policy's failure.
 */
export async function startSlmRun(
  context: ActionContext,
  { id, dueMs }: StartSlmRun,
  masterTimeoutMs: number,
): Promise<string | undefined> {
  const policy = context.clusterState().slmPolicies.get(id);
  if (policy === undefined) throw illegalArgument(`no such snapshot lifecycle policy [${id}]`);
  const definition = readSlmPolicy(policy.policy);
  const snapshotName = generatedName(definition.name, context.clock.nowMs(), newUuid(context.random));
  const what = { id, snapshotName };
  const { id: nodeId, ephemeralId } = context.node;
  const begin = { ...what, nodeId, ephemeralId, ...(dueMs === undefined ? {} : { dueMs }) };
  const timeout = { timeoutMs: masterTimeoutMs };
  const { begun } = await context.coordinator.submit('begin-slm-run', begin, timeout);
  if (!begun) return undefined;
  let uuid: string;
  try {
    const request = requestOf(id, snapshotName, definition);
    ({ uuid } = await createSnapshot(context, request, masterTimeoutMs));
  } catch (error) {
    await noteEnd(context, what, error);
    throw error;
  }
  await context.coordinator.submit('slm-run-started', { ...what, uuid }, timeout);
  return snapshotName;
}

function requestOf(id: string, name: string, { repository, config }: SlmDefinition): SnapshotRequest {
  const metadata = { ...config.metadata, [POLICY_METADATA]: id };
  const featureStates = featuresToSnapshot(config.featureStates, config.includeGlobalState);
  return { ...config, repository, name, metadata, featureStates };
}

export interface SlmRunName {
  readonly id: string;
  readonly snapshotName: string;
}

/** Resolves when the snapshot has ended and that is noted. Rejects when it cannot be told now. */
export async function followSlmRun(context: ActionContext, what: SlmRunName): Promise<void> {
  const run = context.clusterState().slmPolicies.get(what.id)?.runs.get(what.snapshotName);
  if (run === undefined) return;
  await noteEnd(context, what, await failureOf(context, run.repository, what.snapshotName));
}

/** Waits for the end of the snapshot. Undefined: it succeeded. */
async function failureOf(context: ActionContext, repository: string, name: string): Promise<QuarryError | undefined> {
  let failure: QuarryError | undefined;
  for (;;) {
    const listed = await find(context, repository, name);
    if (listed === 'no repository') return new QuarryError('repository_missing_exception', `[${repository}] missing`);
    if (listed === undefined) return failure ?? snapshotMissing(repository, name);
    // What it came to is in the repository.
    if (listed.kind === 'finished') return unsuccessful(await recordOf(listed), repository);
    const { uuid } = listed.operation;
    failure = await whenDone(context, uuid, () => Promise.resolve({})).then(
      () => undefined,
      (error: unknown) => asQuarryError(error),
    );
    const operation = context.clusterState().snapshotOperations.get(uuid);
    if (failure !== undefined && operation !== undefined && !isOver(operation)) throw failure;
  }
}

async function find(
  context: ActionContext,
  repository: string,
  name: string,
): Promise<ListedSnapshot | 'no repository' | undefined> {
  if (!context.clusterState().repositories.has(repository)) return 'no repository';
  return (await listSnapshots(context, repository)).find((listed) => nameOf(listed) === name);
}

function unsuccessful(record: SnapshotRecord, repository: string): QuarryError | undefined {
  const { name, state, failures, totalShards, reason } = record;
  if (state === 'SUCCESS') return undefined;
  const [first] = failures;
  const which = first === undefined ? '' : `; [${first.index}][${first.shard}]: ${first.reason}`;
  const why = reason ?? `[${failures.length}] out of [${totalShards}] total shards failed${which}`;
  return new QuarryError(
    'snapshot_exception',
    `[${repository}:${name}] failed to create snapshot successfully, ${why}`,
  );
}

async function noteEnd(context: ActionContext, what: SlmRunName, error: unknown): Promise<void> {
  const details = error === undefined ? undefined : detailsOf(error);
  const policy = context.clusterState().slmPolicies.get(what.id)?.policy;
  const input = { ...what, ...(details === undefined ? {} : { details }) };
  const { noted } = await context.coordinator.submit('end-slm-run', input, { timeoutMs: NOTE_MS_MAX });
  if (!noted || policy === undefined) return;
  const { id: policyId, snapshotName } = what;
  if (details !== undefined) {
    named(context.logger, 'slm').log('warn', 'a snapshot of a lifecycle policy failed', {
      policy: policyId,
      snapshotName,
      details,
    });
  }
  const configuration = (policy['config'] ?? null) as JsonObject | null;
  const repository = policy.repository;
  const operation = 'CREATE';
  await noteHistory(context, { policyId, repository, snapshotName, operation, configuration, details });
}

/** An error as a policy tells it: JSON. */
export function detailsOf(error: unknown): string {
  const { type, message: reason } = asQuarryError(error);
  return JSON.stringify({ type, reason });
}

/** As {@link startSlmRun}, listed as a task. */
export function startSlmRunAsTask(
  context: ActionContext,
  input: StartSlmRun,
  timeoutMs: number,
): Promise<string | undefined> {
  const what = `snapshot lifecycle policy [${input.id}]`;
  return asTask(context, 'cluster:admin/slm/execute', what, (own) => startSlmRun(own, input, timeoutMs));
}
