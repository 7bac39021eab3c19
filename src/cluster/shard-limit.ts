/** `cluster.max_shards_per_node`: how many shards the cluster takes. */
import { QuarryError } from '../base/errors.js';
import { effectiveClusterSettings } from './effective-cluster-settings.js';
import { ClusterSettingDefinitions } from './settings/cluster-settings.js';
import { valueOf } from './settings/registry.js';
import type { ClusterState } from './state.js';

/** Refuses to add more shards than the nodes may hold. Closed indices do not count. */
export function checkShardLimit(state: ClusterState, added: number): void {
  if (added <= 0) return;
  const dataNodes = [...state.nodes.values()].filter(({ roles }) => roles.some((role) => role.startsWith('data')));
  if (dataNodes.length === 0) return;
  const perNode = valueOf(ClusterSettingDefinitions.maxShardsPerNode, effectiveClusterSettings(state)) ?? Infinity;
  const limit = perNode * dataNodes.length;
  const open = openShards(state);
  if (open + added <= limit) return;
  throw new QuarryError(
    'validation_exception',
    `Validation Failed: 1: this action would add [${added}] total shards, but this cluster currently has ` +
      `[${open}]/[${limit}] maximum shards open;`,
  );
}

function openShards(state: ClusterState): number {
  let shards = 0;
  for (const index of state.indices.values()) {
    if (index.state === 'open') shards += index.numberOfShards * (1 + index.numberOfReplicas);
  }
  return shards;
}
