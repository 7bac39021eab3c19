/** When copies may be moved for the sake of balance alone. */
import type { AllocationRound } from '../allocation/allocation-round.js';
import { copiesWithoutTargets, isActive } from '../copies/shard-copies.js';
import { decision, type Decider, type Decision } from './decider.js';

export const rebalanceOnlyWhenActive: Decider = {
  name: 'rebalance_only_when_active',
  canRebalance({ round, copies }) {
    return copiesWithoutTargets(copies).every(isActive)
      ? decision(round, this.name, 'YES', () => 'rebalancing is allowed as all copies of this shard are active')
      : decision(round, this.name, 'NO', () => 'rebalancing is not allowed until all copies of this shard are active');
  },
};

/** `cluster.routing.allocation.allow_rebalance` */
export const clusterRebalance: Decider = {
  name: 'cluster_rebalance',
  canRebalance: ({ round }) => clusterIsCalm(round),
  canRebalanceCluster: clusterIsCalm,
};

function clusterIsCalm(round: AllocationRound): Decision {
  const { name } = clusterRebalance;
  const { allowRebalance } = round.facts;
  const refuse = (what: string): Decision =>
    decision(
      round,
      name,
      'NO',
      () =>
        `the cluster has ${what} and cluster setting [cluster.routing.allocation.allow_rebalance] is set to ` +
        `[${allowRebalance}]`,
    );
  if (allowRebalance === 'indices_primaries_active') {
    if (round.unassignedPrimaries > 0) return refuse('unassigned primary shards');
    if (round.inactivePrimaries > 0) return refuse('inactive primary shards');
    return decision(round, name, 'YES', () => 'all primary shards are active');
  }
  if (allowRebalance === 'indices_all_active') {
    if (round.unassignedPrimaries + round.unassignedReplicas > 0) return refuse('unassigned shards');
    if (round.inactivePrimaries + round.inactiveReplicas > 0) return refuse('inactive shards');
  }
  return decision(round, name, 'YES', () => 'all shards are active');
}

/** `cluster.routing.allocation.cluster_concurrent_rebalance`: so many moves at a time; -1 for any number. */
export const concurrentRebalance: Decider = {
  name: 'concurrent_rebalance',
  canRebalance: ({ round }) => movesAreLeft(round),
  canRebalanceCluster: movesAreLeft,
};

function movesAreLeft(round: AllocationRound): Decision {
  const { name } = concurrentRebalance;
  const limit = round.facts.concurrentRebalance;
  if (limit === -1) return decision(round, name, 'YES', () => 'unlimited concurrent rebalances are allowed');
  const moving = round.relocating;
  return moving >= limit
    ? decision(
        round,
        name,
        'THROTTLE',
        () =>
          `reached the limit of concurrently rebalancing shards [${moving}], ` +
          `cluster setting [cluster.routing.allocation.cluster_concurrent_rebalance=${limit}]`,
      )
    : decision(
        round,
        name,
        'YES',
        () => `below threshold [${limit}] for concurrent rebalances, current rebalance shard count [${moving}]`,
      );
}
