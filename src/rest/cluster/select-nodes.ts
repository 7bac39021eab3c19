/** Node filters: ids, names, addresses, `_all`, `_local`, `_master`, `role:true`, `attribute:value`, with wildcards. */
import type { ClusterState, NodeRecord } from '../../cluster/state.js';
import { patternMatcher } from '../../cluster/wildcard.js';

/** The nodes that the filters name, each filter adding to (or, with `:false`, taking from) what those before chose. */
export function selectNodes(state: ClusterState, filters: readonly string[]): readonly NodeRecord[] {
  const all = [...state.nodes.values()];
  if (filters.length === 0) return all;
  const chosen = new Set<NodeRecord>();
  for (const filter of filters) {
    const role = /^(master|cluster_manager|data\w*|ingest|voting_only|ml|coordinating_only):(true|false)$/.exec(filter);
    for (const node of all) {
      if (role !== null) {
        if (!hasRole(node, role[1] ?? '')) continue;
        if (role[2] === 'true') chosen.add(node);
        else chosen.delete(node);
      } else if (isNamed(state, node, filter)) chosen.add(node);
    }
  }
  return all.filter((node) => chosen.has(node));
}

function hasRole(node: NodeRecord, role: string): boolean {
  if (role === 'coordinating_only') return node.roles.length === 0;
  if (role === 'master' || role === 'cluster_manager') {
    return node.roles.includes('master') || node.roles.includes('cluster_manager');
  }
  // The role `data` stands for every tier.
  return node.roles.includes(role) || (role.startsWith('data') && node.roles.includes('data'));
}

function isNamed(state: ClusterState, node: NodeRecord, filter: string): boolean {
  if (filter === '_all' || filter === '*') return true;
  if (filter === '_master' || filter === '_cluster_manager') return node.id === state.masterNodeId;
  // The state is this node's own, and a cluster has one node.
  if (filter === '_local') return true;
  const colon = filter.indexOf(':');
  if (colon > 0) {
    const [attribute, pattern] = [filter.slice(0, colon), filter.slice(colon + 1)];
    const value = Object.hasOwn(node.attributes, attribute) ? node.attributes[attribute] : undefined;
    return value !== undefined && patternMatcher(pattern)(value);
  }
  const matches = patternMatcher(filter);
  return [node.id, node.name, node.host, node.ip, node.httpAddress, node.transportAddress].some(matches);
}
