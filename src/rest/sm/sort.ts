/** The order of a list of policies of snapshot management. */
import { illegalArgument } from '../../base/errors.js';
import type { SmPolicy } from '../../cluster/sm/types.js';

type Named = readonly [name: string, policy: SmPolicy];

/** Fields of the reference's documents that have one value, and more than one among several policies. */
const FIELDS: Readonly<Record<string, (named: Named) => string | number>> = {
  'sm_policy.name': ([name]) => name,
  'sm_policy.enabled': ([, { enabledAtMs }]) => Number(enabledAtMs !== undefined),
  'sm_policy.enabled_time': ([, { enabledAtMs = Infinity }]) => enabledAtMs,
  'sm_policy.last_updated_time': ([, { changedAtMs }]) => changedAtMs,
};

/** Equal ones come by their names. */
export function sorterBy(field: string, isDescending: boolean): (left: Named, right: Named) => number {
  const valueOf = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (valueOf === undefined) {
    throw illegalArgument(`[sortField] is [${field}] and must be one of [${Object.keys(FIELDS).join(', ')}]`);
  }
  const sign = isDescending ? -1 : 1;
  return (left, right) => sign * compare(valueOf(left), valueOf(right)) || compare(left[0], right[0]);
}

function compare(left: string | number, right: string | number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
