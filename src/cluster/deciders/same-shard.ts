/** Two copies of a shard never share a node, nor, with `cluster.routing.allocation.same_shard.host`, a host. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { describeCopy } from '../copies/describe-copy.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'same_shard';

export const sameShard: Decider = {
  name: NAME,
  holdsForLastCopy: true,
  canAllocate({ round, index, facts, copy, copies }: Question, node: NodeLoad): Decision {
    const here = copies.find(({ nodeId }) => nodeId === node.id);
    if (here !== undefined) {
      const who = here === copy ? 'this shard' : 'a copy of this shard';
      return decision(
        round,
        NAME,
        'NO',
        () => `${who} is already allocated to this node [${describeCopy(index, here)}]`,
      );
    }
    if (!round.facts.sameShardHost) {
      return decision(round, NAME, 'YES', () => 'this node does not hold a copy of this shard');
    }
    if (facts.expandsToAllNodes) {
      const why = 'same-host allocation is ignored, this index is set to auto-expand to all nodes';
      return decision(round, NAME, 'YES', () => why);
    }
    for (const { nodeId } of copies) {
      const other = nodeId === null ? undefined : round.state.nodes.get(nodeId);
      // The copy itself leaves its host when it moves.
      if (other === undefined || other.ip !== node.node.ip || nodeId === copy.nodeId) continue;
      return decision(
        round,
        NAME,
        'NO',
        () =>
          `cannot allocate to node [${node.id}] because a copy of this shard is already allocated to node [${other.id}] ` +
          `with the same host address [${other.ip}] and [cluster.routing.allocation.same_shard.host] is [true] which ` +
          'forbids more than one node on each host from holding a copy of this shard',
      );
    }
    return decision(round, NAME, 'YES', () => 'none of the nodes on this host hold a copy of this shard');
  },
};
