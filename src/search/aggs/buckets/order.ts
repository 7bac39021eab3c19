/** `order` of bucket aggregations: `_key`, `_count`, or the path of a metric below. */
import type { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import type { OrderPlan } from '../aggregation-plan.js';

/** Reads one criterion or a list of them; ties always end in the key, ascending. */
export function readOrder(place: Place): readonly OrderPlan[] {
  const criteria = place.items().map((item) => {
    const [first, second] = item.members();
    if (!item.isObject || first === undefined || second !== undefined) {
      throw item.error('Must specify at least one field for [order]');
    }
    return criterion(first[0], first[1]);
  });
  return withKey(criteria);
}

/** Appends the order by ascending key where no criterion is by key. */
export function withKey(criteria: readonly OrderPlan[]): readonly OrderPlan[] {
  return criteria.some(({ by }) => by === 'key') ? criteria : [...criteria, { by: 'key', ascending: true }];
}

function criterion(path: string, place: Place): OrderPlan {
  const direction = readText(place).toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') {
    throw place.error(`Unknown order direction [${readText(place)}]`);
  }
  const ascending = direction === 'asc';
  if (path === '_key' || path === '_term' || path === '_time') return { by: 'key', ascending };
  if (path === '_count') return { by: 'count', ascending };
  return { by: { path: metricPath(path) }, ascending };
}

/** `a>b.max` and `a>b[max]`: aggregations from level to level, then the value of the last. */
function metricPath(path: string): { aggregations: readonly string[]; value?: string } {
  const steps = path.split('>').map((step) => step.trim());
  const last = steps.pop() ?? '';
  const match = /^(.*?)(?:\.([^.]+)|\[([^\]]+)\])$/.exec(last);
  if (match === null) return { aggregations: [...steps, last] };
  return { aggregations: [...steps, match[1] ?? ''], value: match[2] ?? match[3] ?? '' };
}
