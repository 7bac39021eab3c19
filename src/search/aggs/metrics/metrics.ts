/** Metrics: `min`, `max`, `sum`, `avg`, `stats`, `extended_stats`, `value_count`, `cardinality`. */
import { illegalArgument } from '../../../base/errors.js';
import { readInt, readNumber, readText } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

const PRECISION_THRESHOLD_DEFAULT = 3_000;
const SIGMA_DEFAULT = 2;

function metric(name: string): AggregationParser {
  return {
    name,
    takesChildren: false,
    parse(place) {
      const options = new SourceOptions(name);
      readMembers(place, name, options.readers);
      return { [name]: { source: options.source(place) } };
    },
  };
}

const extendedStats: AggregationParser = {
  name: 'extended_stats',
  takesChildren: false,
  parse(place, context) {
    const options = new SourceOptions('extended_stats');
    let sigma = SIGMA_DEFAULT;
    readMembers(place, 'extended_stats', {
      ...options.readers,
      sigma: (value) => {
        sigma = readNumber(value);
        if (sigma < 0) {
          const found = Number.isInteger(sigma) ? sigma.toFixed(1) : sigma;
          throw illegalArgument(`[sigma] must be greater than or equal to 0. Found [${found}] in [${context.name}]`);
        }
      },
    });
    return { extended_stats: { source: options.source(place), sigma } };
  },
};

const cardinality: AggregationParser = {
  name: 'cardinality',
  takesChildren: false,
  parse(place, context) {
    const options = new SourceOptions('cardinality');
    let threshold = PRECISION_THRESHOLD_DEFAULT;
    readMembers(place, 'cardinality', {
      ...options.readers,
      precision_threshold: (value) => {
        threshold = readInt(value);
        if (threshold < 0) {
          throw illegalArgument(
            `[precisionThreshold] must be greater than or equal to 0. Found [${threshold}] in [${context.name}]`,
          );
        }
      },
      // How ordinals are counted is decided by the kernels; the hint has no other meaning.
      execution_hint: (value) => void readText(value),
    });
    return { cardinality: { source: options.source(place), precision_threshold: threshold } };
  },
};

export const metricAggregations: readonly AggregationParser[] = [
  ...['min', 'max', 'sum', 'avg', 'stats', 'value_count'].map(metric),
  extendedStats,
  cardinality,
];
