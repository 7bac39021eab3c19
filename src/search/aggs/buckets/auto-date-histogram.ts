/** `auto_date_histogram`: buckets of the smallest unit of time that makes no more of them than asked for. */
import { illegalArgument } from '../../../base/errors.js';
import { readInt, readText } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

const BUCKETS_DEFAULT = 10;
/** By size, as the kernels list them. */
const UNITS: readonly string[] = ['second', 'minute', 'hour', 'day', 'month', 'year'];
/** The most units that one bucket may have before the next unit is taken. */
const LARGEST_STEP = 30;

export const autoDateHistogramAggregation: AggregationParser = {
  name: 'auto_date_histogram',
  takesChildren: true,
  parse(place, { name, settings }) {
    const options = new SourceOptions('auto_date_histogram');
    let buckets = BUCKETS_DEFAULT;
    let minimumUnit = 0;
    readMembers(place, 'auto_date_histogram', {
      ...options.readers,
      buckets: (value) => {
        buckets = readInt(value);
        if (buckets <= 0) throw illegalArgument(`buckets must be greater than 0 for [${name}]`);
      },
      minimum_interval: (value) => {
        if (value.value === null) return;
        minimumUnit = UNITS.indexOf(readText(value));
        if (minimumUnit < 0) throw illegalArgument(`minimum_interval must be one of [[${UNITS.join(', ')}]]`);
      },
    });
    const most = Math.floor(settings.maxBuckets / LARGEST_STEP);
    if (buckets > most) throw illegalArgument(`buckets must be less than ${most}`);
    return { auto_date_histogram: { source: options.source(place), buckets, minimum_unit: minimumUnit } };
  },
};
