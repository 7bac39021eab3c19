/** Indices whose shards come out of a snapshot, as long as some of them are not there yet. */
import { numberSetting } from '../settings/index-values.js';
import { isActive, neverStarted, primaryOf } from '../copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../state.js';

export type RestoredShard = 'waiting' | 'done' | 'failed';

type Tables = Pick<ClusterState, 'indices' | 'routing'>;

/** Other tries would end the same: a blob is damaged or gone, or the repository is. */
const FINAL_FAILURES = [
  'corrupt_index_exception',
  'no_such_file_exception',
  'repository_missing_exception',
  'snapshot_missing_exception',
];

/** Why the shard will not be restored; undefined while it may be. */
export function restoreFailure(index: IndexMetadata, copy: ShardCopy): string | undefined {
  const { unassigned } = copy;
  if (copy.state !== 'UNASSIGNED' || unassigned === null || unassigned.failedAllocations === 0) return undefined;
  const reason = unassigned.details ?? 'it failed';
  const isFinal = FINAL_FAILURES.some((type) => reason.includes(`${type}:`));
  return isFinal || unassigned.failedAllocations >= numberSetting(index, 'allocationMaxRetries') ? reason : undefined;
}

/** How far the shard is. */
export function restoredShard(index: IndexMetadata, copies: readonly ShardCopy[]): RestoredShard {
  const primary = primaryOf(copies);
  if (primary === undefined) return 'failed';
  if (isActive(primary) || !neverStarted(index, primary.shard)) return 'done';
  if (primary.unassigned?.reason === 'FORCED_EMPTY_PRIMARY') return 'done';
  return restoreFailure(index, primary) === undefined ? 'waiting' : 'failed';
}

/** Indices that are being restored. */
export function restoring(state: Tables): readonly IndexMetadata[] {
  return [...state.indices.values()].filter((index) => {
    if (index.restoredFrom === undefined) return false;
    const shards = state.routing.get(index.name)?.shards ?? [];
    return shards.some((copies) => restoredShard(index, copies) === 'waiting');
  });
}

export function restoresFrom(state: Tables, repository: string): readonly IndexMetadata[] {
  return restoring(state).filter(({ restoredFrom }) => restoredFrom?.repository === repository);
}
