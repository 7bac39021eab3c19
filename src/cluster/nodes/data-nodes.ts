/** Which nodes may hold shards. */
import type { ClusterState, NodeRecord } from '../state.js';

/** Every tier counts. */
export function holdsData(node: NodeRecord): boolean {
  return node.roles.some((role) => role.startsWith('data'));
}

/** The node holds the frozen tier and no other. */
export function isDedicatedFrozen(node: NodeRecord | undefined): boolean {
  const roles = node?.roles.filter((role) => role.startsWith('data')) ?? [];
  return roles.length > 0 && roles.every((role) => role === 'data_frozen');
}

export function dataNodes(state: ClusterState): readonly NodeRecord[] {
  return [...state.nodes.values()].filter(holdsData);
}
