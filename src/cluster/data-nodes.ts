/** Which nodes may hold shards. */
import type { ClusterState, NodeRecord } from './state.js';

/** Every tier counts. */
export function holdsData(node: NodeRecord): boolean {
  return node.roles.some((role) => role.startsWith('data'));
}

export function dataNodes(state: ClusterState): readonly NodeRecord[] {
  return [...state.nodes.values()].filter(holdsData);
}
