/** The `shrink` action of a lifecycle policy. */
import { asQuarryError } from '../../base/error-wire.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseBytes } from '../../base/units.js';
import { planShrink, type ShrinkPlan } from '../../cluster/lifecycle/shrink-plan.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { resizeIndex } from '../indices/resize-index.js';
import type { StepOutcome } from './step-outcome.js';
import { towardsHeir, type HeirAction } from './towards-heir.js';

/** Of a round: what it does not see any more the next one sees. */
const ACTIVE_MS_MAX = 5_000;
type Making = Extract<ShrinkPlan, { next: 'make' }>;

export function shrinkStep(
  context: ActionContext,
  index: IndexMetadata,
  body: JsonObject,
  masterTimeoutMs: number,
): Promise<StepOutcome> {
  const action: HeirAction<Making> = {
    plan: (state, source) => planShrink(state, source, body),
    make: (source, how) => makeTarget(context, source, how, body, masterTimeoutMs),
    replace: 'replace-shrunken',
  };
  return towardsHeir(context, index, action, masterTimeoutMs);
}

async function makeTarget(
  context: ActionContext,
  source: IndexMetadata,
  { target, settings }: Making,
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
