/** How many recoveries a node takes part in at a time. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { isActive, primaryOf } from '../copies/shard-copies.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'throttling';
const PREFIX = 'cluster.routing.allocation';
const BOTH = `(can also be set via [${PREFIX}.node_concurrent_recoveries])`;

export const throttling: Decider = {
  name: NAME,
  canAllocate(question, node) {
    return question.copy.primary && question.copy.state === 'UNASSIGNED'
      ? ofInitialPrimary(question, node)
      : ofPeerRecovery(question, node);
  },
};

function ofInitialPrimary({ round }: Question, node: NodeLoad): Decision {
  const limit = round.facts.initialPrimaries;
  const count = node.initialPrimaries;
  return count >= limit
    ? decision(
        round,
        NAME,
        'THROTTLE',
        () =>
          `reached the limit of ongoing initial primary recoveries [${count}], cluster setting ` +
          `[${PREFIX}.node_initial_primaries_recoveries=${limit}]`,
      )
    : decision(round, NAME, 'YES', () => `below primary recovery limit of [${limit}]`);
}

function ofPeerRecovery({ round, copies }: Question, node: NodeLoad): Decision {
  const { incomingRecoveries: incomingMax, outgoingRecoveries: outgoingMax } = round.facts;
  const incoming = node.incomingRecoveries;
  if (incoming >= incomingMax) {
    return decision(
      round,
      NAME,
      'THROTTLE',
      () =>
        `reached the limit of incoming shard recoveries [${incoming}], cluster setting ` +
        `[${PREFIX}.node_concurrent_incoming_recoveries=${incomingMax}] ${BOTH}`,
    );
  }
  const primary = primaryOf(copies);
  if (primary === undefined || !isActive(primary)) {
    return decision(round, NAME, 'NO', () => 'primary shard for this replica is not yet active');
  }
  const outgoing = round.node(primary.nodeId)?.outgoingRecoveries ?? 0;
  return outgoing >= outgoingMax
    ? decision(
        round,
        NAME,
        'THROTTLE',
        () =>
          `reached the limit of outgoing shard recoveries [${outgoing}] on the node [${primary.nodeId}] which holds the ` +
          `primary, cluster setting [${PREFIX}.node_concurrent_outgoing_recoveries=${outgoingMax}] ${BOTH}`,
      )
    : decision(
        round,
        NAME,
        'YES',
        () =>
          `below shard recovery limit of outgoing: [${outgoing} < ${outgoingMax}] incoming: [${incoming} < ${incomingMax}]`,
      );
}
