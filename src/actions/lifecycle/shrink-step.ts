/** The `shrink` action of a lifecycle policy: one step of it in each round, until the shrunk index is in the place of the other. */
import { asQuarryError } from '../../base/error-wire.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseBytes } from '../../base/units.js';
import { planShrink } from '../../cluster/lifecycle/shrink-plan.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { resizeIndex } from '../indices/resize-index.js';
import type { StepOutcome } from './step-outcome.js';

/** Of a round: what it does not see any more the next one sees. */
const ACTIVE_MS_MAX = 5_000;
/** Blocking, gathering, making, replacing. */
const STEPS_MAX = 5;

export async function shrinkStep(
  context: ActionContext,
  { name, uuid }: IndexMetadata,
  body: JsonObject,
  masterTimeoutMs: number,
): Promise<StepOutcome> {
  const wait = { timeoutMs: masterTimeoutMs };
  for (let step = 0; step < STEPS_MAX; step++) {
    const index = context.clusterState().indices.get(name);
    if (index?.uuid !== uuid) return 'gone';
    const plan = planShrink(context.clusterState(), index, body);
    switch (plan.next) {
      case 'skip':
        return 'done';
      case 'wait':
        return 'not-yet';
      case 'settings':
        await context.coordinator.submit(
          'update-index-settings',
          { indices: [{ name, uuid }], settings: plan.settings },
          wait,
        );
        break;
      case 'resize':
        await makeTarget(context, index, plan.target, plan.settings, body, masterTimeoutMs);
        break;
      case 'replace':
        await context.coordinator.submit('replace-shrunken', { source: { name, uuid }, target: plan.target }, wait);
        return 'gone';
    }
  }
  return 'not-yet';
}

async function makeTarget(
  context: ActionContext,
  source: IndexMetadata,
  target: string,
  settings: JsonObject,
  body: JsonObject,
  masterTimeoutMs: number,
): Promise<void> {
  const { number_of_shards: shards, max_primary_shard_size: size } = body;
  const numbers = {
    numberOfShards: typeof shards === 'number' ? shards : undefined,
    maxShardBytes: typeof size === 'string' ? parseBytes(size, 'max_primary_shard_size') : undefined,
  };
  const request = { kind: 'shrink', source, target, settings, aliases: {}, ...numbers } as const;
  try {
    await resizeIndex(context, { ...request, masterTimeoutMs, timeoutMs: ACTIVE_MS_MAX });
  } catch (error) {
    // A round before this one was interrupted after it had asked.
    if (asQuarryError(error).type !== 'resource_already_exists_exception') throw error;
  }
}
