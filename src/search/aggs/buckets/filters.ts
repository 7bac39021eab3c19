/** `filter`, `filters` and `missing`. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readText } from '../../body/read.js';
import type { QueryPlan } from '../../plan/query-plan.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

const OTHER_BUCKET_KEY = '_other_';

const filter: AggregationParser = {
  name: 'filter',
  takesChildren: true,
  parse: (place, context) => ({ filter: context.parseQuery(place) }),
};

const filters: AggregationParser = {
  name: 'filters',
  takesChildren: true,
  parse(place, context) {
    let queries: readonly QueryPlan[] = [];
    let names: readonly string[] | undefined;
    let other: boolean | undefined;
    let otherKey: string | undefined;
    readMembers(place, 'filters', {
      filters: (value) => {
        const entries: readonly (readonly [string, Place])[] = value.isArray
          ? value.items().map((item, index) => [String(index), item] as const)
          : value.members();
        queries = entries.map(([, query]) => context.parseQuery(query));
        if (!value.isArray) names = entries.map(([name]) => name);
      },
      other_bucket: (value) => void (other = readBoolean(value)),
      other_bucket_key: (value) => void (otherKey = readText(value)),
    });
    if (queries.length === 0) throw illegalArgument('[filters] cannot be empty.');
    const hasOther = other ?? otherKey !== undefined;
    return {
      filters: {
        filters: queries,
        ...(names === undefined ? {} : { names }),
        ...(hasOther ? { other_bucket: otherKey ?? OTHER_BUCKET_KEY } : {}),
      },
    };
  },
};

const missing: AggregationParser = {
  name: 'missing',
  takesChildren: true,
  parse(place) {
    const options = new SourceOptions('missing');
    readMembers(place, 'missing', options.readersOf('field', 'missing', 'value_type'));
    const source = options.source(place);
    // With a value that stands in for absent ones no document lacks one.
    return { missing: { field: source.field, has_substitute: source.missing !== undefined } };
  },
};

export const filterAggregations: readonly AggregationParser[] = [filter, filters, missing];
