/** Where two answers to the same search differ, as a class that requests can be counted by, and as what is there. */
import { at, isArray, isObject, type Json, type JsonObject } from '../json.js';

export interface SearchAnswer {
  readonly status: number;
  readonly body: Json;
}

export interface Difference {
  /** The place without names and numbers that vary: differences of one cause have the same. */
  readonly kind: string;
  readonly ours: Json | undefined;
  readonly theirs: Json | undefined;
}

/** Scores are 32 bits wide, and are added up in another order. */
const SCORES_APART = 2e-5;
const VALUES_APART = 1e-9;
/** Members that tell of the server, not of the documents. */
const IGNORED: ReadonlySet<string> = new Set([
  'took',
  '_shards',
  '_index',
  'timed_out',
  'terminated_early',
  'num_reduce_phases',
  '_type',
  'profile',
  '_ignored',
]);
/** Estimates that are made by other ways than the peer's. */
const ESTIMATES: ReadonlySet<string> = new Set([
  'percentiles',
  'percentile_ranks',
  'median_absolute_deviation',
  'boxplot',
  'variable_width_histogram',
]);

export function differenceOf(ours: SearchAnswer, theirs: SearchAnswer, request: JsonObject): Difference | undefined {
  if (ours.status !== theirs.status)
    return {
      kind: `status ${ours.status} and ${theirs.status}`,
      ours: errorOf(ours.body),
      theirs: errorOf(theirs.body),
    };
  if (ours.status !== 200) return undefined;
  return (
    totals(ours.body, theirs.body) ??
    hitLists(at(ours.body, 'hits'), at(theirs.body, 'hits'), 'hits') ??
    aggregations(at(ours.body, 'aggregations'), at(theirs.body, 'aggregations'), request) ??
    values(at(ours.body, 'suggest'), at(theirs.body, 'suggest'), 'suggest', SCORES_APART)
  );
}

const errorOf = (body: Json): Json | undefined => at(body, 'error') ?? null;

function totals(ours: Json, theirs: Json): Difference | undefined {
  return values(at(ours, 'hits', 'total'), at(theirs, 'hits', 'total'), 'hits.total', 0);
}

/** Hits by their scores and sort values; those alike in these may come in any order, and the last of such a row may be others. */
function hitLists(ours: Json | undefined, theirs: Json | undefined, place: string): Difference | undefined {
  const [left, right] = [at(ours, 'hits'), at(theirs, 'hits')];
  if (!isArray(left) || !isArray(right)) return values(left, right, place, 0);
  const ranked = values(left.map(rankOf), right.map(rankOf), `${place} ranks`, SCORES_APART);
  if (ranked !== undefined) return ranked;
  const best = values(at(ours, 'max_score'), at(theirs, 'max_score'), `${place}.max_score`, SCORES_APART);
  if (best !== undefined) return best;
  const others = new Map(right.map((hit) => [identityOf(hit), hit]));
  for (const [rank, hit] of left.entries()) {
    const other = others.get(identityOf(hit));
    if (other === undefined) {
      if (isTied(left, rank)) continue;
      return { kind: `${place} ids`, ours: hit, theirs: right[rank] };
    }
    const different = hitContents(hit, other, place);
    if (different !== undefined) return different;
  }
  return undefined;
}

/** Nested objects have the id of the document that they are in. */
function identityOf(hit: Json): string {
  return JSON.stringify([at(hit, '_id') ?? null, at(hit, '_nested') ?? null]);
}

/** Whether another document may be in the place of this hit: one as good may be next to it, or have been cut off. */
function isTied(hits: readonly Json[], rank: number): boolean {
  const own = JSON.stringify(rankOf(hits[rank] ?? null));
  return rank === hits.length - 1 || own === JSON.stringify(rankOf(hits.at(-1) ?? null));
}

function rankOf(hit: Json): Json {
  const sort = at(hit, 'sort');
  return [at(hit, '_score') ?? null, isArray(sort) ? sort.map(sortValue) : null];
}

/** What stands for a missing number: OpenSearch takes the extremes of 32 bits for small whole numbers. */
function sortValue(value: Json): Json {
  return typeof value === 'number' && Math.abs(value) >= 2_147_483_647 && Math.abs(value) <= 2_147_483_648
    ? Math.sign(value) * 2 ** 63
    : value;
}

