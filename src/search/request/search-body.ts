/** The body of a search: one reader for each key. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonScalar } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';
import type { AggregationPlan } from '../aggs/aggregation-plan.js';
import { parseAggregations } from '../aggs/parse-aggregations.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readNumber, readScalar, readText, unknownKey } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type {
  ComputedFieldPlan,
  IndexBoostPlan,
  RescorePlan,
  SortKeyPlan,
  TrackTotalHitsPlan,
} from '../plan/search-plan.js';
import { parseQuery, queryParser } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';
import { parseSuggest } from '../suggest/parse-suggest.js';
import type { Suggestion } from '../suggest/suggest-plan.js';
import { FETCH_KEYS, type FetchDraft } from './fetch-plan.js';
import { readCollapse, type CollapseRequest } from './collapse.js';
import { readKnnSections, type KnnDraft } from './knn.js';
import { readRescore } from './rescore.js';
import { readRuntimeMappings } from './runtime-mappings.js';
import { readSlice, type SliceRequest } from './slice.js';
import { readSort } from './sort.js';
import { UNSUPPORTED_KEYS } from './unsupported.js';

/** What a search asks for, from body and query string together; absent members take the API's defaults. */
export interface SearchDraft extends FetchDraft {
  query?: QueryPlan;
  /** Names of all queries in `query` and `post_filter`. */
  queryNames?: Set<string>;
  post_filter?: QueryPlan;
  from?: number;
  size?: number;
  sort?: readonly SortKeyPlan[];
  search_after?: readonly JsonScalar[];
  track_total_hits?: TrackTotalHitsPlan;
  track_scores?: boolean;
  min_score?: number;
  timeout_ms?: number;
  terminate_after?: number;
  aggregations?: readonly AggregationPlan[];
  profile?: boolean;
  stats?: readonly string[];
  rescore?: readonly RescorePlan[];
  collapse?: CollapseRequest;
  slice?: SliceRequest;
  pit?: PitRequest;
  indices_boost?: readonly IndexBoostPlan[];
  runtime?: readonly ComputedFieldPlan[];
  suggest?: readonly Suggestion[];
  knn?: readonly KnnDraft[];
  /** Read when all else is known, of which it takes the place. */
  retriever?: Place;
}

export interface PitRequest {
  readonly id: string;
  /** Text of a time value. */
  readonly keepAlive: string | undefined;
}

type KeyReader = (draft: SearchDraft, value: Place, settings: SearchSettings) => void;

const readAggregations: KeyReader = (draft, value, settings) => {
  draft.aggregations = parseAggregations(value, settings);
};

const KEYS: Readonly<Record<string, KeyReader>> = {
  query: (draft, value, settings) => {
    draft.query = parseQuery(value, settings, (draft.queryNames ??= new Set()));
  },
  post_filter: (draft, value, settings) => {
    draft.post_filter = parseQuery(value, settings, (draft.queryNames ??= new Set()));
  },
  from: (draft, value) => {
    draft.from = checkFrom(readInt(value));
  },
  size: (draft, value) => {
    draft.size = checkSize(readInt(value));
  },
  sort: (draft, value, settings) => {
    draft.sort = readSort(value, queryParser(settings));
  },
  search_after: (draft, value) => {
    draft.search_after = readSearchAfter(value);
  },
  track_total_hits: (draft, value) => {
    draft.track_total_hits = readTrackTotalHits(value);
  },
  track_scores: (draft, value) => {
    draft.track_scores = readBoolean(value);
  },
  min_score: (draft, value) => {
    draft.min_score = readNumber(value);
  },
  timeout: (draft, value) => {
    setTimeout(draft, readText(value));
  },
  terminate_after: (draft, value) => {
    draft.terminate_after = checkTerminateAfter(readInt(value));
  },
  indices_boost: (draft, value) => {
    draft.indices_boost = readIndicesBoost(value);
  },
  aggs: readAggregations,
  aggregations: readAggregations,
  ...FETCH_KEYS,
  profile: (draft, value) => {
    draft.profile = readBoolean(value);
  },
  rescore: (draft, value, settings) => {
    draft.rescore = readRescore(value, settings);
  },
  collapse: (draft, value, settings) => {
    draft.collapse = readCollapse(value, queryParser(settings));
  },
  slice: (draft, value) => {
    draft.slice = readSlice(value);
  },
  pit: (draft, value) => {
    draft.pit = readPit(value);
  },
  runtime_mappings: (draft, value) => {
    draft.runtime = readRuntimeMappings(value);
  },
  suggest: (draft, value, settings) => {
    draft.suggest = parseSuggest(value, settings);
  },
  knn: (draft, value, settings) => {
    draft.knn = readKnnSections(value, settings, queryParser(settings));
  },
  retriever: (draft, value) => {
    if (!value.isObject) throw unknownKey(value);
    draft.retriever = value;
  },
  stats: (draft, value) => {
    draft.stats = value.items().map(readText);
  },
};

