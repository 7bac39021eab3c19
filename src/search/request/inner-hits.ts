/** `inner_hits`: further hits beside each hit, of a collapsed value or among its nested documents. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readText } from '../body/read.js';
import type { InnerHitsPlan, SortKeyPlan } from '../plan/search-plan.js';
import type { ParseQuery } from '../query/query-parser.js';
import type { SearchSettings } from '../settings.js';
import { FETCH_KEYS, innerFetchPlan, type FetchDraft } from './fetch-plan.js';
import { readSort } from './sort.js';

/** One list of inner hits. */
export interface InnerHits {
  /** Empty: what they are called without a name of their own. */
  readonly name: string;
  readonly ignoreUnmapped: boolean;
  readonly from: number;
  readonly size: number;
  readonly sort: readonly SortKeyPlan[];
  readonly trackScores: boolean;
  readonly fetch: FetchDraft;
  /** Second level: field that the list is collapsed by. */
  readonly collapse: string | undefined;
}

const INNER_SIZE = 3;

type Draft = { -readonly [Member in keyof InnerHits]: InnerHits[Member] };
type Reader = (draft: Draft, value: Place, parseQuery: ParseQuery) => void;

const READERS: Readonly<Record<string, Reader>> = {
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
  sort: (draft, value, parseQuery) => {
    draft.sort = readSort(value, parseQuery);
  },
  track_scores: (draft, value) => {
    draft.trackScores = readBoolean(value);
  },
  ignore_unmapped: (draft, value) => {
    draft.ignoreUnmapped = readBoolean(value);
  },
  collapse: (draft, value) => {
    draft.collapse = readCollapseField(value, () => false);
  },
};

export function readInnerHits(place: Place, parseQuery: ParseQuery): InnerHits {
  const draft: Draft = {
    name: '',
    ignoreUnmapped: false,
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
    if (read !== undefined) read(draft, value, parseQuery);
    else if (readFetch !== undefined) readFetch(draft.fetch, value);
    else throw value.errorWithPlace(`[inner_hits] unknown field [${name}]`);
  }
  return draft;
}

/** The field of a `collapse`; `readOther` takes further members, or says that it does not know them. */
export function readCollapseField(place: Place, readOther: (name: string, value: Place) => boolean): string {
  let field: string | undefined;
  if (!place.isObject) throw place.errorWithPlace(`[collapse] Expected START_OBJECT but was: ${place.token}`);
  for (const [name, value] of place.members()) {
    if (name === 'field') field = readText(value);
    else if (!readOther(name, value)) throw value.errorWithPlace(`[collapse] unknown field [${name}]`);
  }
  if (field === undefined || field === '') throw illegalArgument('field name is null or empty for collapse');
  return field;
}

export function checkInnerWindow({ name, from, size }: InnerHits, settings: SearchSettings): void {
  if (from + size <= settings.maxInnerResultWindow) return;
  throw illegalArgument(
    `Inner result window is too large, the inner hit definition's [${name === '' ? 'null' : name}]'s from + size must be ` +
      `less than or equal to: [${settings.maxInnerResultWindow}] but was [${from + size}]. This limit can be set by ` +
      'changing the [index.max_inner_result_window] index level setting.',
  );
}

/** The plan of those among nested documents. */
export function innerHitsOf(inner: InnerHits, settings: SearchSettings, parseQuery: ParseQuery): InnerHitsPlan {
  const { name, ignoreUnmapped, from, size, sort, trackScores, fetch } = inner;
  return {
    ...(name === '' ? {} : { name }),
    ...(ignoreUnmapped ? { ignore_unmapped: true } : {}),
    from,
    size,
    sort,
    track_scores: trackScores,
    fetch: innerFetchPlan(fetch, settings, parseQuery),
  };
}
