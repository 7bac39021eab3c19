/** Roles of a node, as tools of either kind name them. */
import type { NodeSettings } from '../../../base/node-settings.js';
import type { NodeRecord } from '../../../cluster/state.js';

type Distribution = NodeSettings['values']['compatibility.distribution'];

/** In order; the role that leads has one name for each kind of tool. */
export function roleNames(node: NodeRecord, distribution: Distribution): readonly string[] {
  const leading = distribution === 'opensearch' ? 'cluster_manager' : 'master';
  const names = node.roles.map((role) => (role === 'master' ? leading : role));
  return [...new Set(names)].sort();
}