/** Keys that take one value as a list of one nowhere but in hits within hits. */
const LISTS: ReadonlySet<string> = new Set(['docvalue_fields', 'fields', 'stats']);

export function readSearchBody(body: Place, settings: SearchSettings, draft: SearchDraft): void {
  if (!body.isObject) throw body.error(`Expected [START_OBJECT] but found [${body.token}]`);
  for (const [key, value] of body.members()) readKey(draft, key, value, settings);
}

/** Reads one member of a search. */
export function readKey(draft: SearchDraft, key: string, value: Place, settings: SearchSettings): void {
  const read = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  if (LISTS.has(key) && !value.isArray) throw unknownKey(value);
  if (read !== undefined) read(draft, value, settings);
  else if (UNSUPPORTED_KEYS.has(key)) throw value.error(`[${key}] is not supported`, 'illegal_argument_exception');
  else throw unknownKey(value);
}

export function checkFrom(from: number): number {
  if (from < 0) throw illegalArgument(`[from] parameter cannot be negative, found [${from}]`);
  return from;
}

export function checkSize(size: number): number {
  if (size < 0) throw illegalArgument(`[size] parameter cannot be negative, found [${size}]`);
  return size;
}

export function checkTerminateAfter(count: number): number {
  if (count < 0) throw illegalArgument('terminateAfter must be > 0');
  return count;
}

/** What a request says that wants no timeout, whatever the cluster's default. */
export const NO_TIMEOUT_MS = -1;

export function setTimeout(draft: SearchDraft, text: string): void {
  draft.timeout_ms = Math.max(NO_TIMEOUT_MS, Math.ceil(parseTimeMs(text, 'timeout')));
}

export function readTrackTotalHits(place: Place): TrackTotalHitsPlan {
  if (place.value === true || place.value === 'true') return 'exact';
  if (place.value === false || place.value === 'false') return 'disabled';
  const count = readInt(place);
  if (count === -1) return 'disabled';
  if (count < 0) throw illegalArgument(`[track_total_hits] parameter must be positive or equals to -1, got ${count}`);
  return { up_to: count };
}

function readPit(place: Place): PitRequest {
  let id: string | undefined;
  let keepAlive: string | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'id') id = readText(value);
    else if (name === 'keep_alive') keepAlive = readText(value);
    else throw value.errorWithPlace(`[pit] unknown field [${name}]`);
  }
  if (id === undefined || id === '') throw illegalArgument('point in time id is not provided');
  return { id, keepAlive };
}

/** A list of objects with one index each; an object with several is how older requests say it. The first that fits counts. */
function readIndicesBoost(place: Place): readonly IndexBoostPlan[] {
  return place.items().flatMap((item) => {
    if (!item.isObject) throw item.error(`Expected [START_OBJECT] in [indices_boost] but found [${item.token}]`);
    return item.members().map(([index, value]) => ({ index, boost: readNumber(value) }));
  });
}

function readSearchAfter(place: Place): readonly JsonScalar[] {
  if (!place.isArray) throw place.error('Expected [VALUE_STRING] or [START_ARRAY] in [search_after] but found a value');
  const values = place.items().map(readScalar);
  if (values.length === 0) throw illegalArgument('Values must contains at least one value.');
  return values;
}
