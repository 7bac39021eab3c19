/** Whether a query fits the mappings of indices, and what it means to them. */
import type { QuarryError } from '../../base/errors.js';
import { begunInTurns } from '../../base/turn-of-loop.js';
import type { QueryCheckPlan } from '../../search/plan/search-plan.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ActionContext } from '../context.js';
import { ADAPTIVE } from '../copy-preference.js';
import { shardKey } from '../documents/write-target.js';
import { CopyFailure, readFromCopies } from '../read-from-copies.js';
import { fetchLookups } from './hits/fetch-lookups.js';
import { checkPlanForTarget } from './search-plans.js';
import type { SearchTarget } from './shards/search-targets.js';

export interface ValidateRequest {
  readonly plan: QueryCheckPlan;
  readonly settings: SearchSettings;
  readonly targets: readonly SearchTarget[];
  /** Every shard instead of one of each index. */
  readonly allShards: boolean;
}

export interface ShardValidation {
  readonly index: string;
  readonly shard: number;
  /** The query as text, or why it does not fit. */
  readonly outcome: string | QuarryError;
}

export async function validateQuery(
  request: ValidateRequest,
  context: ActionContext,
): Promise<readonly ShardValidation[]> {
  const { settings, targets, allShards } = request;
  const names = targets.map(({ index }) => index.name);
  const wanted = await fetchLookups(request.plan, names, context);
  const shards = targets.flatMap((target) => {
    const plan = checkPlanForTarget(wanted, target, settings);
    const asked = allShards ? target.shards : target.shards.slice(0, 1);
    return asked.map((shard) => ({ key: shardKey(target.index, shard), plan }));
  });
  const asked = await begunInTurns(shards, context.loop, async ({ key, plan }) => {
    const answer = await readFromCopies(context, key, ADAPTIVE, 'describe-query', { plan });
    const outcome = answer instanceof CopyFailure ? answer.error : answer.output;
    return { index: key.index, shard: key.shard, outcome };
  });
  return Promise.all(asked);
}
