/** `multi_terms`: one bucket for each combination of the values of several fields. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';
import { TermsCutOptions } from './terms-cut.js';

export const multiTermsAggregation: AggregationParser = {
  name: 'multi_terms',
  takesChildren: true,
  parse(place, { name }) {
    const cut = new TermsCutOptions(name);
    let sources: readonly SourcePlan[] = [];
    readMembers(place, 'multi_terms', {
      ...cut.readers,
      terms: (value) => void (sources = value.items().map(readSource)),
    });
    if (sources.length < 2) {
      throw illegalArgument(
        `The [terms] parameter in the aggregation [${name}] must be present and have at least 2 fields or scripts.`,
      );
    }
    return { multi_terms: { sources, ...cut.plan() } };
  },
};

function readSource(place: Place): SourcePlan {
  const options = new SourceOptions('multi_terms');
  readMembers(place, 'multi_terms', options.readers);
  return options.source(place);
}
