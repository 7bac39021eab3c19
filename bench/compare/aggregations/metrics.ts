/** Random metric aggregations. */
import type { Chance, Option } from '../chance.js';
import * as fields from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import type { AggregationKinds } from './kind.js';

export const numberField = (chance: Chance): string => chance.pick(fields.NUMBERS).name;

/** Numbers, and what counts as such. */
function numeric(chance: Chance): string {
  return chance.yes(0.75)
    ? numberField(chance)
    : chance.pick(['day', 'flag', 'stamp', 'serial', 'inner.number', 'title.length']);
}

export const missingNumber = (chance: Chance): Readonly<Record<string, Option>> => ({
  missing: [0.15, () => chance.between(-5, 30)],
});

const format = (chance: Chance): Readonly<Record<string, Option>> => ({
  format: [0.08, () => chance.pick(['0.00', '#,##0.0', '0'])],
});

function ofNumbers(chance: Chance): JsonObject {
  if (chance.yes(0.08)) return { script: { source: "doc['serial'].value * 2" } };
  const field = numeric(chance);
  if (field === 'day' || field === 'stamp' || field === 'flag') return { field };
  return { field, ...chance.options({ ...missingNumber(chance), ...format(chance) }) };
}

/** Any field whose values can be counted. */
function anyField(chance: Chance): string {
  return chance.yes(0.5)
    ? numeric(chance)
    : chance.pick([...fields.KEYWORDS, 'address', 'same', 'inner.word', 'comments.author', 'absent']);
}

const percents = (chance: Chance): Json => chance.pick<Json>([[50], [0, 100], [5, 25, 75.5, 99]]);

function topHits(chance: Chance): JsonObject {
  return chance.options({
    size: [0.6, () => chance.between(1, 4)],
    from: [0.1, () => 1],
    _source: [0.7, () => chance.pick<Json>([false, ['tags', 'serial']])],
    sort: [0.6, () => [{ [chance.pick(['whole', 'day', 'single'])]: chance.pick(['asc', 'desc']) }, { serial: 'asc' }]],
    docvalue_fields: [0.2, () => ['tiny', 'day']],
    version: [0.1, () => true],
  });
}

function weighted(chance: Chance): JsonObject {
  return {
    value: { field: chance.pick(['whole', 'single', 'double']), ...chance.options(missingNumber(chance)) },
    weight: { field: 'single_value', ...chance.options(missingNumber(chance)) },
    ...chance.options(format(chance)),
  };
}

export const metricAggregations: AggregationKinds = {
  min: ofNumbers,
  max: ofNumbers,
  sum: ofNumbers,
  avg: ofNumbers,
  stats: ofNumbers,
  extended_stats: (chance) => ({
    ...ofNumbers(chance),
    ...chance.options({ sigma: [0.3, () => chance.pick([1, 3])] }),
  }),
  value_count: (chance) => ({ field: anyField(chance) }),
  cardinality: (chance) => ({
    field: anyField(chance),
    ...chance.options({ precision_threshold: [0.3, () => chance.pick([1000, 3000])] }),
  }),
  weighted_avg: weighted,
  median_absolute_deviation: (chance) => ({ field: numberField(chance) }),
  percentiles: (chance) => ({
    field: numberField(chance),
    ...chance.options({
      percents: [0.6, () => percents(chance)],
      keyed: [0.2, () => false],
      hdr: [0.2, () => ({ number_of_significant_value_digits: 3 })],
    }),
  }),
  percentile_ranks: (chance) => ({
    field: numberField(chance),
    values: chance.times(1, 3, () => chance.between(-20, 100)),
    ...chance.options({ keyed: [0.2, () => false] }),
  }),
  boxplot: (chance) => ({ field: numberField(chance) }),
  string_stats: (chance) => ({
    field: chance.pick(fields.KEYWORDS),
    ...chance.options({ show_distribution: [0.5, () => true] }),
  }),
  matrix_stats: (chance) => ({ fields: chance.some(['whole', 'single', 'double', 'small', 'serial'], 3) }),
  top_hits: topHits,
  top_metrics: (chance) => ({
    metrics: [{ field: chance.pick(['whole', 'serial', 'single_value']) }],
    sort: { serial: chance.pick(['asc', 'desc']) },
    ...chance.options({ size: [0.3, () => chance.between(1, 3)] }),
  }),
  scripted_metric: (chance) => ({
    init_script: 'state.sum = 0',
    map_script: `state.sum += doc['serial'].value * ${chance.between(1, 3)}`,
    combine_script: 'return state.sum',
    reduce_script: 'long total = 0; for (s in states) { if (s != null) { total += s } } return total',
  }),
  geo_bounds: (chance) => ({ field: 'place', ...chance.options({ wrap_longitude: [0.3, () => false] }) }),
  geo_centroid: () => ({ field: 'place' }),
};
