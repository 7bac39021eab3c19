/** One round of lifecycle policies: takes every managed index as far as it goes now. A step that fails is kept with its reason, and tried again in the next. */
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { named } from '../../base/logger.js';
import type { LifecycleStepInput } from '../../cluster/changes/lifecycle-policies.js';
import { parentStream, writeIndexOf } from '../../cluster/data-streams/data-streams.js';
import type { ActionName, PhaseAction, PhaseName } from '../../cluster/lifecycle/policy.js';
import { dueStep, policyOf } from '../../cluster/lifecycle/progress.js';
import { checkWritesAlias, rolledOverAtMs, rolloverTargetOf } from '../../cluster/lifecycle/rollover-target.js';
import { parseConditions } from '../../cluster/data-streams/rollover-conditions.js';
import type { IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { rollover } from '../indices/rollover.js';
import { asTask } from '../tasks/as-task.js';
import { mergeStep } from './merge-step.js';
import { deleteMountedSnapshot, mountStep } from './mount-step.js';
import { shrinkStep } from './shrink-step.js';
import type { StepOutcome } from './step-outcome.js';

const MASTER_TIMEOUT_MS = 30_000;
/** Of one index in one round: more than any policy has. */
const STEPS_MAX = 50;

/** As the requests that do the same are listed. */
const TASK_OF: Readonly<Record<ActionName, string>> = {
  set_priority: 'indices:admin/settings/update',
  rollover: 'indices:admin/rollover',
  unfollow: 'indices:admin/xpack/ccr/unfollow',
  readonly: 'indices:admin/settings/update',
  allocate: 'indices:admin/settings/update',
  migrate: 'indices:admin/settings/update',
  shrink: 'indices:admin/resize',
  forcemerge: 'indices:admin/forcemerge',
  searchable_snapshot: 'cluster:admin/snapshot/mount',
  wait_for_snapshot: 'cluster:admin/slm/get',
  delete: 'indices:admin/delete',
};

export async function runPolicies(context: ActionContext): Promise<void> {
  if (context.clusterState().lifecyclesStopped) return;
  const managed = [...context.clusterState().indices.values()].filter((index) => policyOf(index) !== undefined);
  for (const { name, uuid } of managed) {
    try {
      await takeOn(context, { name, uuid });
    } catch (error) {
      // It may be gone by now: the others go on.
      const { message: reason } = asQuarryError(error);
      named(context.logger, 'ilm').log('warn', 'an index did not go on in its lifecycle policy', {
        index: name,
        reason,
      });
    }
  }
}

/** As far as it goes now. */
async function takeOn(context: ActionContext, { name, uuid }: IndexId): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    const index = context.clusterState().indices.get(name);
    if (index?.uuid !== uuid || !(await oneStep(context, index))) return;
  }
}

/** `false`: there is nothing more to do for the index now. */
async function oneStep(context: ActionContext, index: IndexMetadata): Promise<boolean> {
  const state = context.clusterState();
  const policy = state.lifecyclePolicies.get(policyOf(index) ?? '');
  const due = policy === undefined ? undefined : dueStep(state, index, policy, context.clock.nowMs());
  if (due === undefined) return false;
  const { action } = due;
  if (action === undefined) {
    await record(context, index, { kind: 'enter', from: index.lifecycle?.phase, phase: due.phase });
    return true;
  }
  try {
    const what = `[${action.name}] of index [${index.name}] in phase [${due.phase}] of its policy`;
    const outcome = await asTask(context, TASK_OF[action.name], what, (own) => carryOut(own, index, due.phase, action));
    if (outcome === 'gone') return false;
    if (outcome === 'not-yet') {
      if (index.lifecycle?.failure !== undefined) await record(context, index, { kind: 'retry' });
      return false;
    }
  } catch (error) {
    const { message: reason } = asQuarryError(error);
    named(context.logger, 'ilm').log('warn', 'a step of a lifecycle policy failed', {
      index: index.name,
      action: action.name,
      reason,
    });
    await record(context, index, { kind: 'failed', phase: due.phase, action: action.name, reason });
    return false;
  }
  await record(context, index, { kind: 'done', phase: due.phase, action: action.name });
  return true;
}

async function record(
  context: ActionContext,
  { name, uuid }: IndexMetadata,
  change: LifecycleStepInput['change'],
): Promise<void> {
  await context.coordinator.submit(
    'lifecycle-step',
    { index: { name, uuid }, change },
    { timeoutMs: MASTER_TIMEOUT_MS },
  );
}

