/** Which searches the request cache may answer. */
import { booleanSetting } from '../../cluster/settings/index-values.js';
import { cacheKey } from '../../search/plan/cache-key.js';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import type { SearchRequest } from './search.js';
import type { SearchTarget } from './shards/search-targets.js';

/** Under which name an answer is looked for and kept. */
export interface CacheUse {
  /** See `search/plan/cache-key.ts`. */
  readonly key: string;
}

/** `plan` is what the shards of the target get; undefined: the cache is not asked. */
export function cacheUse(plan: SearchPlan, target: SearchTarget, request: SearchRequest): CacheUse | undefined {
  const { scroll, pit, requestCache } = request;
  if (scroll !== undefined || pit !== undefined || plan.profile === true) return undefined;
  const isWanted = requestCache ?? (plan.size === 0 && booleanSetting(target.index, 'requestCache'));
  const key = isWanted ? cacheKey(plan) : undefined;
  return key === undefined ? undefined : { key };
}
