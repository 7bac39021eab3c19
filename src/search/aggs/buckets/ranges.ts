/** `range` and `date_range`: buckets between given ends, `from` inclusive and `to` exclusive. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readScalar, readText } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { RangeBucketPlan } from '../aggregation-plan.js';

function rangeAggregation(kind: 'range' | 'date_range'): AggregationParser {
  return {
    name: kind,
    takesChildren: true,
    parse(place, { name }) {
      const options = new SourceOptions(kind);
      let ranges: readonly RangeBucketPlan[] = [];
      let keyed = false;
      readMembers(place, kind, {
        ...options.readers,
        ranges: (value) => {
          if (!value.isArray) throw value.error(`[${kind}] [ranges] must be an array`);
          ranges = value.items().map((item) => readRange(item, kind));
        },
        keyed: (value) => void (keyed = readBoolean(value)),
      });
      if (ranges.length === 0) throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
      return { [kind]: { source: options.source(place), ranges, keyed } };
    },
  };
}

function readRange(place: Place, kind: string): RangeBucketPlan {
  const range: { key?: string; from?: RangeBucketPlan['from'] & {}; to?: RangeBucketPlan['to'] & {} } = {};
  const end = (which: 'from' | 'to') => (value: Place) => {
    const scalar = readScalar(value);
    if (scalar === null) return;
    const number = kind === 'range' && typeof scalar === 'string' ? Number(scalar) : scalar;
    if (Number.isNaN(number)) throw value.error(`For input string: "${String(scalar)}"`, 'number_format_exception');
    range[which] = number;
  };
  readMembers(place, kind, {
    key: (value) => void (range.key = readText(value)),
    from: end('from'),
    to: end('to'),
  });
  return range;
}

export const rangeAggregations: readonly AggregationParser[] = [
  rangeAggregation('range'),
  rangeAggregation('date_range'),
];
