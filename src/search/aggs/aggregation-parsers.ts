/** The table of aggregations. A new one is added here and nowhere else. */
import { adjacencyMatrixAggregation } from './adjacency-matrix.js';
import type { AggregationParser } from './aggregation-parser.js';
import { autoDateHistogramAggregation } from './auto-date-histogram.js';
import { compositeAggregation } from './composite.js';
import { filterAggregations } from './filters.js';
import { geoAggregations } from './geo.js';
import { globalAggregation } from './global.js';
import { histogramAggregations } from './histograms.js';
import { ipRangeAggregation } from './ip-range.js';
import { ipPrefixAggregation } from './ip-prefix.js';
import { joinedAggregations } from './joined.js';
import { matrixStatsAggregation } from './matrix-stats.js';
import { metricAggregations } from './metrics.js';
import { multiTermsAggregation } from './multi-terms.js';
import { nestedAggregations } from './nested.js';
import { percentileAggregations } from './percentiles.js';
import { bucketSort } from './pipelines/bucket-sort.js';
import { parentPipelines } from './pipelines/parent-pipelines.js';
import { siblingPipelines } from './pipelines/sibling-pipelines.js';
import { rangeAggregations } from './ranges.js';
import { rateAggregation } from './rate.js';
import { samplerAggregations } from './samplers.js';
import { scriptedMetric } from './scripted-metric.js';
import { significantTermsAggregation, significantTextAggregation } from './significant-terms.js';
import { stringStatsAggregation } from './string-stats.js';
import { tTestAggregation } from './t-test.js';
import { termsAggregations } from './terms.js';
import { topHitsAggregation } from './top-hits.js';
import { topMetricsAggregation } from './top-metrics.js';
import { variableWidthHistogramAggregation } from './variable-width-histogram.js';
import { weightedAvgAggregation } from './weighted-avg.js';

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
