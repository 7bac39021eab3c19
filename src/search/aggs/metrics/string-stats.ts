/** `string_stats`: lengths and characters of keywords. */
import { readBoolean } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

export const stringStatsAggregation: AggregationParser = {
  name: 'string_stats',
  takesChildren: false,
  parse(place) {
    const options = new SourceOptions('string_stats');
    let showDistribution = false;
    readMembers(place, 'string_stats', {
      ...options.readers,
      show_distribution: (value) => void (showDistribution = readBoolean(value)),
    });
    return { string_stats: { source: options.source(place), show_distribution: showDistribution } };
  },
};
