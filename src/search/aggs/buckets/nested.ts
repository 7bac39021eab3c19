/** `nested` and `reverse_nested`: from documents to their nested ones, and back. */
import { illegalArgument } from '../../../base/errors.js';
import { readText } from '../../body/read.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';

const nested: AggregationParser = {
  name: 'nested',
  takesChildren: true,
  parse(place, { name }) {
    let path: string | undefined;
    readMembers(place, 'nested', { path: (value) => void (path = readText(value)) });
    if (path === undefined) throw place.error(`Missing [path] field for nested aggregation [${name}]`);
    return { nested: { path } };
  },
};

const reverseNested: AggregationParser = {
  name: 'reverse_nested',
  takesChildren: true,
  parse(place, { name, ancestors }) {
    let path: string | undefined;
    readMembers(place, 'reverse_nested', { path: (value) => void (path = readText(value)) });
    if (!ancestors.includes('nested')) {
      throw illegalArgument(`Reverse nested aggregation [${name}] can not be used outside of a [nested] aggregation`);
    }
    return { reverse_nested: path === undefined ? {} : { path } };
  },
};

export const nestedAggregations: readonly AggregationParser[] = [nested, reverseNested];
