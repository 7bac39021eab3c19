/** The table of aggregations. A new one is added here and nowhere else. */
import { adjacencyMatrixAggregation } from './buckets/adjacency-matrix.js';
import type { AggregationParser } from './aggregation-parser.js';
import { autoDateHistogramAggregation } from './buckets/auto-date-histogram.js';
import { compositeAggregation } from './buckets/composite.js';
import { filterAggregations } from './buckets/filters.js';
import { geoAggregations } from './buckets/geo.js';
import { globalAggregation } from './buckets/global.js';
import { histogramAggregations } from './buckets/histograms.js';
import { ipRangeAggregation } from './buckets/ip-range.js';
import { ipPrefixAggregation } from './buckets/ip-prefix.js';
import { joinedAggregations } from './buckets/joined.js';
import { matrixStatsAggregation } from './metrics/matrix-stats.js';
import { metricAggregations } from './metrics/metrics.js';
import { multiTermsAggregation } from './buckets/multi-terms.js';
import { nestedAggregations } from './buckets/nested.js';
import { percentileAggregations } from './metrics/percentiles.js';
import { bucketSort } from './pipelines/bucket-sort.js';
import { parentPipelines } from './pipelines/parent-pipelines.js';
import { siblingPipelines } from './pipelines/sibling-pipelines.js';
import { rangeAggregations } from './buckets/ranges.js';
import { rateAggregation } from './metrics/rate.js';
import { samplerAggregations } from './buckets/samplers.js';
import { scriptedMetric } from './metrics/scripted-metric.js';
import { significantTermsAggregation, significantTextAggregation } from './buckets/significant-terms.js';
import { stringStatsAggregation } from './metrics/string-stats.js';
import { tTestAggregation } from './metrics/t-test.js';
import { termsAggregations } from './buckets/terms.js';
import { topHitsAggregation } from './metrics/top-hits.js';
import { topMetricsAggregation } from './metrics/top-metrics.js';
import { variableWidthHistogramAggregation } from './buckets/variable-width-histogram.js';
import { weightedAvgAggregation } from './metrics/weighted-avg.js';

const PARSERS: readonly AggregationParser[] = [
  ...termsAggregations,
  ...filterAggregations,
  ...geoAggregations,
  ...histogramAggregations,
  ...metricAggregations,
  ...joinedAggregations,
  ...nestedAggregations,
  ...percentileAggregations,
  ...rangeAggregations,
  ...parentPipelines,
  ...siblingPipelines,
  adjacencyMatrixAggregation,
  autoDateHistogramAggregation,
  bucketSort,
  compositeAggregation,
  globalAggregation,
  ipPrefixAggregation,
  ipRangeAggregation,
  matrixStatsAggregation,
  multiTermsAggregation,
  rateAggregation,
  ...samplerAggregations,
  significantTermsAggregation,
  significantTextAggregation,
  scriptedMetric,
  stringStatsAggregation,
  tTestAggregation,
  topHitsAggregation,
  topMetricsAggregation,
  variableWidthHistogramAggregation,
  weightedAvgAggregation,
];

export const AGGREGATION_PARSERS: ReadonlyMap<string, AggregationParser> = new Map(
  PARSERS.map((parser) => [parser.name, parser]),
);

/** Aggregations of the API that are refused by name until they are there. */
export const UNSUPPORTED_AGGREGATIONS: ReadonlySet<string> = new Set([
  ...['categorize_text', 'change_point', 'frequent_item_sets', 'geo_line', 'inference'],
  ...['moving_avg'],
  ...['random_sampler', 'time_series'],
]);
