/** `weighted_avg`: an average in which another field says how much each value counts. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';

export const weightedAvgAggregation: AggregationParser = {
  name: 'weighted_avg',
  takesChildren: false,
  parse(place, { name }) {
    const common = new SourceOptions('weighted_avg');
    let value: SourcePlan | undefined;
    let weight: SourcePlan | undefined;
    readMembers(place, 'weighted_avg', {
      ...common.readersOf('format', 'value_type'),
      value: (source) => void (value = readSource(source)),
      weight: (source) => void (weight = readSource(source)),
    });
    if (value === undefined) throw illegalArgument(`[value] is required in [${name}]`);
    if (weight === undefined) throw illegalArgument(`[weight] is required in [${name}]`);
    return { weighted_avg: { value: { ...value, ...common.plan }, weight } };
  },
};

function readSource(place: Place): SourcePlan {
  const options = new SourceOptions('weighted_avg');
  readMembers(place, String(place.step), options.readersOf('field', 'missing', 'script'));
  return options.source(place);
}
