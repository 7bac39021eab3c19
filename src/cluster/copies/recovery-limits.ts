/** How fast and how patiently copies recover from their primaries, as the cluster's settings say. */
import { must } from '../../base/assert.js';
import type { RecoveryLimits } from '../../shard/replication/recovery-limits.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions as definitions } from '../settings/cluster-settings.js';
import { valueOf, type SettingDefinition } from '../settings/registry.js';
import type { ClusterState } from '../state.js';

export function recoveryLimits(state: ClusterState): RecoveryLimits {
  const settings = effectiveClusterSettings(state);
  const value = (definition: SettingDefinition<number>): number => must(valueOf(definition, settings), definition.key);
  return {
    bytesPerSecond: Math.max(0, value(definitions.recoveryMaxBytesPerSecond)),
    concurrentPieces: value(definitions.recoveryMaxConcurrentFileChunks),
    retryStateSyncMs: value(definitions.recoveryRetryDelayStateSync),
    retryNetworkMs: value(definitions.recoveryRetryDelayNetwork),
    callMs: value(definitions.recoveryActionTimeout),
    longCallMs: value(definitions.recoveryActionLongTimeout),
    inactivityMs: value(definitions.recoveryActivityTimeout),
  };
}
