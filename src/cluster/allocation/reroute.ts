/** One round of allocation after a change of the state: unassigned copies, forbidden places, balance. */
import type { ChangeEnvironment } from '../changes/change.js';
import type { ClusterState } from '../state.js';
import { allocateUnassigned } from './allocate-unassigned.js';
import { AllocationRound, type RoundOptions } from './allocation-round.js';
import { moveShards } from './move-shards.js';
import { rebalance } from './rebalance.js';

/** The same map when nothing moves. Depends on its arguments alone. */
export function reroute(
  state: ClusterState,
  environment: ChangeEnvironment,
  options: RoundOptions = {},
): ClusterState['routing'] {
  const round = new AllocationRound(state, environment, options);
  allocateUnassigned(round);
  moveShards(round);
  rebalance(round);
  return round.draft.routing();
}
