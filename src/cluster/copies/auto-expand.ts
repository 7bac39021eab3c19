/** `index.auto_expand_replicas`: replicas that follow the number of nodes that may hold the index. */
import { clusterFacts, readFilters, readTierPreference } from '../allocation/index-facts.js';
import { dataNodes } from '../nodes/data-nodes.js';
import { belongs, preferredTier } from '../deciders/data-tier.js';
import { passesFilters } from '../deciders/filter.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import type { FlatSettings } from '../settings/flat-settings.js';
import { indexSetting } from '../settings/index-values.js';
import type { ClusterState } from '../state.js';

/** The number of replicas that the setting asks for with the present nodes; undefined when it is off. */
export function autoExpandedReplicas(state: ClusterState, settings: FlatSettings): number | undefined {
  const range = indexSetting({ settings }, 'autoExpandReplicas');
  if (range === undefined || range === false) return undefined;
  return Math.max(range.minimum, Math.min(range.maximum, Math.max(0, openNodes(state, settings) - 1)));
}

/** Nodes that filters and tiers open to the index, and that are not about to go. */
function openNodes(state: ClusterState, settings: FlatSettings): number {
  const filters = [
    clusterFacts(effectiveClusterSettings(state)).filters,
    readFilters(settings, 'index.routing.allocation.'),
  ];
  const tiers = readTierPreference(settings);
  const tier = preferredTier(state, tiers);
  return dataNodes(state).filter(
    (node) =>
      passesFilters(filters, node) &&
      (tiers.length === 0 || (tier !== undefined && belongs(node, tier))) &&
      (state.shutdowns.get(node.id)?.type ?? 'restart') === 'restart',
  ).length;
}
