/** `collapse`: of the hits with one value of a field only the first, and what more is shown of each value. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonScalar } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readInt } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { SearchPlan, SortKeyPlan } from '../plan/search-plan.js';
import { queryParser } from '../query/parse-query.js';
import type { ParseQuery } from '../query/query-parser.js';
import type { SearchSettings } from '../settings.js';
import { innerFetchPlan } from './fetch-plan.js';
import { checkInnerWindow, readCollapseField, readInnerHits, type InnerHits } from './inner-hits.js';

export interface CollapseRequest {
  readonly field: string;
  readonly innerHits: readonly InnerHits[];
  readonly concurrentSearches: number | undefined;
}

export function readCollapse(place: Place, parseQuery: ParseQuery): CollapseRequest {
  let innerHits: readonly InnerHits[] = [];
  let concurrentSearches: number | undefined;
  const field = readCollapseField(place, (name, value) => {
    if (name === 'inner_hits') innerHits = value.items().map((item) => readInnerHits(item, parseQuery));
    else if (name === 'max_concurrent_group_searches') concurrentSearches = readConcurrency(value);
    else return false;
    return true;
  });
  checkNames(innerHits);
  return { field, innerHits, concurrentSearches };
}

function readConcurrency(value: Place): number {
  const count = readInt(value);
  if (count >= 1) return count;
  throw illegalArgument('maxConcurrentGroupRequests` must be positive');
}

function checkNames(innerHits: readonly InnerHits[]): void {
  const known = new Set<string>();
  for (const { name } of innerHits) {
    if (known.has(name)) throw illegalArgument(`[inner_hits] already contains an entry for key [${name}]`);
    known.add(name);
  }
}

/** Sorting by score must be said where hits are collapsed; hits do not show it as a sort value. */
const BY_SCORE: readonly SortKeyPlan[] = [{ score: { order: 'desc' } }];

/** The members of a plan that collapse its hits. */
export function collapsed(
  field: string,
  sort: readonly SortKeyPlan[],
): Pick<SearchPlan, 'collapse' | 'sort' | 'hidden_keys'> {
  return sort.length > 0
    ? { collapse: field, sort }
    : { collapse: field, sort: BY_SCORE, hidden_keys: BY_SCORE.length };
}

/** The plan of one list of hits of one value. */
export function innerHitsPlan(
  plan: SearchPlan,
  field: string,
  value: JsonScalar,
  inner: InnerHits,
  settings: SearchSettings,
): SearchPlan {
  const { from, size, sort, collapse } = inner;
  checkInnerWindow(inner, settings);
  const { now_ms, limits, post_filter, runtime, fetch } = plan;
  const query: QueryPlan =
    value === null
      ? { bool: { must: [plan.query], must_not: [{ exists: { field } }] } }
      : { bool: { must: [plan.query], filter: [{ term: { field, value } }] } };
  return {
    query,
    ...(post_filter === undefined ? {} : { post_filter }),
    from,
    size,
    track_total_hits: 'exact',
    track_scores: inner.trackScores,
    ...(collapse === undefined ? { sort } : collapsed(collapse, sort)),
    now_ms,
    ...(runtime === undefined ? {} : { runtime }),
    limits,
    fetch: {
      ...innerFetchPlan(inner.fetch, settings, queryParser(settings)),
      total_hits_as_int: fetch.total_hits_as_int ?? false,
    },
  };
}
