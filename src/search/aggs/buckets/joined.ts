/** `children` and `parent`: from documents of one side of a relation to those of the other. */
import { readText } from '../../body/read.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';

function joined(name: 'children' | 'parent'): AggregationParser {
  return {
    name,
    takesChildren: true,
    parse(place, context) {
      let type: string | undefined;
      readMembers(place, name, { type: (value) => void (type = readText(value)) });
      if (type === undefined) {
        throw place.error(`Missing [child_type] field for ${name} aggregation [${context.name}]`);
      }
      return { [name]: { type } };
    },
  };
}

export const joinedAggregations: readonly AggregationParser[] = [joined('children'), joined('parent')];
