/** The table of aggregations. A new one is added here and nowhere else. */
import type { AggregationParser } from './aggregation-parser.js';
import { filterAggregations } from './filters.js';
import { globalAggregation } from './global.js';
import { histogramAggregations } from './histograms.js';
import { metricAggregations } from './metrics.js';
import { percentileAggregations } from './percentiles.js';
import { rangeAggregations } from './ranges.js';
import { termsAggregation } from './terms.js';
import { topHitsAggregation } from './top-hits.js';
import { weightedAvgAggregation } from './weighted-avg.js';

const PARSERS: readonly AggregationParser[] = [
  termsAggregation,
  ...filterAggregations,
  ...histogramAggregations,
  ...metricAggregations,
  ...percentileAggregations,
  ...rangeAggregations,
  globalAggregation,
  topHitsAggregation,
  weightedAvgAggregation,
];

export const AGGREGATION_PARSERS: ReadonlyMap<string, AggregationParser> = new Map(
  PARSERS.map((parser) => [parser.name, parser]),
);

/** Aggregations of the API that are refused by name until they are there. */
export const UNSUPPORTED_AGGREGATIONS: ReadonlySet<string> = new Set([
  ...['adjacency_matrix', 'auto_date_histogram', 'avg_bucket', 'boxplot', 'bucket_script', 'bucket_selector'],
  ...['bucket_sort', 'children', 'composite', 'cumulative_cardinality', 'cumulative_sum', 'derivative'],
  ...['diversified_sampler', 'extended_stats_bucket', 'geo_bounds', 'geo_centroid', 'geo_distance', 'geohash_grid'],
  ...['geohex_grid', 'geotile_grid', 'inference', 'ip_prefix', 'ip_range', 'matrix_stats', 'max_bucket'],
  ...['min_bucket', 'moving_avg', 'moving_fn', 'moving_percentiles', 'multi_terms'],
  ...['nested', 'normalize', 'parent', 'percentiles_bucket', 'random_sampler'],
  ...['rare_terms', 'rate', 'reverse_nested', 'sampler', 'scripted_metric', 'serial_diff', 'significant_terms'],
  ...['significant_text', 'stats_bucket', 'string_stats', 'sum_bucket', 't_test', 'time_series'],
  ...['top_metrics', 'variable_width_histogram'],
]);
