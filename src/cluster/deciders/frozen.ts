/** The frozen tier: its nodes hold partially mounted indices, which need a cache to be read through. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { isDedicatedFrozen } from '../nodes/data-nodes.js';
import { decision, type Decider, type Decision } from './decider.js';

const CACHE = 'has_frozen_cache';
const DEDICATED = 'dedicated_frozen_node';

export const hasFrozenCache: Decider = {
  name: CACHE,
  canAllocate: isCached,
  canRemain: isCached,
  holdsForLastCopy: true,
  allowsStay: { inRound: () => true, ofIndex: ({ isPartial }) => !isPartial },
};

function isCached({ round, facts }: Question, { node }: NodeLoad): Decision {
  if (!facts.isPartial) {
    return decision(round, CACHE, 'YES', () => 'decider only applies to indices that are partially mounted');
  }
  return (node.sharedCacheBytes ?? 0) > 0
    ? decision(round, CACHE, 'YES', () => 'this node has a frozen cache')
    : decision(
        round,
        CACHE,
        'NO',
        () =>
          'node setting [xpack.searchable.snapshot.shared_cache.size] is set to zero, so shards of partially mounted ' +
          'indices cannot be allocated to this node',
      );
}

export const dedicatedFrozenNode: Decider = {
  name: DEDICATED,
  canAllocate: isOfTier,
  canRemain: isOfTier,
  allowsStay: {
    inRound: ({ nodes }) => !nodes.some(({ node }) => isDedicatedFrozen(node)),
    ofIndex: ({ isPartial }) => isPartial,
  },
};

function isOfTier({ round, facts }: Question, { node }: NodeLoad): Decision {
  if (!isDedicatedFrozen(node)) {
    return decision(round, DEDICATED, 'YES', () => "this node's data roles are not exactly [data_frozen]");
  }
  return facts.isPartial
    ? decision(round, DEDICATED, 'YES', () => 'this index is a partially mounted index')
    : decision(
        round,
        DEDICATED,
        'NO',
        () =>
          "this node's data roles are exactly [data_frozen] so it may only hold shards from partially mounted indices, " +
          'but this index is not a partially mounted index',
      );
}
