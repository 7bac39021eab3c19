/** Cluster settings as they hold: transient ones win over persistent ones. */
import type { FlatSettings } from './settings/flat-settings.js';
import type { ClusterState } from './state.js';

export function effectiveClusterSettings(state: Pick<ClusterState, 'clusterSettings'>): FlatSettings {
  const { persistent, transient } = state.clusterSettings;
  return transient.size === 0 ? persistent : new Map([...persistent, ...transient]);
}
