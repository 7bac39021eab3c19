/** Pipelines that make one result of the buckets of an aggregation beside them. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readNumber } from '../../body/read.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';
import { PipelineOptions } from './pipeline-options.js';

const SIGMA_DEFAULT = 2;
const PERCENTS_DEFAULT: readonly number[] = [1, 5, 25, 50, 75, 95, 99];

function bucketMetric(name: string): AggregationParser {
  return {
    name,
    takesChildren: false,
    pipeline: 'sibling',
    parse(place, context) {
      const options = new PipelineOptions(name, context);
      readMembers(place, name, options.readers);
      return { pipeline: { [name]: options.input(place) } };
    },
  };
}

const extendedStats: AggregationParser = {
  name: 'extended_stats_bucket',
  takesChildren: false,
  pipeline: 'sibling',
  parse(place, context) {
    const options = new PipelineOptions('extended_stats_bucket', context);
    let sigma = SIGMA_DEFAULT;
    readMembers(place, 'extended_stats_bucket', {
      ...options.readers,
      sigma: (value) => void (sigma = readNumber(value)),
    });
    if (sigma < 0) throw illegalArgument('sigma must be a non-negative double');
    return { pipeline: { extended_stats_bucket: { input: options.input(place), sigma } } };
  },
};

const percentiles: AggregationParser = {
  name: 'percentiles_bucket',
  takesChildren: false,
  pipeline: 'sibling',
  parse(place, context) {
    const options = new PipelineOptions('percentiles_bucket', context);
    let percents = PERCENTS_DEFAULT;
    let keyed = true;
    readMembers(place, 'percentiles_bucket', {
      ...options.readers,
      percents: (value) => void (percents = readPercents(value)),
      keyed: (value) => void (keyed = readBoolean(value)),
    });
    return { pipeline: { percentiles_bucket: { input: options.input(place), percents, keyed } } };
  },
};

function readPercents(place: Place): readonly number[] {
  const percents = place.items().map(readNumber);
  if (percents.some((percent) => percent < 0 || percent > 100)) {
    throw illegalArgument('[percents] must only contain non-null doubles from 0.0-100.0 inclusive');
  }
  return percents;
}

export const siblingPipelines: readonly AggregationParser[] = [
  ...['avg_bucket', 'sum_bucket', 'min_bucket', 'max_bucket', 'stats_bucket'].map(bucketMetric),
  extendedStats,
  percentiles,
];
