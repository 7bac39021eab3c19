/** `cluster.max_shards_per_node`: how many shards the cluster takes. */
import { QuarryError } from '../base/errors.js';
import { IndexTally } from './copies/index-tally.js';
import { effectiveClusterSettings } from './settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from './settings/cluster-settings.js';
import { valueOf } from './settings/registry.js';
import type { ClusterState } from './state.js';
import { dataNodes } from './nodes/data-nodes.js';

/** Refuses to add more shards than the nodes may hold. Closed indices do not count. */
export function checkShardLimit(state: ClusterState, added: number): void {
  if (added <= 0) return;
  if (dataNodes(state).length === 0) return;
  const { used: present, limit } = shardCapacity(state);
  if (present + added <= limit) return;
  throw new QuarryError(
    'validation_exception',
    `Validation Failed: 1: this action would add [${added}] total shards, but this cluster currently has ` +
      `[${present}]/[${limit}] maximum shards open;`,
  );
}

/** Shards that are open, and how many may be. */
export function shardCapacity(state: ClusterState): { readonly used: number; readonly limit: number } {
  const perNode = valueOf(ClusterSettingDefinitions.maxShardsPerNode, effectiveClusterSettings(state)) ?? Infinity;
  return { used: openShards(state), limit: perNode * dataNodes(state).length };
}

let open = 0;

const openTally = new IndexTally(({ index }, sign) => {
  if (index.state === 'open') open += sign * index.numberOfShards * (1 + index.numberOfReplicas);
});

function openShards(state: ClusterState): number {
  openTally.follow(state);
  return open;
}
