/** A `_count` request to the plan that every shard gets. */
import { Place, type RequestBody } from '../body/place.js';
import type { CountPlan } from '../plan/search-plan.js';
import type { QueryPlan } from '../plan/query-plan.js';
import { parseQuery } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';
import { limitsPlan } from './parse-search-request.js';
import { checkTerminateAfter } from './search-body.js';
import { uriQuery, type UriQueryParameters } from './search-parameters.js';

export interface CountParameters extends UriQueryParameters {
  readonly min_score?: number | undefined;
  readonly terminate_after?: number | undefined;
}

export function parseCountRequest(
  body: RequestBody | undefined,
  parameters: CountParameters,
  context: { readonly settings: SearchSettings; readonly nowMs: number },
): CountPlan {
  const { settings, nowMs } = context;
  const { min_score, terminate_after } = parameters;
  return {
    query: uriQuery(parameters, settings) ?? bodyQuery(Place.ofBody(body), settings),
    ...(min_score === undefined ? {} : { min_score }),
    ...(terminate_after === undefined ? {} : { terminate_after: checkTerminateAfter(terminate_after) }),
    now_ms: nowMs,
    limits: limitsPlan(settings),
  };
}

/** The query of a body that holds nothing else. */
export function bodyQuery(body: Place, settings: SearchSettings): QueryPlan {
  let query: QueryPlan | undefined;
  for (const [key, value] of body.members()) {
    if (key !== 'query') throw value.error(`request does not support [${key}]`);
    query = parseQuery(value, settings);
  }
  return query ?? { match_all: {} };
}
