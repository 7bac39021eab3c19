/** Random bucket aggregations, without what is below them. */
import type { Chance, Option } from '../chance.js';
import * as fields from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import { anyPlace } from '../queries/geo.js';
import { randomQuery } from '../queries/random-query.js';
import type { AggregationKinds } from './kind.js';
import { missingNumber, numberField } from './metrics.js';

/** The name that orders refer to, of a metric that whoever asks for such an order has to put below. */
export const ORDERING = 'ordering';

const direction = (chance: Chance): string => chance.pick(['asc', 'desc']);
const minDocCount = (chance: Chance): Option => [0.25, () => chance.pick([0, 1, 2, 3])];
const ZONES = ['+02:00', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', '-07:30'] as const;
const zone = (chance: Chance): Option => [0.25, () => chance.pick(ZONES)];
const dateFormat = (chance: Chance): Option => [
  0.2,
  () => chance.pick(['yyyy-MM-dd', 'yyyy/MM', 'epoch_second', 'date_hour']),
];
const keyed = (chance: Chance): Option => [0.15, () => chance.yes(0.8)];

function termsOrder(chance: Chance): Json {
  return chance.pick<Json>([
    { _key: direction(chance) },
    { _count: direction(chance) },
    { [ORDERING]: direction(chance) },
    [{ [ORDERING]: direction(chance) }, { _key: 'desc' }],
    [{ _count: 'asc' }, { _key: 'desc' }],
  ]);
}

function termsOfWords(chance: Chance): JsonObject {
  return {
    field: chance.pick([...fields.KEYWORDS, 'same', 'wild', 'inner.word', 'note', 'relation']),
    ...chance.options({
      include: [0.1, () => chance.pick<Json>(['[a-r].*', ['red', 'green', 'nothing'], '.*e.*'])],
      exclude: [0.1, () => chance.pick<Json>(['b.*', ['red'], 'x+y?'])],
      missing: [0.15, () => chance.pick(['zzz', 'red'])],
      execution_hint: [0.1, () => chance.pick(['map', 'global_ordinals'])],
    }),
  };
}

function termsOfValues(chance: Chance): JsonObject {
  return chance.one<JsonObject>(
    () => ({ field: numberField(chance), ...chance.options(missingNumber(chance)) }),
    () => ({ field: 'flag', ...chance.options({ missing: [0.2, () => true] }) }),
    () => ({ field: chance.pick(['day', 'stamp']), ...chance.options({ format: [0.2, () => 'yyyy-MM'] }) }),
    () => ({ field: 'address' }),
    () => ({ field: 'whole', include: [1, 2, 3, 4, 5, 6, 7] }),
    () => ({ script: { source: "doc['serial'].value % 5" } }),
    () => ({ field: 'tiny', include: { partition: chance.between(0, 2), num_partitions: 3 } }),
  );
}

function terms(chance: Chance): JsonObject {
  return {
    ...(chance.yes(0.6) ? termsOfWords(chance) : termsOfValues(chance)),
    ...chance.options({
      size: [0.6, () => chance.between(1, 30)],
      order: [0.4, () => termsOrder(chance)],
      min_doc_count: minDocCount(chance),
      shard_size: [0.05, () => chance.between(30, 60)],
      show_term_doc_count_error: [0.05, () => true],
      collect_mode: [0.1, () => chance.pick(['breadth_first', 'depth_first'])],
    }),
  };
}

function dateHistogram(chance: Chance): JsonObject {
  const interval = chance.one<JsonObject>(
    () => ({ calendar_interval: chance.pick(['day', 'week', 'month', 'quarter', 'year', '1M', '1w']) }),
    () => ({ fixed_interval: chance.pick(['12h', '7d', '30d', '90d', '36h']) }),
  );
  return {
    field: chance.pick(['day', 'day', 'stamp', 'nanos']),
    ...interval,
    ...chance.options({
      time_zone: zone(chance),
      format: dateFormat(chance),
      offset: [0.15, () => chance.pick(['+6h', '-1d', '+15m'])],
      min_doc_count: minDocCount(chance),
      order: [0.2, () => chance.pick<Json>([{ _key: 'desc' }, { _count: 'desc' }, { [ORDERING]: 'asc' }])],
      missing: [0.1, () => '2024-02-29 00:00:00'],
      keyed: keyed(chance),
      extended_bounds: [0.08, () => ({ min: 1_696_000_000_000, max: 1_740_000_000_000 })],
      hard_bounds: [0.08, () => ({ min: 1_706_000_000_000, max: 1_730_000_000_000 })],
    }),
  };
}

function histogram(chance: Chance): JsonObject {
  return {
    // Not a field whose values are far apart: millions of buckets are more than a server bears.
    field: chance.pick(['tiny', 'small', 'whole', 'half', 'single', 'double', 'scaled', 'span_integer', 'span_float']),
    interval: chance.pick([10, 25, 0.5, 100, 7]),
    ...chance.options({
      offset: [0.2, () => chance.between(1, 6)],
      min_doc_count: minDocCount(chance),
      order: [0.2, () => chance.pick<Json>([{ _key: 'desc' }, { _count: 'desc' }, { [ORDERING]: 'desc' }])],
      ...missingNumber(chance),
      keyed: keyed(chance),
      extended_bounds: [0.1, () => ({ min: -50, max: 100 })],
      hard_bounds: [0.1, () => ({ min: -20, max: 80 })],
      format: [0.08, () => '0.0'],
    }),
  };
}

function numberRanges(chance: Chance): JsonObject[] {
  return chance.times<JsonObject>(1, 4, () => {
    const from = chance.between(-50, 100);
    return chance.one<JsonObject>(
      () => ({ from }),
      () => ({ to: from }),
      () => ({ from, to: from + chance.between(1, 100) }),
      () => ({ key: `k${from}`, from, to: from + 20 }),
    );
  });
}

function dateRanges(chance: Chance): JsonObject[] {
  return chance.times<JsonObject>(1, 3, () =>
    chance.one<JsonObject>(
      () => ({ from: fields.day(chance) }),
      () => ({ to: `${fields.day(chance)}||/M` }),
      () => ({ from: '2024-01-01', to: fields.day(chance), key: chance.pick(['one', 'two']) }),
      () => ({ from: '2023-11-15||+1M/M', to: '2024-06-30||/d' }),
    ),
  );
}

function composite(chance: Chance): JsonObject {
  const order = chance.options({ order: [0.4, () => direction(chance)], missing_bucket: [0.3, () => true] });
  const makers: readonly (() => JsonObject)[] = [
    () => ({
      terms: { field: chance.pick(['tags', 'colour', 'flag', 'tiny', 'address', 'whole', 'single']), ...order },
    }),
    () => ({ histogram: { field: chance.pick(['small', 'double']), interval: chance.pick([10, 50]), ...order } }),
    () => ({
      date_histogram: {
        field: 'day',
        ...chance.pick<JsonObject>([{ calendar_interval: 'month' }, { fixed_interval: '30d', time_zone: '+01:00' }]),
        ...order,
      },
    }),
    () => ({ geotile_grid: { field: 'place', precision: chance.between(3, 8), ...order } }),
  ];
  const sources = chance.times(1, 3, () => chance.pick(makers)()).map((source, at) => ({ [`s${at}`]: source }));
  return { sources, ...chance.options({ size: [0.7, () => chance.between(1, 40)] }) };
}

const significance = (chance: Chance): JsonObject =>
  chance.pick<JsonObject>([
    {},
    { jlh: {} },
    { mutual_information: { include_negatives: true, background_is_superset: true } },
    { chi_square: { include_negatives: false } },
    { gnd: {} },
    { percentage: {} },
  ]);

const filter = (chance: Chance): JsonObject => randomQuery(chance, chance.between(0, 1));

function addressRanges(chance: Chance): JsonObject[] {
  return chance.times<JsonObject>(1, 3, () =>
    chance.one<JsonObject>(
      () => ({ mask: `10.${chance.between(0, 2)}.0.0/${chance.between(10, 24)}` }),
      () => ({ from: `10.0.${chance.between(0, 3)}.0` }),
      () => ({ to: `10.${chance.between(1, 2)}.0.9`, key: 'low' }),
    ),
  );
}

const geoBounds: JsonObject = { top_left: { lat: 51, lon: 10 }, bottom_right: { lat: 47, lon: 16 } };

export const bucketAggregations: AggregationKinds = {
  terms,
  date_histogram: dateHistogram,
  histogram,
  range: (chance) => ({
    field: numberField(chance),
    ranges: numberRanges(chance),
    ...chance.options({ keyed: keyed(chance), ...missingNumber(chance) }),
  }),
  date_range: (chance) => ({
    field: 'day',
    ranges: dateRanges(chance),
    ...chance.options({
      keyed: keyed(chance),
      format: [0.3, () => 'yyyy-MM-dd'],
      time_zone: zone(chance),
      missing: [0.1, () => '2024-03-01'],
    }),
  }),
  ip_range: (chance) => ({
    field: 'address',
    ranges: addressRanges(chance),
    ...chance.options({ keyed: keyed(chance) }),
  }),
  filter,
  filters: (chance) =>
    chance.one<JsonObject>(
      () => ({
        filters: { one: filter(chance), two: filter(chance) },
        ...chance.options({ other_bucket_key: [0.3, () => 'rest'] }),
      }),
      () => ({ filters: [filter(chance), filter(chance)], ...chance.options({ other_bucket: [0.3, () => true] }) }),
    ),
  adjacency_matrix: (chance) => ({ filters: { a: filter(chance), b: filter(chance), c: filter(chance) } }),
  missing: (chance) => ({
    field: chance.pick(['tags', 'whole', 'day', 'flag', 'address', 'place', 'absent', 'title.raw']),
  }),
  nested: (chance) => ({ path: chance.pick(['comments', 'comments', 'comments.replies']) }),
  children: (chance) => ({ type: chance.pick(['answer', 'remark', 'vote']) }),
  parent: (chance) => ({ type: chance.pick(['answer', 'remark', 'vote']) }),
  rare_terms: (chance) => ({
    field: chance.pick(['tags', 'whole', 'title.raw', 'tiny', 'day']),
    ...chance.options({ max_doc_count: [0.6, () => chance.between(1, 6)] }),
  }),
  significant_terms: (chance) => ({
    field: chance.pick(['tags', 'colour', 'tiny']),
    ...significance(chance),
    ...chance.options({ min_doc_count: [0.6, () => chance.between(1, 3)], size: [0.4, () => chance.between(2, 12)] }),
  }),
  significant_text: (chance) => ({
    field: chance.pick(['title', 'body']),
    ...significance(chance),
    ...chance.options({ min_doc_count: [0.6, () => 1], filter_duplicate_text: [0.3, () => true] }),
  }),
  sampler: (chance) => ({ shard_size: chance.between(3, 60) }),
  diversified_sampler: (chance) => ({ shard_size: chance.between(5, 60), field: 'serial' }),
  composite,
  multi_terms: (chance) => ({
    terms: chance
      .some(['tags', 'colour', 'flag', 'tiny', 'day', 'address', 'single'], 3)
      .concat('inner.word')
      .slice(0, 3)
      .map((field) => ({ field, ...chance.options({ missing: [0, () => 1] }) })),
    ...chance.options({
      size: [0.5, () => chance.between(1, 20)],
      order: [0.3, () => termsOrder(chance)],
      min_doc_count: [0.2, () => 2],
    }),
  }),
  auto_date_histogram: (chance) => ({
    field: 'day',
    buckets: chance.between(2, 30),
    ...chance.options({ time_zone: zone(chance), format: dateFormat(chance) }),
  }),
  variable_width_histogram: (chance) => ({ field: 'single', buckets: chance.between(2, 8) }),
  geohash_grid: (chance) => ({
    field: 'place',
    precision: chance.between(1, 5),
    ...chance.options({ size: [0.3, () => chance.between(2, 20)], bounds: [0.2, () => geoBounds] }),
  }),
  geotile_grid: (chance) => ({
    field: 'place',
    precision: chance.between(1, 9),
    ...chance.options({ size: [0.3, () => chance.between(2, 20)], bounds: [0.2, () => geoBounds] }),
  }),
  geo_distance: (chance) => ({
    field: 'place',
    origin: anyPlace(chance),
    unit: chance.pick(['km', 'mi']),
    ranges: [{ to: 100 }, { from: 100, to: 300 }, { from: 300 }],
    ...chance.options({ keyed: keyed(chance), distance_type: [0.3, () => chance.pick(['arc', 'plane'])] }),
  }),
};