async function carryOut(
  context: ActionContext,
  index: IndexMetadata,
  phase: PhaseName,
  { name, body }: PhaseAction,
): Promise<StepOutcome> {
  switch (name) {
    case 'rollover':
      return handOver(context, index, body);
    case 'set_priority':
      return change(context, index, { 'index.priority': body['priority'] ?? null });
    case 'readonly':
      return change(context, index, { 'index.blocks.write': 'true' });
    case 'unfollow':
      // No index follows one of another cluster.
      return 'done';
    case 'allocate':
      return change(context, index, allocationSettings(body));
    case 'migrate':
      return change(context, index, { 'index.routing.allocation.include._tier_preference': tiersOf(phase) });
    case 'shrink':
      return shrinkStep(context, index, body, MASTER_TIMEOUT_MS);
    case 'forcemerge':
      await mergeStep(context, index, Number(body['max_num_segments']));
      return 'done';
    case 'searchable_snapshot':
      return mountStep(context, index, body, phase === 'frozen' ? 'shared_cache' : 'full_copy', MASTER_TIMEOUT_MS);
    case 'wait_for_snapshot':
      return hasSnapshot(context, index, body) ? 'done' : 'not-yet';
    case 'delete': {
      const input = { indices: [{ name: index.name, uuid: index.uuid }] };
      await context.coordinator.submit('delete-indices', input, { timeoutMs: MASTER_TIMEOUT_MS });
      if (body['delete_searchable_snapshot'] !== false) await deleteMountedSnapshot(context, index, MASTER_TIMEOUT_MS);
      return 'gone';
    }
  }
}

/** An index without documents does not roll over. One that handed on its target already, by whomever, has this behind it. */
async function handOver(context: ActionContext, index: IndexMetadata, body: JsonObject): Promise<StepOutcome> {
  const state = context.clusterState();
  const target = rolloverTargetOf(state, index) ?? '';
  const isBehind = index.settings.get('index.lifecycle.indexing_complete') === 'true';
  if (isBehind || rolledOverAtMs(index, target) !== undefined) return 'done';
  const stream = parentStream(state, index.name);
  if (stream === undefined) checkWritesAlias(state, index, target);
  else if (writeIndexOf(state, stream).uuid !== index.uuid) return 'done';
  const asked = parseConditions(body);
  const hasMinimum = asked.some(({ name }) => name === 'min_docs' || name === 'min_primary_shard_docs');
  const conditions = hasMinimum ? asked : [...asked, { name: 'min_docs', bound: 1 }];
  const source = { name: index.name, uuid: index.uuid };
  const options = { dryRun: false, lazy: false, masterTimeoutMs: MASTER_TIMEOUT_MS, timeoutMs: 0 };
  const { rolledOver } = await rollover(context, { target, source, conditions, ...options });
  return rolledOver ? 'done' : 'not-yet';
}

/** Whether the snapshot policy took one that began after the index entered its phase. */
function hasSnapshot(context: ActionContext, { lifecycle }: IndexMetadata, body: JsonObject): boolean {
  const id = typeof body['policy'] === 'string' ? body['policy'] : '';
  const policy = context.clusterState().slmPolicies.get(id);
  if (policy === undefined) throw illegalArgument(`the snapshot lifecycle policy [${id}] to wait for was not found`);
  const { startedAtMs = -Infinity } = policy.lastSuccess ?? {};
  return startedAtMs > (lifecycle?.enteredAtMs ?? 0);
}

async function change(
  context: ActionContext,
  { name, uuid }: IndexMetadata,
  settings: JsonObject,
): Promise<StepOutcome> {
  const input = { indices: [{ name, uuid }], settings };
  await context.coordinator.submit('update-index-settings', input, { timeoutMs: MASTER_TIMEOUT_MS });
  return 'done';
}

/** The tier of the phase; where there is none such, the one before it. */
function tiersOf(phase: PhaseName): string {
  return phase === 'cold' ? 'data_cold,data_warm,data_hot' : 'data_warm,data_hot';
}

function allocationSettings({
  number_of_replicas: replicas,
  total_shards_per_node: perNode,
  ...rules
}: JsonObject): JsonObject {
  const settings: Record<string, JsonObject[string]> = {};
  if (replicas !== undefined) settings['index.number_of_replicas'] = replicas;
  if (perNode !== undefined) settings['index.routing.allocation.total_shards_per_node'] = perNode;
  for (const [rule, attributes] of Object.entries(rules)) {
    for (const [attribute, value] of Object.entries(attributes as JsonObject)) {
      settings[`index.routing.allocation.${rule}.${attribute}`] = value;
    }
  }
  return settings;
}
