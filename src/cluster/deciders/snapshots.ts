/** Snapshots and restores hold shards where they are. There are none yet, and the answers say so. */
import { decision, type Decider } from './decider.js';

export const snapshotInProgress: Decider = {
  name: 'snapshot_in_progress',
  canAllocate({ round, copy }) {
    return decision(round, this.name, 'YES', () =>
      copy.primary ? 'no snapshots are currently running' : 'the shard is not being snapshotted',
    );
  },
  canRebalance({ round, copy }) {
    return decision(round, this.name, 'YES', () =>
      copy.primary ? 'no snapshots are currently running' : 'the shard is not being snapshotted',
    );
  },
};

export const restoreInProgress: Decider = {
  name: 'restore_in_progress',
  canAllocate({ round }) {
    return decision(round, this.name, 'YES', () => 'ignored as shard is not being recovered from a snapshot');
  },
};
