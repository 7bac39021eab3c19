/** Indices whose shards come out of a snapshot, as long as some of them are not there yet. */
import { illegalArgument } from '../../base/errors.js';
import { numberSetting } from '../settings/index-values.js';
import { isActive, neverStarted, primaryOf, recoverySourceOf } from '../copies/shard-copies.js';
import type { ClusterState, IndexId, IndexMetadata, ShardCopy } from '../state.js';

export type RestoredShard = 'waiting' | 'done' | 'failed';

type Tables = Pick<ClusterState, 'indices' | 'routing'>;

/** Other tries would end the same: a blob is damaged or gone, or the repository is. */
const FINAL_FAILURES = [
  'corrupt_index_exception',
  'no_such_file_exception',
  'repository_missing_exception',
  'snapshot_missing_exception',
];

/**
 * Why the shard will not be restored; undefined while it may be. Once no node may take it, that stays so: nobody waits for the restore any more, and
 * its snapshot may be gone.
 */
export function restoreFailure(index: IndexMetadata, copy: ShardCopy): string | undefined {
  const { unassigned } = copy;
  if (copy.state !== 'UNASSIGNED' || unassigned === null) return undefined;
  if (isRefused(index, copy)) return unassigned.details ?? 'shard could not be allocated to any of the nodes';
  if (unassigned.failedAllocations === 0) return undefined;
  const reason = unassigned.details ?? 'it failed';
  const isFinal = FINAL_FAILURES.some((type) => reason.includes(`${type}:`));
  return isFinal || unassigned.failedAllocations >= numberSetting(index, 'allocationMaxRetries') ? reason : undefined;
}

/** A mounted shard that has been there once is no restore: it waits until a node takes it. */
function isRefused(index: IndexMetadata, copy: ShardCopy): boolean {
  return (
    copy.unassigned?.lastAllocationStatus === 'deciders_no' &&
    neverStarted(index, copy.shard) &&
    recoverySourceOf(index, copy) === 'SNAPSHOT'
  );
}

/** How far the shard is. One that the snapshot lacks has failed from the start, though it begins empty. */
export function restoredShard(index: IndexMetadata, copies: readonly ShardCopy[]): RestoredShard {
  const primary = primaryOf(copies);
  if (primary === undefined || index.restoredFrom?.missingShards.includes(primary.shard) === true) return 'failed';
  if (isActive(primary) || !neverStarted(index, primary.shard)) return 'done';
  if (primary.unassigned?.reason === 'FORCED_EMPTY_PRIMARY') return 'failed';
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

/** One that is closed never gets its shards. Throws as the reference does. */
export function checkNotRestoring({ indices, routing }: Tables, closed: readonly IndexId[]): void {
  const open = closed.flatMap(({ name, uuid }) => {
    const index = indices.get(name);
    return index?.uuid === uuid && index.state === 'open' ? [[name, index] as const] : [];
  });
  const held = restoring({ indices: new Map(open), routing });
  if (held.length === 0) return;
  const names = held.map(({ name, uuid }) => `[${name}/${uuid}]`).join(', ');
  throw illegalArgument(`Cannot close indices that are being restored: [${names}]`);
}
