/** A replica recovers from its primary: there must be one. */
import { hasActivePrimary } from '../copies/shard-copies.js';
import { decision, type Decider } from './decider.js';

const NAME = 'replica_after_primary_active';

export const replicaAfterPrimary: Decider = {
  name: NAME,
  looksAtCopyAlone: true,
  canAllocate({ round, copy, copies }) {
    if (copy.primary) return decision(round, NAME, 'YES', () => 'shard is primary and can be allocated');
    return hasActivePrimary(copies)
      ? decision(round, NAME, 'YES', () => 'primary shard for this replica is already active')
      : decision(round, NAME, 'NO', () => 'primary shard for this replica is not yet active');
  },
};
