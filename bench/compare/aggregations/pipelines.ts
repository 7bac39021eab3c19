/** Random pipeline aggregations: those that stand among the children of a histogram, and those beside an aggregation of buckets. */
import type { Chance, Option } from '../chance.js';
import type { Json } from '../../json.js';
import type { AggregationKinds } from './kind.js';

const gaps = (chance: Chance): Readonly<Record<string, Option>> => ({
  gap_policy: [0.25, () => chance.pick(['skip', 'insert_zeros'])],
});
const format = (chance: Chance): Readonly<Record<string, Option>> => ({
  format: [0.1, () => chance.pick(['0.00', '0'])],
});

const MOVING = ['max', 'min', 'sum', 'unweightedAvg', 'linearWeightedAvg'] as const;

/** Among the children of a histogram that has the metric `path` below. */
export function parentPipelines(path: string): AggregationKinds {
  const buckets_path = (chance: Chance): string => chance.pick([path, path, '_count']);
  return {
    derivative: (chance) => ({
      buckets_path: buckets_path(chance),
      ...chance.options({ ...gaps(chance), ...format(chance) }),
    }),
    cumulative_sum: (chance) => ({ buckets_path: buckets_path(chance), ...chance.options(format(chance)) }),
    serial_diff: (chance) => ({
      buckets_path: buckets_path(chance),
      lag: chance.between(1, 4),
      ...chance.options(gaps(chance)),
    }),
    moving_fn: (chance) => ({
      buckets_path: buckets_path(chance),
      window: chance.between(1, 5),
      script: `MovingFunctions.${chance.pick(MOVING)}(values)`,
      ...chance.options({ shift: [0.3, () => chance.between(0, 2)], ...gaps(chance) }),
    }),
    bucket_script: (chance) => ({
      buckets_path: { a: path, b: '_count' },
      script: chance.pick(['params.a + params.b', 'params.b * 2.0', 'params.a / params.b']),
      ...chance.options(gaps(chance)),
    }),
    bucket_selector: (chance) => ({
      buckets_path: { a: path, b: '_count' },
      script: chance.pick(['params.b > 2', 'params.a > 1']),
      ...chance.options(gaps(chance)),
    }),
    bucket_sort: (chance) => ({
      sort: [{ [path]: { order: chance.pick(['asc', 'desc']) } }, { _key: 'asc' }],
      ...chance.options({
        size: [0.5, () => chance.between(1, 8)],
        from: [0.2, () => chance.between(0, 3)],
        ...gaps(chance),
      }),
    }),
  };
}

/** Beside the aggregation of buckets `of`, each of which has the metric `path`. */
export function siblingPipelines(of: string, path: string): AggregationKinds {
  const body = (chance: Chance): { readonly [key: string]: Json } => ({
    buckets_path: `${of}>${chance.pick([path, path, '_count'])}`,
    ...chance.options({ ...gaps(chance), ...format(chance) }),
  });
  return {
    avg_bucket: body,
    sum_bucket: body,
    min_bucket: body,
    max_bucket: body,
    stats_bucket: body,
    extended_stats_bucket: (chance) => ({ ...body(chance), ...chance.options({ sigma: [0.3, () => 1] }) }),
    percentiles_bucket: (chance) => ({ ...body(chance), ...chance.options({ percents: [0.5, () => [10, 50, 99.5]] }) }),
  };
}
