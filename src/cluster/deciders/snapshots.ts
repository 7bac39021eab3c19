/** Snapshots hold the primaries that they copy where these are; shards that could not be restored wait for somebody to act. */
import type { Question } from '../allocation/allocation-round.js';
import { isToBeFetchedAgain } from '../allocation/shard-stores.js';
import { recoverySourceOf } from '../copies/shard-copies.js';
import { snapshotsOfIndex } from '../snapshots/queue.js';
import { restoreFailure } from '../snapshots/restores.js';
import { decision, type Decider, type Decision } from './decider.js';

const IN_PROGRESS = 'snapshot_in_progress';
const RESTORE = 'restore_in_progress';

export const snapshotInProgress: Decider = {
  name: IN_PROGRESS,
  canAllocate: holdPrimary,
  canRebalance: holdPrimary,
};

/** One that begins, or comes from another node already, is copied when that is over. */
function holdPrimary({ round, index, copy }: Question): Decision {
  if (!copy.primary) return decision(round, IN_PROGRESS, 'YES', () => 'the shard is not being snapshotted');
  if (round.state.snapshotOperations.size === 0)
    return decision(round, IN_PROGRESS, 'YES', () => 'no snapshots are currently running');
  const isBeingCopied = snapshotsOfIndex(round.state, index.uuid).some(
    ({ aborted, indices }) =>
      aborted !== true &&
      indices.some((each) => each.index.uuid === index.uuid && each.shards[copy.shard]?.state === 'pending'),
  );
  if (!isBeingCopied || copy.state !== 'STARTED')
    return decision(round, IN_PROGRESS, 'YES', () => 'the shard is not being snapshotted');
  return decision(
    round,
    IN_PROGRESS,
    'THROTTLE',
    () =>
      `waiting for snapshotting of shard [[${index.name}][${copy.shard}]] to complete on this node [${copy.nodeId}]`,
  );
}

export const restoreInProgress: Decider = {
  name: RESTORE,
  looksAtCopyAlone: true,
  canAllocate(question) {
    const { round, index, copy } = question;
    const source = index.restoredFrom;
    const isRestored = recoverySourceOf(index, copy) === 'SNAPSHOT' || isToBeFetchedAgain(question);
    if (source === undefined || !isRestored) {
      return decision(round, RESTORE, 'YES', () => 'ignored as shard is not being recovered from a snapshot');
    }
    const failure = restoreFailure(index, copy);
    if (failure === undefined) return decision(round, RESTORE, 'YES', () => 'shard is currently being restored');
    const snapshot = `${source.repository}:${source.snapshot}/${source.snapshotUuid}`;
    return decision(
      round,
      RESTORE,
      'NO',
      () =>
        `shard has failed to be restored from the snapshot [${snapshot}] - manually close or delete the index ` +
        `[${index.name}] in order to retry to restore the snapshot again or use the reroute API to force the ` +
        `allocation of an empty primary shard. Details: [${failure}]`,
    );
  },
};
