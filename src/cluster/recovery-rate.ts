/** How fast copies recover from their primaries. */
import { effectiveClusterSettings } from './effective-cluster-settings.js';
import { ClusterSettingDefinitions } from './settings/cluster-settings.js';
import { valueOf } from './settings/registry.js';
import type { ClusterState } from './state.js';

/** Bytes; 0: no limit. */
export function recoveryBytesPerSecond(state: ClusterState): number {
  const bytes = valueOf(ClusterSettingDefinitions.recoveryMaxBytesPerSecond, effectiveClusterSettings(state)) ?? 0;
  return Math.max(0, bytes);
}
