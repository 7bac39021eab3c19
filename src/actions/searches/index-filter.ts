/** `index_filter`: what is left of the indices of a request where their documents decide. */
import type { Place } from '../../search/body/place.js';
import { parseQuery } from '../../search/query/parse-query.js';
import { limitsPlan } from '../../search/request/parse-search-request.js';
import type { ActionContext } from '../context.js';
import type { CopyPreference } from '../copy-preference.js';
import { shardKey } from '../documents/write-target.js';
import { canMatch } from './shards/can-match.js';
import { commonSearchSettings, countPlanForTarget } from './search-plans.js';
import type { SearchTarget } from './shards/search-targets.js';

/** The targets with those of their shards that can hold a document which passes the filter. */
export async function filteredTargets(
  targets: readonly SearchTarget[],
  filter: Place,
  copies: CopyPreference,
  context: ActionContext,
): Promise<readonly SearchTarget[]> {
  const settings = commonSearchSettings(
    context.clusterState(),
    targets.map(({ index }) => index),
  );
  const plan = { query: parseQuery(filter, settings), now_ms: context.clock.nowMs(), limits: limitsPlan(settings) };
  return Promise.all(
    targets.map(async (target) => {
      const own = countPlanForTarget(plan, target, settings);
      const asked = target.shards.map((shard) => ({ key: shardKey(target.index, shard), plan: own }));
      const verdicts = await canMatch(asked, copies, context);
      return { ...target, shards: target.shards.filter((_, at) => verdicts[at]) };
    }),
  );
}
