/** Operations on one shard that no document is part of. */
import {
  findExpungeMerges,
  findForcedMerges,
  findMerges,
  type Merge,
  type MergePolicy,
} from '../../cluster/merge-policy.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { WorkCounter } from '../../base/work-counters.js';
import type { RemoteFiles } from '../../native/remote-files.js';
import type { Checkpoints, ContentChecksum } from '../../native/replication.js';
import type { SegmentStats, ShardStats } from '../../native/shard-statistics.js';
import type { FlushFigures, WriteFigures } from '../../shard/activity.js';
import type { ManagedShard } from '../../shard/managed-shard.js';
import { inTime } from '../in-time.js';
import type { ContextFigures } from '../searches/contexts/open-searchers.js';
import { shardName } from '../shard-client.js';
import { definePrimaryOperation, defineShardOperation, type ShardOperationContext } from '../shard-operation.js';
import { onSearcher } from './search-shard.js';

/** For copies to be sent what a refresh made. One that does not answer is given up by the master before. */
const REFRESH_PATIENCE = { timeoutMs: 60_000, withoutMasterMs: 0, withMasterMs: 300_000 } as const;

/** Makes what was indexed searchable on every copy; a replica is sent its segments by the primary's refresh. */
export const refreshShard = defineShardOperation(
  'refresh',
  async (shard, _input: null, context): Promise<boolean> =>
    shard.office === 'primary' &&
    inTime(shard.refreshCopies(), REFRESH_PATIENCE, context, () => {
      const { index, shard: number } = shard.key;
      const reason = `[${index}][${number}] not every in-sync copy has what was refreshed`;
      return new QuarryError('unavailable_shards_exception', reason);
    }),
);

export interface FlushInput {
  readonly force: boolean;
}

/** Writes a commit point. `false` when there was nothing to write. */
export const flushShard = defineShardOperation('flush', (shard, input: FlushInput): Promise<boolean> =>
  shard.flush({ force: input.force }),
);

export interface ShardStatistics {
  readonly stats: ShardStats;
  readonly segments: readonly SegmentStats[];
  readonly flushes: FlushFigures;
  readonly writes: WriteFigures;
  readonly contexts: ContextFigures;
  /** Since the copy was opened; absent where it is closed. */
  readonly openMs?: number;
}

export const shardStatistics = defineShardOperation('statistics', (shard, _input: null, context): ShardStatistics => ({
  stats: shard.native.stats(),
  segments: shard.native.segments(),
  flushes: shard.flushes.figures(),
  writes: shard.writes.figures(),
  contexts: context.searchers.figures(shardName(shard.key)),
  openMs: context.clock.monotonicMs() - shard.openedAtMs,
}));

/** Milliseconds that writes have taken since the copy was opened. */
export const shardWriteTime = defineShardOperation('write-time', (shard, _input: null): number => {
  const { indexTimeMs, deleteTimeMs } = shard.native.stats().indexing;
  return Math.round(indexTimeMs + deleteTimeMs);
});

/** Forgets answers to searches that came before. */
export const clearRequestCache = defineShardOperation('clear-request-cache', (shard, _input: null): null => {
  shard.native.clearRequestCache();
  return null;
});

/** Gives up what sorts and aggregations on text fields keep in memory. */
export const clearFieldData = defineShardOperation('clear-field-data', (shard, _input: null, context): Promise<null> =>
  onSearcher(shard, undefined, context, (searcher) => {
    searcher.clearFieldData();
    return null;
  }),
);

export interface ForceMergeInput {
  readonly policy: MergePolicy;
  /** Undefined: whatever the policy finds due. */
  readonly maxSegments: number | undefined;
  readonly onlyExpungeDeletes: boolean;
  readonly flush: boolean;
}

const forceMerges = new WorkCounter('force_merge');

/** Each round works on what the one before left; more rounds than this would mean that merging makes no progress. */
const FORCE_MERGE_ROUNDS_MAX = 64;

/**
 * Merges until nothing is left to merge; the merging itself runs on native threads. Replicas are sent what comes of it. What other merges
 * have in work is looked at when they have ended: they would leave more segments, or more deletions, than was asked for.
 */
export const forceMergeShard = definePrimaryOperation(
  'force-merge',
  (shard, input: ForceMergeInput, context): Promise<null> =>
    forceMerges.during(() => forceMerge(shard, input, context)),
);

async function forceMerge(
  shard: ManagedShard,
  input: ForceMergeInput,
  { cancellation }: ShardOperationContext,
): Promise<null> {
  const { native } = shard;
  if (input.flush || input.maxSegments !== undefined) await shard.refreshInBackground();
  for (let round = 0; round < FORCE_MERGE_ROUNDS_MAX; round++) {
    await shard.whenMergesEnd();
    const merges = chooseMerges(native.segments(), input);
    if (merges.length === 0) break;
    if (native.remote !== undefined) throw illegalArgument(whyNotMerged(shard.key.index, native.remote));
    for (const merge of merges) {
      cancellation.throwIfCancelled();
      // The shard may have begun to merge them itself while the merge before this one ran.
      if (areFree(native.segments(), merge)) await shard.merge(merge);
    }
    // One rewrite is all that deletions need.
    if (input.onlyExpungeDeletes) break;
  }
  await shard.whenMergesEnd();
  if (input.flush) await shard.flush();
  return null;
}

function areFree(segments: readonly SegmentStats[], wanted: Merge): boolean {
  return wanted.every((name) => segments.some((segment) => segment.name === name && !segment.merging));
}

function chooseMerges(segments: readonly SegmentStats[], input: ForceMergeInput): readonly Merge[] {
  const merging = new Set(segments.flatMap((segment) => (segment.merging ? [segment.name] : [])));
  if (input.onlyExpungeDeletes) return findExpungeMerges(segments, merging, input.policy);
  return input.maxSegments === undefined
    ? findMerges(segments, merging, input.policy)
    : findForcedMerges(segments, merging, input.maxSegments, input.policy);
}

/** How far the copy is. */
export const shardCheckpoints = defineShardOperation('checkpoints', (shard, _input: null): Checkpoints =>
  shard.native.checkpoints(),
);

/** Of what searches of this copy see. */
export const contentChecksum = defineShardOperation(
  'content-checksum',
  (shard, _input: null): Promise<ContentChecksum> => shard.native.contentChecksum(),
);

function whyNotMerged(index: string, { kept }: RemoteFiles): string {
  return kept === 'cached'
    ? `[${index}] is partially mounted: its segments stay as the snapshot has them`
    : `the files of [${index}] are still being copied from its snapshot: try again when its recovery is done`;
}
