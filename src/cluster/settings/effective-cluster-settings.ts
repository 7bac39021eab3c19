/**
 * Cluster settings as they hold: transient ones win over persistent ones, and these over the master's configuration. What this version
 * does not understand holds nowhere.
 */
import { understood } from './archived-settings.js';
import { CLUSTER_SETTINGS } from './cluster-settings.js';
import type { FlatSettings } from './flat-settings.js';
import type { ClusterSettings, ClusterState } from '../state.js';

/** The same object for the same settings: what is read from them is kept by it. */
const known = new WeakMap<ClusterSettings, FlatSettings>();

export function effectiveClusterSettings({
  clusterSettings,
}: {
  readonly clusterSettings: ClusterState['clusterSettings'];
}): FlatSettings {
  let effective = known.get(clusterSettings);
  if (effective === undefined) {
    const { configured, persistent, transient } = clusterSettings;
    effective = new Map([
      ...configured,
      ...understood(CLUSTER_SETTINGS, persistent),
      ...understood(CLUSTER_SETTINGS, transient),
    ]);
    known.set(clusterSettings, effective);
  }
  return effective;
}
