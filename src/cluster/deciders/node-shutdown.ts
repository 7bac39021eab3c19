/** Nodes that are about to leave get nothing and are emptied; one that is replaced is emptied into its successor. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import type { NodeShutdown } from '../state.js';
import { decision, type Decider, type Decision } from './decider.js';

const SHUTDOWN = 'node_shutdown';
const REPLACEMENT = 'node_replacement';

export const nodeShutdown: Decider = {
  name: SHUTDOWN,
  canAllocate: notLeaving,
  canRemain: notLeaving,
  allowsStay: { inRound: ({ state }) => state.shutdowns.size === 0, ofIndex: () => true },
};

function notLeaving({ round }: Question, node: NodeLoad): Decision {
  const { shutdowns } = round.state;
  if (shutdowns.size === 0) return decision(round, SHUTDOWN, 'YES', () => 'no nodes are shutting down');
  const shutdown = shutdowns.get(node.id);
  if (shutdown === undefined) return decision(round, SHUTDOWN, 'YES', () => 'this node is not shutting down');
  return shutdown.type === 'restart'
    ? decision(
        round,
        SHUTDOWN,
        'YES',
        () => `node [${node.id}] is preparing to restart, but will remain in the cluster`,
      )
    : decision(round, SHUTDOWN, 'NO', () => `node [${node.id}] is preparing to be removed from the cluster`);
}

export const nodeReplacement: Decider = {
  name: REPLACEMENT,
  allowsStay: { inRound: ({ state }) => state.shutdowns.size === 0, ofIndex: () => true },
  canAllocate({ round, copy }, node) {
    const replacements = [...round.state.shutdowns.values()].filter(({ type }) => type === 'replace');
    if (replacements.length === 0) {
      return decision(round, REPLACEMENT, 'YES', () => 'there are no ongoing node replacements');
    }
    const ofSource = replacements.find(({ nodeId }) => nodeId === copy.nodeId);
    if (ofSource !== undefined) return toSuccessorOnly(round, ofSource, node);
    const ofNode = replacements.find(({ nodeId }) => nodeId === node.id);
    if (ofNode !== undefined) {
      return decision(
        round,
        REPLACEMENT,
        'NO',
        () => `node [${node.id}] is being replaced by [${ofNode.targetNodeName}], so no data may be allocated to it`,
      );
    }
    const toNode = replacements.find(({ targetNodeName }) => targetNodeName === node.node.name);
    if (toNode !== undefined) {
      return decision(
        round,
        REPLACEMENT,
        'NO',
        () =>
          `node [${node.id}] is replacing the vacating node [${toNode.nodeId}], only data currently allocated to the ` +
          'source node may be allocated to it until the replacement is complete',
      );
    }
    return decision(
      round,
      REPLACEMENT,
      'YES',
      () => 'none of the ongoing node replacements relate to the allocation of this shard',
    );
  },
  canRemain({ round }, node) {
    const shutdown = round.state.shutdowns.get(node.id);
    return shutdown?.type === 'replace'
      ? decision(
          round,
          REPLACEMENT,
          'NO',
          () => `node [${node.id}] is being replaced by node [${shutdown.targetNodeName}], so no data may remain on it`,
        )
      : decision(round, REPLACEMENT, 'YES', () => 'there are no ongoing node replacements');
  },
};

function toSuccessorOnly(round: Question['round'], source: NodeShutdown, node: NodeLoad): Decision {
  return node.node.name === source.targetNodeName
    ? decision(
        round,
        REPLACEMENT,
        'YES',
        () => `node [${source.nodeId}] is replacing node [${node.id}], and may receive shards from it`,
      )
    : decision(
        round,
        REPLACEMENT,
        'NO',
        () =>
          `node [${source.nodeId}] is being replaced, and its shards may only be allocated to the replacement target ` +
          `[${source.targetNodeName}]`,
      );
}
