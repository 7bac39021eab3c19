/** Node filters: ids, names, addresses, `_all`, `_local`, `_master`, `role:true`, `attribute:value`, with wildcards. */
import { illegalArgument } from '../../base/errors.js';
import type { ClusterState, NodeRecord } from '../state.js';
import { patternMatcher } from '../names/wildcard.js';

/**
 * The nodes that the filters name, in order of the state; all of them without filters. Each filter adds to what those before
 * chose; `role:false` takes away. `localNodeId` is who `_local` is.
 */
export function selectNodes(
  state: ClusterState,
  filters: readonly string[],
  localNodeId: string,
): readonly NodeRecord[] {
  const all = [...state.nodes.values()];
  if (filters.length === 0) return all;
  const chosen = new Set<NodeRecord>();
  for (const filter of filters) {
    const role = roleFilter(filter);
    for (const node of all) {
      if (role === undefined) {
        if (isNamed(state, node, filter, localNodeId)) chosen.add(node);
      } else if (role.matches(node)) {
        if (role.isWanted) chosen.add(node);
        else chosen.delete(node);
      }
    }
  }
  return all.filter((node) => chosen.has(node));
}

interface RoleFilter {
  readonly isWanted: boolean;
  matches(node: NodeRecord): boolean;
}

const ROLES: Readonly<Record<string, (node: NodeRecord) => boolean>> = {
  master: ({ roles }) => roles.includes('master'),
  cluster_manager: ({ roles }) => roles.includes('master'),
  voting_only: ({ roles }) => roles.includes('voting_only'),
  ingest: ({ roles }) => roles.includes('ingest'),
  remote_cluster_client: ({ roles }) => roles.includes('remote_cluster_client'),
  // The role `data` stands for every tier, and each tier makes a node that holds data.
  data: ({ roles }) => roles.some((role) => role.startsWith('data')),
  data_content: hasTier('data_content'),
  data_hot: hasTier('data_hot'),
  data_warm: hasTier('data_warm'),
  data_cold: hasTier('data_cold'),
  data_frozen: hasTier('data_frozen'),
  coordinating_only: ({ roles }) => !roles.some((role) => /^(?:master|ingest|data.*)$/.test(role)),
};

function hasTier(tier: string): (node: NodeRecord) => boolean {
  return ({ roles }) => roles.includes(tier) || roles.includes('data');
}

function roleFilter(filter: string): RoleFilter | undefined {
  const colon = filter.indexOf(':');
  const name = filter.slice(0, Math.max(0, colon));
  const matches = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (matches === undefined) return undefined;
  const value = filter.slice(colon + 1);
  if (value === 'true' || value === '') return { isWanted: true, matches };
  if (value === 'false') return { isWanted: false, matches };
  throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
}

function isNamed(state: ClusterState, node: NodeRecord, filter: string, localNodeId: string): boolean {
  if (filter === '_all') return true;
  if (filter === '_local') return node.id === localNodeId;
  if (filter === '_master' || filter === '_cluster_manager') return node.id === state.masterNodeId;
  // An id is never taken for a pattern.
  if (state.nodes.has(filter)) return node.id === filter;
  const matches = patternMatcher(filter);
  if ([node.name, node.host, node.ip, node.httpAddress, node.transportAddress].some(matches)) return true;
  const colon = filter.indexOf(':');
  if (colon < 1) return false;
  const isAttribute = patternMatcher(filter.slice(0, colon));
  const isValue = patternMatcher(filter.slice(colon + 1));
  return Object.entries(node.attributes).some(([name, value]) => isAttribute(name) && isValue(value));
}
