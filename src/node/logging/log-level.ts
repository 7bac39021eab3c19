/** Which lines go to the log: what the cluster says, else what the node was configured with. */
import type { LogLevel } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import type { ClusterState } from '../../cluster/state.js';

export function logLevel(state: ClusterState, settings: NodeSettings): LogLevel {
  return (
    valueOf(ClusterSettingDefinitions.logLevel, effectiveClusterSettings(state)) ?? settings.values['logger.level']
  );
}
