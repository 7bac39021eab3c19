/** `ip_range`: buckets of addresses, by ends or by network. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readText } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

interface IpRangePlan {
  key?: string;
  from?: string;
  to?: string;
  mask?: string;
}

export const ipRangeAggregation: AggregationParser = {
  name: 'ip_range',
  takesChildren: true,
  parse(place, { name }) {
    const options = new SourceOptions('ip_range');
    let ranges: readonly IpRangePlan[] = [];
    let keyed = false;
    readMembers(place, 'ip_range', {
      ...options.readers,
      ranges: (value) => {
        if (!value.isArray) throw value.error('[ip_range] [ranges] must be an array');
        ranges = value.items().map(readRange);
      },
      keyed: (value) => void (keyed = readBoolean(value)),
    });
    if (ranges.length === 0) throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
    return { ip_range: { source: options.source(place), ranges, keyed } };
  },
};

function readRange(place: Place): IpRangePlan {
  const range: IpRangePlan = {};
  const text =
    (member: keyof IpRangePlan) =>
    (value: Place): void => {
      if (value.value !== null) range[member] = readText(value);
    };
  const readers: OptionReaders = { key: text('key'), from: text('from'), to: text('to'), mask: text('mask') };
  readMembers(place, 'ip_range', readers);
  if (range.mask !== undefined && (range.from !== undefined || range.to !== undefined)) {
    throw illegalArgument('[mask] cannot be combined with [from] or [to] in a range of [ip_range]');
  }
  return range;
}
