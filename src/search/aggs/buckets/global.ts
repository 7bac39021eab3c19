/** `global`: every document of the indices, whatever the query. */
import { illegalArgument } from '../../../base/errors.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';

export const globalAggregation: AggregationParser = {
  name: 'global',
  takesChildren: true,
  parse(place, { name, parent }) {
    readMembers(place, 'global', {});
    if (parent !== undefined) {
      throw illegalArgument(
        `Aggregation [${parent}] cannot have a global sub-aggregation [${name}]. Global aggregations can only be defined ` +
          'as top level aggregations',
      );
    }
    return { global: {} };
  },
};
