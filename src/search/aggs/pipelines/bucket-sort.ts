/** `bucket_sort`: another order of the parent's buckets, and a page of them. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readInt, readText } from '../../body/read.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';
import { flatPath } from './buckets-path.js';
import { readGapPolicy, type GapPolicyPlan } from './pipeline-options.js';

interface BucketSortKey {
  readonly path: string;
  readonly ascending: boolean;
}

export const bucketSort: AggregationParser = {
  name: 'bucket_sort',
  takesChildren: false,
  pipeline: 'parent',
  parse(place, context) {
    let sort: readonly BucketSortKey[] = [];
    let from = 0;
    let size: number | undefined;
    let gaps: GapPolicyPlan = 'skip';
    readMembers(place, 'bucket_sort', {
      sort: (value) => void (sort = value.items().map(readKey)),
      from: (value) => {
        from = readInt(value);
        if (from < 0) throw illegalArgument(`[from] must be a non-negative integer: [${from}]`);
      },
      size: (value) => {
        size = readInt(value);
        if (size <= 0) throw illegalArgument(`[size] must be a positive integer: [${size}]`);
      },
      gap_policy: (value) => void (gaps = readGapPolicy(value)),
    });
    if (sort.length === 0 && size === undefined && from === 0) {
      throw new QuarryError(
        'action_request_validation_exception',
        `Validation Failed: 1: [${context.name}] is configured to perform nothing. Please set either of [sort, size, from] ` +
          'to use bucket_sort;',
      );
    }
    sort.forEach(({ path }) => {
      context.noteInput(path);
    });
    const keys = sort.map(({ path, ascending }) => ({ path: flatPath(path), ascending }));
    return { pipeline: { bucket_sort: { sort: keys, from, gaps, ...(size === undefined ? {} : { size }) } } };
  },
};

/** `"path"`, `{"path": "desc"}` or `{"path": {"order": "desc"}}`. */
function readKey(place: Place): BucketSortKey {
  if (!place.isObject) return { path: readText(place), ascending: true };
  const [first, second] = place.members();
  if (first === undefined || second !== undefined) throw place.error('[sort] of [bucket_sort] takes one path an entry');
  const [path, body] = first;
  if (!body.isObject) return { path, ascending: readDirection(body) };
  let ascending = true;
  readMembers(body, 'bucket_sort', { order: (value) => void (ascending = readDirection(value)) });
  return { path, ascending };
}

function readDirection(place: Place): boolean {
  const direction = readText(place).toLowerCase();
  if (direction === 'asc' || direction === 'desc') return direction === 'asc';
  throw place.error(`Unknown sort order [${direction}]`);
}
