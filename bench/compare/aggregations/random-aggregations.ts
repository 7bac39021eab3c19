/** Random trees of aggregations. */
import type { Chance } from '../chance.js';
import type { Json, JsonObject } from '../../json.js';
import { ORDERING, bucketAggregations } from './buckets.js';
import { metricAggregations, numberField } from './metrics.js';
import { parentPipelines, siblingPipelines } from './pipelines.js';

const BUCKETS = Object.keys(bucketAggregations);
const METRICS = Object.keys(metricAggregations);
const PARENT_PIPELINES = Object.keys(parentPipelines(ORDERING));
const SIBLING_PIPELINES = Object.keys(siblingPipelines('', ORDERING));

/** The names of all kinds. */
export const AGGREGATION_NAMES: readonly string[] = [
  ...BUCKETS,
  ...METRICS,
  ...PARENT_PIPELINES,
  ...SIBLING_PIPELINES,
  'global',
  'reverse_nested',
];

/** The members of `aggs`, one of them of the kind that is named. */
export function aggregationsOf(name: string, chance: Chance, depth: number): JsonObject {
  if (PARENT_PIPELINES.includes(name)) return withParentPipeline(name, chance);
  if (SIBLING_PIPELINES.includes(name)) return withSiblingPipeline(name, chance, depth);
  if (name === 'global') return { a: { global: {}, ...below(chance, depth, {}) } };
  if (name === 'reverse_nested') return reverseNested(chance, depth);
  const metric = metricAggregations[name];
  if (metric !== undefined) return { a: { [name]: metric(chance) } };
  return { a: bucketOf(name, chance, depth) };
}

function bucketOf(name: string, chance: Chance, depth: number): JsonObject {
  const make = bucketAggregations[name];
  if (make === undefined) throw new Error(`no aggregation ${name}`);
  const body = make(chance);
  const isOrdered = JSON.stringify(body['order'] ?? null).includes(ORDERING);
  return { [name]: body, ...below(chance, depth, isOrdered ? orderingMetric(chance) : {}, name) };
}

function orderingMetric(chance: Chance): JsonObject {
  return { [ORDERING]: { [chance.pick(['sum', 'max', 'min', 'avg'])]: { field: numberField(chance) } } };
}

/** What lies below buckets: more of them while there are levels, metrics, or nothing. */
function below(chance: Chance, depth: number, wanted: JsonObject, around?: string): JsonObject {
  const members: Record<string, Json> = { ...wanted };
  if (around === 'nested' && chance.yes(0.6)) members['n'] = chance.pick(ofComments);
  const inside = around === 'nested' ? BUCKETS.filter((kind) => kind !== 'nested') : BUCKETS;
  if (depth > 0 && chance.yes(0.5)) members['b'] = bucketOf(chance.pick(inside), chance, depth - 1);
  if (depth > 0 && chance.yes(0.5))
    Object.assign(members, { m: aggregationsOf(chance.pick(METRICS), chance, 0)['a'] ?? {} });
  return Object.keys(members).length === 0 ? {} : { aggs: members };
}

const ofComments: readonly JsonObject[] = [
  { avg: { field: 'comments.stars' } },
  {
    terms: { field: 'comments.author' },
    aggs: { back: { reverse_nested: {}, aggs: { t: { terms: { field: 'tags' } } } } },
  },
  { terms: { field: 'comments.stars' }, aggs: { max: { max: { field: 'comments.when' } } } },
  { nested: { path: 'comments.replies' }, aggs: { s: { stats: { field: 'comments.replies.likes' } } } },
  { date_histogram: { field: 'comments.when', calendar_interval: 'month' } },
  { top_hits: { size: 2, sort: [{ 'comments.stars': 'desc' }, { 'comments.when': 'asc' }], _source: false } },
  { filter: { match: { 'comments.text': 'amber' } }, aggs: { c: { value_count: { field: 'comments.author' } } } },
];

function reverseNested(chance: Chance, depth: number): JsonObject {
  const back = { back: { reverse_nested: {}, ...below(chance, depth, {}) } };
  return {
    a: { nested: { path: 'comments' }, aggs: { authors: { terms: { field: 'comments.author' }, aggs: back } } },
  };
}

function withParentPipeline(name: string, chance: Chance): JsonObject {
  const [kind, histogram] = chance.pick<readonly [string, JsonObject]>([
    ['date_histogram', { field: 'day', calendar_interval: chance.pick(['month', 'week']), min_doc_count: 0 }],
    [
      'histogram',
      { field: chance.pick(['whole', 'small', 'double']), interval: chance.pick([10, 50]), min_doc_count: 0 },
    ],
  ]);
  const pipeline = parentPipelines(ORDERING)[name];
  const members = { ...orderingMetric(chance), p: { [name]: pipeline?.(chance) ?? {} } };
  return { a: { [kind]: histogram, aggs: members } };
}

function withSiblingPipeline(name: string, chance: Chance, depth: number): JsonObject {
  const kind = chance.pick(['terms', 'date_histogram', 'histogram', 'range', 'filters']);
  const body = bucketAggregations[kind]?.(chance) ?? {};
  const pipeline = siblingPipelines('a', ORDERING)[name];
  return {
    a: { [kind]: body, ...below(chance, depth - 1, orderingMetric(chance)) },
    p: { [name]: pipeline?.(chance) ?? {} },
  };
}
