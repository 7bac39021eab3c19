/** Statistics of every shard of several indices; shards of closed ones tell what their last commit point says. */
import { asQuarryError } from '../../base/error-wire.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { CommitDescription } from '../../segment/commit-file.js';
import type { ActionContext } from '../context.js';
import { placeOf } from '../copy-selection.js';
import type { ShardStatistics } from '../operations/shard-maintenance.js';
import { broadcast, keyOf, type BroadcastResult, type ShardAnswer, type ShardFailure } from './broadcast.js';
import { NO_SHARD_STATISTICS } from './statistics.js';

export interface ClosedShardsOptions {
  /** Counts the segments that the commit points of closed shards name. */
  readonly includeUnloadedSegments: boolean;
}

export async function shardStatistics(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  options: ClosedShardsOptions,
): Promise<BroadcastResult<ShardStatistics>> {
  const [open, closed] = await Promise.all([
    broadcast(
      context,
      indices.filter(({ state }) => state === 'open'),
      'statistics',
      null,
    ),
    closedStatistics(
      context,
      indices.filter(({ state }) => state === 'close'),
      options,
    ),
  ]);
  return {
    total: open.total + closed.total,
    answers: [...open.answers, ...closed.answers].sort(byIndexAndShard),
    failures: [...open.failures, ...closed.failures],
  };
}

async function closedStatistics(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  options: ClosedShardsOptions,
): Promise<BroadcastResult<ShardStatistics>> {
  const { routing } = context.clusterState();
  const copies = indices.flatMap((index) =>
    (routing.get(index.name)?.shards ?? []).flatMap((shard) => shard.map((copy) => ({ index, copy }))),
  );
  const answers: ShardAnswer<ShardStatistics>[] = [];
  const failures: ShardFailure[] = [];
  for (const { index, copy } of copies) {
    const place = placeOf(copy);
    if (place === undefined) continue;
    try {
      const commit = await context.shards.lastCommit(keyOf(index, copy.shard), place);
      answers.push({ index, shard: copy.shard, copy, output: statisticsOfCommit(commit, options) });
    } catch (error) {
      failures.push({ index: index.name, shard: copy.shard, error: asQuarryError(error) });
    }
  }
  return { total: copies.length, answers, failures };
}

function statisticsOfCommit(commit: CommitDescription, options: ClosedShardsOptions): ShardStatistics {
  const sum = (value: (segment: CommitDescription['segments'][number]) => number): number =>
    commit.segments.reduce((total, segment) => total + value(segment), 0);
  const documents = sum(({ maxDoc, deletedCount }) => maxDoc - deletedCount);
  const { stats, ...others } = NO_SHARD_STATISTICS;
  return {
    ...others,
    stats: {
      ...stats,
      documents,
      deleted: sum(({ deletedCount }) => deletedCount),
      heldDocuments: sum(({ maxDoc }) => maxDoc),
      storeBytes: sum(({ bytes }) => bytes),
      segmentCount: options.includeUnloadedSegments ? commit.segments.length : 0,
      maxSeqNo: Number(commit.maxSeqNo),
      localCheckpoint: Number(commit.localCheckpoint),
      historyUuid: commit.historyUuid,
      primaryTerm: Number(commit.primaryTerm),
      commit: {
        id: `${commit.historyUuid}_${commit.generation}`,
        generation: Number(commit.generation),
        documents,
      },
    },
  };
}

function byIndexAndShard(left: ShardAnswer<unknown>, right: ShardAnswer<unknown>): number {
  if (left.index.name !== right.index.name) return left.index.name < right.index.name ? -1 : 1;
  return left.shard - right.shard;
}
