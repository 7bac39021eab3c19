/** `_explain` and `_validate/query`: a query alone. */
import { Place, type RequestBody } from '../body/place.js';
import type { QueryCheckPlan } from '../plan/search-plan.js';
import type { SearchSettings } from '../settings.js';
import { bodyQuery } from './parse-count-request.js';
import { limitsPlan } from './parse-search-request.js';
import { uriQuery, type UriQueryParameters } from './search-parameters.js';

export function parseQueryCheck(
  body: RequestBody | undefined,
  parameters: UriQueryParameters,
  context: { readonly settings: SearchSettings; readonly nowMs: number },
): QueryCheckPlan {
  const { settings, nowMs } = context;
  const query = uriQuery(parameters, settings) ?? bodyQuery(Place.ofBody(body), settings);
  return { query, now_ms: nowMs, limits: limitsPlan(settings) };
}
