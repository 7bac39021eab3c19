/** `top_metrics`: values of the first documents of a bucket in the order of a sort key. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readInt } from '../../body/read.js';
import type { SortKeyPlan } from '../../plan/search-plan.js';
import { readSortKeys } from '../../request/sort.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';

/** `index.top_metrics_max_size` at its default. */
const SIZE_MAX = 10;

export const topMetricsAggregation: AggregationParser = {
  name: 'top_metrics',
  takesChildren: false,
  parse(place, { name, parseQuery }) {
    let metrics: readonly SourcePlan[] = [];
    let sort: readonly SortKeyPlan[] = [];
    let size = 1;
    readMembers(place, 'top_metrics', {
      metrics: (value) => void (metrics = value.items().map(readMetric)),
      sort: (value) => void (sort = readSortKeys(value, parseQuery)),
      size: (value) => void (size = atLeast(readInt(value), 1, 'size', name)),
    });
    if (metrics.length === 0) throw illegalArgument(`[metrics] is required in [${name}]`);
    const [key, ...others] = sort;
    if (key === undefined || others.length > 0) throw illegalArgument('[sort] must contain exactly one sort');
    checkSortKey(key);
    if (size > SIZE_MAX) {
      throw illegalArgument(
        `[top_metrics.size] must not be more than [${SIZE_MAX}] but was [${size}]. This limit can be set by changing the ` +
          '[index.top_metrics_max_size] index level setting.',
      );
    }
    return { top_metrics: { metrics, sort, size } };
  },
};

/** Buckets keep numbers alone to compare their documents by. */
function checkSortKey(key: SortKeyPlan): void {
  if ('doc' in key) throw illegalArgument('sorting by _doc is not supported');
  if ('shard_doc' in key) throw illegalArgument('sorting by _shard_doc is not supported');
  if (!('script' in key) || key.script.computed === undefined) return;
  throw illegalArgument(
    'error building sort for [_script]: script sorting only supported on [numeric] scripts but was [string]',
  );
}

function readMetric(place: Place): SourcePlan {
  const options = new SourceOptions('top_metrics');
  readMembers(place, 'metrics', options.readersOf('field'));
  return options.source(place);
}