function hitContents(ours: Json, theirs: Json, place: string): Difference | undefined {
  if (!isObject(ours) || !isObject(theirs)) return undefined;
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (IGNORED.has(name) || name === '_score' || name === 'sort' || name === '_id') continue;
    const found =
      name === 'inner_hits'
        ? innerHits(ours[name], theirs[name])
        : values(ours[name], theirs[name], `${place}.${name}`, VALUES_APART);
    if (found !== undefined) return found;
  }
  return undefined;
}

function innerHits(ours: Json | undefined, theirs: Json | undefined): Difference | undefined {
  if (!isObject(ours) || !isObject(theirs)) return values(ours, theirs, 'inner_hits', 0);
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [left, right] = [at(ours, name, 'hits'), at(theirs, name, 'hits')];
    const found =
      values(at(left, 'total'), at(right, 'total'), 'inner_hits.total', 0) ?? hitLists(left, right, 'inner_hits');
    if (found !== undefined) return found;
  }
  return undefined;
}

function aggregations(ours: Json | undefined, theirs: Json | undefined, request: JsonObject): Difference | undefined {
  const estimated = new Set(estimatesIn(at(request, 'aggs')));
  return aggregation(ours, theirs, 'aggregations', estimated);
}

/** The names of aggregations that are estimates, at any depth. */
function* estimatesIn(aggs: Json | undefined): Generator<string> {
  if (!isObject(aggs)) return;
  for (const [name, body] of Object.entries(aggs)) {
    if (!isObject(body)) continue;
    if (Object.keys(body).some((kind) => ESTIMATES.has(kind))) yield name;
    yield* estimatesIn(body['aggs']);
  }
}

function aggregation(
  ours: Json | undefined,
  theirs: Json | undefined,
  place: string,
  estimated: ReadonlySet<string>,
): Difference | undefined {
  if (isObject(ours) && isObject(theirs)) {
    if (isObject(ours['hits']) && isObject(theirs['hits']))
      return totals(ours, theirs) ?? hitLists(ours['hits'], theirs['hits'], 'top_hits');
    for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      if (estimated.has(name) || name === 'meta') continue;
      const step = /^[a-z_]{3,}$/.test(name) ? name : '*';
      const found = aggregation(ours[name], theirs[name], `${place}.${step}`, estimated);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isArray(ours) || !isArray(theirs)) return values(ours, theirs, place, VALUES_APART);
  if (ours.length !== theirs.length) return { kind: `${place} length`, ours, theirs };
  const [left, right] = [inFixedOrder(ours), inFixedOrder(theirs)];
  for (const [rank, each] of left.entries()) {
    const other = right[rank];
    const isCutTie = at(each, 'bg_count') !== undefined && at(each, 'score') === at(left.at(-1), 'score');
    if (isCutTie && at(each, 'key') !== at(other, 'key')) return undefined;
    const found = aggregation(each, other, place, estimated);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Significant buckets of one score, and the fields of a matrix, are told in any order. */
function inFixedOrder(values: readonly Json[]): readonly Json[] {
  const isRanked = at(values[0], 'bg_count') !== undefined;
  if (!isRanked && at(values[0], 'covariance') === undefined) return values;
  const score = (value: Json): number => (isRanked ? Number(at(value, 'score')) : 0);
  const name = (value: Json): string => JSON.stringify(at(value, isRanked ? 'key' : 'name') ?? null);
  return values.toSorted(
    (left, right) => score(right) - score(left) || (name(left) < name(right) ? -1 : Number(name(left) > name(right))),
  );
}

function values(
  ours: Json | undefined,
  theirs: Json | undefined,
  place: string,
  apart: number,
): Difference | undefined {
  if (typeof ours === 'number' && typeof theirs === 'number') {
    return areNear(ours, theirs, apart) ? undefined : { kind: place, ours, theirs };
  }
  if (isArray(ours) && isArray(theirs)) {
    if (ours.length !== theirs.length) return { kind: `${place} length`, ours, theirs };
    for (const [rank, each] of ours.entries()) {
      const found = values(each, theirs[rank], place, apart);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isObject(ours) && isObject(theirs)) {
    for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      if (IGNORED.has(name)) continue;
      const found = values(ours[name], theirs[name], `${place}.${name}`, apart);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return ours === theirs ? undefined : { kind: place, ours, theirs };
}

function areNear(ours: number, theirs: number, apart: number): boolean {
  return Math.abs(ours - theirs) <= apart * Math.max(1e-6, Math.abs(ours), Math.abs(theirs));
}
