/** The aggregations that searches may name, each with the kinds of values that it works on. */
import type { JsonObject } from '../../../base/json-value.js';
import { AGGREGATION_PARSERS } from '../../../search/aggs/aggregation-parsers.js';

const ANY = ['boolean', 'bytes', 'date', 'ip', 'numeric'];
const NUMBERS = ['boolean', 'date', 'numeric'];

/** What is not listed takes no values of its own. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  auto_date_histogram: NUMBERS,
  avg: NUMBERS,
  boxplot: NUMBERS,
  cardinality: ANY,
  date_histogram: NUMBERS,
  date_range: NUMBERS,
  diversified_sampler: ANY,
  extended_stats: NUMBERS,
  geo_bounds: ['geopoint', 'geoshape'],
  geo_centroid: ['geopoint'],
  geo_distance: ['geopoint'],
  geohash_grid: ['geopoint', 'geoshape'],
  geohex_grid: ['geopoint'],
  geotile_grid: ['geopoint', 'geoshape'],
  histogram: NUMBERS,
  ip_prefix: ['ip'],
  ip_range: ['ip'],
  max: NUMBERS,
  median_absolute_deviation: NUMBERS,
  min: NUMBERS,
  missing: ANY,
  percentile_ranks: NUMBERS,
  percentiles: NUMBERS,
  range: NUMBERS,
  rare_terms: ANY,
  rate: NUMBERS,
  significant_terms: ANY,
  stats: NUMBERS,
  string_stats: ['bytes'],
  sum: NUMBERS,
  terms: ANY,
  value_count: ANY,
  variable_width_histogram: NUMBERS,
};

export function aggregationTypes(): JsonObject {
  const names = [...AGGREGATION_PARSERS.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, { types: VALUES[name] ?? ['other'] }]));
}
