/**
 * `cluster.routing.allocation.awareness.attributes`: the copies of a shard are spread evenly over the values of these node
 * attributes. With `awareness.force.<attribute>.values`, values that no node has now count as well, so that the copies meant for
 * them wait.
 */
import type { AllocationRound, Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'awareness';
const SETTING = 'cluster.routing.allocation.awareness.attributes';

export const awareness: Decider = {
  name: NAME,
  allowsStay: { inRound: ({ facts }) => facts.awarenessAttributes.length === 0, ofIndex: () => true },
  canAllocate: (question, node) => isSpread(question, node, true),
  canRemain: (question, node) => isSpread(question, node, false),
};

function isSpread(question: Question, node: NodeLoad, moves: boolean): Decision {
  const { round, facts } = question;
  const attributes = round.facts.awarenessAttributes;
  if (attributes.length === 0) {
    const how = `set cluster setting [${SETTING}] to enable it`;
    return decision(round, NAME, 'YES', () => `allocation awareness is not enabled, ${how}`);
  }
  if (facts.expandsToAllNodes) {
    const why = 'allocation awareness is ignored, this index is set to auto-expand to all nodes';
    return decision(round, NAME, 'YES', () => why);
  }
  for (const attribute of attributes) {
    const refusal = refusedFor(question, node, attribute, moves);
    if (refusal !== undefined) return refusal;
  }
  return decision(round, NAME, 'YES', () => 'node meets all awareness attribute requirements');
}

function refusedFor(question: Question, node: NodeLoad, attribute: string, moves: boolean): Decision | undefined {
  const { round, index, copy } = question;
  const value = valueOn(node, attribute);
  if (value === undefined) {
    const required = `required attributes cluster setting [${SETTING}=${round.facts.awarenessAttributes.join(',')}]`;
    return decision(
      round,
      NAME,
      'NO',
      () => `node does not contain the awareness attribute [${attribute}]; ${required}`,
    );
  }
  const ofNodes = valuesOfNodes(round, attribute);
  const values = new Set([...ofNodes, ...(round.facts.forcedValues.get(attribute) ?? [])]).size;
  const copiesAsked = index.numberOfReplicas + 1;
  const most = Math.ceil(copiesAsked / Math.max(1, values));
  const present = copiesWith(question, attribute, value);
  // One that moves within its value adds nothing there.
  const isThere = valueOn(round.node(copy.nodeId), attribute) === value;
  const count = moves && !isThere ? present + 1 : present;
  if (count <= most) return undefined;
  return decision(
    round,
    NAME,
    'NO',
    () =>
      `there are [${copiesAsked}] copies of this shard and [${values}] values for attribute [${attribute}] ` +
      `([${ofNodes.join(', ')}] from nodes in the cluster and ${forcedText(round, attribute)}) so there may be at most ` +
      `[${most}] copies of this shard allocated to nodes with each value, but (including this copy) there would be ` +
      `[${count}] copies allocated to nodes with [node.attr.${attribute}: ${value}]`,
  );
}

function forcedText(round: AllocationRound, attribute: string): string {
  const forced = round.facts.forcedValues.get(attribute);
  return forced === undefined ? 'no forced awareness' : `[${forced.join(', ')}] from forced awareness`;
}

/** Of nodes that hold data. */
function valuesOfNodes(round: AllocationRound, attribute: string): readonly string[] {
  return [...new Set(round.nodes.flatMap((node) => valueOn(node, attribute) ?? []))].sort();
}

/** Sources of moves do not count: they go. */
function copiesWith({ round, copies }: Question, attribute: string, value: string): number {
  return copies.filter(
    ({ nodeId, state }) =>
      nodeId !== null && state !== 'RELOCATING' && valueOn(round.node(nodeId), attribute) === value,
  ).length;
}

function valueOn(node: NodeLoad | undefined, attribute: string): string | undefined {
  const attributes = node?.node.attributes ?? {};
  return Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
}
