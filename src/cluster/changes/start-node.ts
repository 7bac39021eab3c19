/** A cluster of one node: it joins and leads, and nobody else belongs to it. */
import type { ClusterState, NodeRecord } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';
import { masterElected, nodesChanged } from './membership.js';

export interface StartNodeInput {
  readonly node: NodeRecord;
}

export function startNode(state: ClusterState, input: StartNodeInput, environment: ChangeEnvironment): Change<null> {
  const { node } = input;
  const left = [...state.nodes.keys()].filter((id) => id !== node.id);
  const joined = nodesChanged(state, { joined: [node], left }, environment).state;
  const led = masterElected(joined, { nodeId: node.id, term: state.term + 1 }, environment).state;
  // Both at once: one change, one version.
  return { state: { ...led, version: state.version + 1 }, result: null };
}
