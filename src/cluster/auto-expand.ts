/** `index.auto_expand_replicas`: replicas that follow the number of nodes. */
import type { FlatSettings } from './settings/flat-settings.js';
import { indexSetting } from './settings/index-values.js';
import type { ClusterState } from './state.js';
import { dataNodes } from './data-nodes.js';

/** The number of replicas that the setting asks for with the present nodes; undefined when it is off. */
export function autoExpandedReplicas(state: ClusterState, settings: FlatSettings): number | undefined {
  const range = indexSetting({ settings }, 'autoExpandReplicas');
  if (range === undefined || range === false) return undefined;
  return Math.max(range.minimum, Math.min(range.maximum, Math.max(0, dataNodes(state).length - 1)));
}
