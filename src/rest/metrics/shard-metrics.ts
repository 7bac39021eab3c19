/** What the copies of shards on a node hold, and what they did since they were opened. */
import type { ShardAnswer } from '../../actions/indices/broadcast.js';
import type { ShardStatistics } from '../../actions/operations/shard-maintenance.js';
import type { ShardStats } from '../../native/shard-statistics.js';
import { counter, gauge, labelled, type Metric } from './metric.js';

const MS_PER_SECOND = 1_000;

/** How often, and how long. */
interface Operation {
  readonly count: (stats: ShardStats) => number;
  readonly timeMs: (stats: ShardStats) => number;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  index: { count: ({ indexing }) => indexing.indexTotal, timeMs: ({ indexing }) => indexing.indexTimeMs },
  delete: { count: ({ indexing }) => indexing.deleteTotal, timeMs: ({ indexing }) => indexing.deleteTimeMs },
  get: { count: ({ get }) => get.total, timeMs: ({ get }) => get.timeMs },
  query: { count: ({ search }) => search.queryTotal, timeMs: ({ search }) => search.queryTimeMs },
  fetch: { count: ({ search }) => search.fetchTotal, timeMs: ({ search }) => search.fetchTimeMs },
  suggest: { count: ({ search }) => search.suggestTotal, timeMs: ({ search }) => search.suggestTimeMs },
  refresh: { count: ({ refresh }) => refresh.total, timeMs: ({ refresh }) => refresh.timeMs },
  merge: { count: ({ merges }) => merges.total, timeMs: ({ merges }) => merges.timeMs },
};

export function shardMetrics(answers: readonly ShardAnswer<ShardStatistics>[]): readonly Metric[] {
  const shards = answers.map(({ output }) => output.stats);
  const sum = (value: (stats: ShardStats) => number): number => shards.reduce((all, stats) => all + value(stats), 0);
  const each = (value: (operation: Operation) => number): ReturnType<typeof labelled> =>
    labelled(
      'operation',
      Object.entries(OPERATIONS).map(([name, operation]) => [name, value(operation)] as const),
    );
  return [
    gauge('quarry_node_shards', 'Copies of shards that are open.', { value: shards.length }),
    gauge(
      'quarry_node_documents',
      'Documents of these copies.',
      ...labelled('state', [
        ['active', sum(({ documents }) => documents)],
        ['deleted', sum(({ deleted }) => deleted)],
      ]),
    ),
    gauge('quarry_node_shards_size_bytes', 'Files of these copies.', { value: sum(({ storeBytes }) => storeBytes) }),
    gauge('quarry_node_segments', 'Segments of these copies.', { value: sum(({ segmentCount }) => segmentCount) }),
    gauge('quarry_node_translog_operations', 'Operations in their translogs.', {
      value: sum(({ translog }) => translog.operations),
    }),
    gauge('quarry_node_translog_size_bytes', 'Size of their translogs.', {
      value: sum(({ translog }) => translog.bytes),
    }),
    gauge('quarry_node_merges_current', 'Merges that run.', { value: sum(({ merges }) => merges.current) }),
    counter('quarry_node_operations_completed_total', 'What these copies did.', ...each(({ count }) => sum(count))),
    counter(
      'quarry_node_operations_time_seconds_total',
      'How long it took.',
      ...each(({ timeMs }) => sum(timeMs) / MS_PER_SECOND),
    ),
    counter('quarry_node_operations_failed_total', 'Documents that were refused.', {
      value: sum(({ indexing }) => indexing.indexFailed),
    }),
  ];
}
