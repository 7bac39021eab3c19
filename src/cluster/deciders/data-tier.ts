/** `index.routing.allocation.include._tier_preference`: the first of the tiers that any node belongs to. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import type { ClusterState, NodeRecord } from '../state.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'data_tier';

export const dataTier: Decider = {
  name: NAME,
  canAllocate: inTier,
  canRemain: inTier,
  allowsStay: { inRound: () => true, ofIndex: ({ tierPreference }) => tierPreference.length === 0 },
};

function inTier({ round, facts }: Question, { node }: NodeLoad): Decision {
  const tiers = facts.tierPreference;
  if (tiers.length === 0) return decision(round, NAME, 'YES', () => 'node passes tier preference filters');
  const preference = `index has a preference for tiers [${tiers.join(',')}]`;
  const tier = preferredTier(round.state, tiers);
  if (tier === undefined) {
    const none = 'but no nodes for any of those tiers are available in the cluster';
    return decision(round, NAME, 'NO', () => `${preference}, ${none}`);
  }
  return belongs(node, tier)
    ? decision(
        round,
        NAME,
        'YES',
        () => `${preference} and node has tier [${node.roles.includes('data') ? 'data' : tier}]`,
      )
    : decision(round, NAME, 'NO', () => `${preference} and node does not meet the required [${tier}] tier`);
}

/** Nodes that are about to be removed do not make a tier. */
export function preferredTier(
  state: Pick<ClusterState, 'nodes' | 'shutdowns'>,
  tiers: readonly string[],
): string | undefined {
  const stays = ({ id }: NodeRecord): boolean => (state.shutdowns.get(id)?.type ?? 'restart') === 'restart';
  const nodes = [...state.nodes.values()].filter(stays);
  return tiers.find((tier) => nodes.some((node) => belongs(node, tier)));
}

/** The role `data` belongs to each tier. */
export function belongs(node: NodeRecord, tier: string): boolean {
  return node.roles.includes(tier) || node.roles.includes('data');
}
