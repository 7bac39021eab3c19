/** `collapse`: of the hits with one value of a field only the first, and what more is shown of each value. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonScalar } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readText } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { SearchPlan, SortKeyPlan } from '../plan/search-plan.js';
import type { SearchSettings } from '../settings.js';
import { FETCH_KEYS, fetchPlan, type FetchDraft } from './fetch-plan.js';
import { readSort } from './sort.js';

export interface CollapseRequest {
  readonly field: string;
  readonly innerHits: readonly InnerHits[];
  readonly concurrentSearches: number | undefined;
}

/** One further list of hits of each shown value. */
export interface InnerHits {
  readonly name: string;
  readonly from: number;
  readonly size: number;
  readonly sort: readonly SortKeyPlan[];
  readonly trackScores: boolean;
  readonly fetch: FetchDraft;
  /** Second level: field that the list is collapsed by. */
  readonly collapse: string | undefined;
}

const INNER_SIZE = 3;

export function readCollapse(place: Place): CollapseRequest {
  let innerHits: readonly InnerHits[] = [];
  let concurrentSearches: number | undefined;
  const field = readField(place, (name, value) => {
    if (name === 'inner_hits') innerHits = value.items().map(readInnerHits);
    else if (name === 'max_concurrent_group_searches') concurrentSearches = readConcurrency(value);
    else return false;
    return true;
  });
  checkNames(innerHits);
  return { field, innerHits, concurrentSearches };
}

function readField(place: Place, readOther: (name: string, value: Place) => boolean): string {
  let field: string | undefined;
  if (!place.isObject) throw place.errorWithPlace(`[collapse] Expected START_OBJECT but was: ${place.token}`);
  for (const [name, value] of place.members()) {
    if (name === 'field') field = readText(value);
    else if (!readOther(name, value)) throw value.errorWithPlace(`[collapse] unknown field [${name}]`);
  }
  if (field === undefined || field === '') throw illegalArgument('field name is null or empty for collapse');
  return field;
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

type Draft = { -readonly [Member in keyof InnerHits]: InnerHits[Member] };

const READERS: Readonly<Record<string, (draft: Draft, value: Place) => void>> = {
  name: (draft, value) => {
    draft.name = readText(value);
  },
  from: (draft, value) => {
    draft.from = readInt(value);
    if (draft.from < 0) throw illegalArgument('illegal from value, at least 0 or higher');
  },
  size: (draft, value) => {
    draft.size = readInt(value);
    if (draft.size < 0) throw illegalArgument('illegal size value, at least 0 or higher');
  },
  sort: (draft, value) => {
    draft.sort = readSort(value);
  },
  track_scores: (draft, value) => {
    draft.trackScores = readBoolean(value);
  },
  ignore_unmapped: (_draft, value) => {
    readBoolean(value);
  },
  collapse: (draft, value) => {
    draft.collapse = readField(value, () => false);
  },
};

function readInnerHits(place: Place): InnerHits {
  const draft: Draft = {
    name: '',
    from: 0,
    size: INNER_SIZE,
    sort: [],
    trackScores: false,
    fetch: {},
    collapse: undefined,
  };
  for (const [name, value] of place.members()) {
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    const readFetch = Object.hasOwn(FETCH_KEYS, name) ? FETCH_KEYS[name] : undefined;
    if (read !== undefined) read(draft, value);
    else if (readFetch !== undefined) readFetch(draft.fetch, value);
    else throw value.errorWithPlace(`[inner_hits] unknown field [${name}]`);
  }
  return draft;
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
  const { name, from, size, sort, collapse } = inner;
  if (from + size > settings.maxInnerResultWindow) {
    throw illegalArgument(
      `Inner result window is too large, the inner hit definition's [${name}]'s from + size must be less than or equal ` +
        `to: [${settings.maxInnerResultWindow}] but was [${from + size}]. This limit can be set by changing the ` +
        '[index.max_inner_result_window] index level setting.',
    );
  }
  const { now_ms, limits, post_filter, fetch } = plan;
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
    limits,
    fetch: { ...fetchPlan(inner.fetch, settings), total_hits_as_int: fetch.total_hits_as_int ?? false },
  };
}
