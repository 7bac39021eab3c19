/** How many documents match, over all shards. */
import { begunInTurns } from '../../base/turn-of-loop.js';
import type { CountPlan } from '../../search/plan/search-plan.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ActionContext } from '../context.js';
import type { CopyPreference } from '../copy-preference.js';
import { CopyFailure, readFromCopies } from '../read-from-copies.js';
import { shardKey } from '../documents/write-target.js';
import { fetchLookups } from './hits/fetch-lookups.js';
import { countPlanForTarget } from './search-plans.js';
import type { SearchTarget } from './shards/search-targets.js';
import { checkFailures, type ShardCounts, type ShardFailure } from './shards/shard-failures.js';

export interface CountRequest {
  readonly plan: CountPlan;
  readonly settings: SearchSettings;
  readonly targets: readonly SearchTarget[];
  readonly copies: CopyPreference;
}

export interface CountAnswer {
  readonly count: number;
  readonly terminatedEarly: boolean;
  readonly shards: ShardCounts;
}

export async function count(request: CountRequest, context: ActionContext): Promise<CountAnswer> {
  const names = request.targets.map(({ index }) => index.name);
  const wanted = await fetchLookups(request.plan, names, context);
  const shards = request.targets.flatMap((target) => {
    const plan = countPlanForTarget(wanted, target, request.settings);
    return target.shards.map((shard) => ({ key: shardKey(target.index, shard), plan }));
  });
  const asked = await begunInTurns(shards, context.loop, ({ key, plan }) =>
    readFromCopies(context, key, request.copies, 'count', { plan }),
  );
  const outcomes = await Promise.all(asked);
  let total = 0;
  let terminatedEarly = false;
  const failures: ShardFailure[] = [];
  for (const [at, { key }] of shards.entries()) {
    const outcome = outcomes[at];
    if (outcome instanceof CopyFailure) failures.push({ key, error: outcome.error, nodeId: outcome.nodeId });
    else if (outcome !== undefined) {
      total += outcome.output.count;
      terminatedEarly ||= outcome.output.terminatedEarly;
    }
  }
  const counts = { total: shards.length, failures };
  checkFailures(counts, true);
  return { count: total, terminatedEarly, shards: counts };
}
