/** `adjacency_matrix`: the documents of each filter, and of each two filters together. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readText } from '../../body/read.js';
import type { QueryPlan } from '../../plan/query-plan.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';

const SEPARATOR_DEFAULT = '&';

export const adjacencyMatrixAggregation: AggregationParser = {
  name: 'adjacency_matrix',
  takesChildren: true,
  parse(place, context) {
    let filters: readonly (readonly [string, QueryPlan])[] = [];
    let separator = SEPARATOR_DEFAULT;
    let onlyIntersections = false;
    readMembers(place, 'adjacency_matrix', {
      filters: (value) => {
        if (!value.isObject) throw value.error('[adjacency_matrix] [filters] must be an object of named queries');
        filters = value.members().map(([name, query]) => [name, context.parseQuery(query)] as const);
      },
      separator: (value) => void (separator = readText(value)),
      show_only_intersecting: (value) => void (onlyIntersections = readBoolean(value)),
    });
    const most = context.settings.maxClauseCount;
    if (filters.length > most) {
      throw illegalArgument(
        `Number of filters is too large, must be less than or equal to: [${most}] but was [${filters.length}].` +
          'This limit can be set by changing the [indices.query.bool.max_clause_count] setting.',
      );
    }
    const sorted = [...filters].sort(([left], [right]) => (left < right ? -1 : 1));
    return {
      adjacency_matrix: {
        names: sorted.map(([name]) => name),
        filters: sorted.map(([, query]) => query),
        separator,
        only_intersections: onlyIntersections,
      },
    };
  },
};
