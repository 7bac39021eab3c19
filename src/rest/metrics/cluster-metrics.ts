/** How the cluster is, as the node that answers knows it. */
import { overallHealth } from '../../cluster/health.js';
import { dataNodes } from '../../cluster/nodes/data-nodes.js';
import { shardCapacity } from '../../cluster/shard-limit.js';
import type { ClusterState } from '../../cluster/state.js';
import { gauge, labelled, type Metric } from './metric.js';

const STATUSES = ['green', 'yellow', 'red'] as const;

export function clusterMetrics(state: ClusterState): readonly Metric[] {
  const health = overallHealth(state);
  return [
    gauge(
      'quarry_cluster_health',
      '1 for the status that the cluster has.',
      ...labelled(
        'status',
        STATUSES.map((status) => [status, health.status === status ? 1 : 0] as const),
      ),
    ),
    gauge('quarry_cluster_nodes', 'Nodes of the cluster.', { value: state.nodes.size }),
    gauge('quarry_cluster_data_nodes', 'Nodes that hold data.', { value: dataNodes(state).length }),
    gauge('quarry_cluster_indices', 'Indices of the cluster.', { value: state.indices.size }),
    gauge(
      'quarry_cluster_shards',
      'Copies of shards; those that relocate are active as well.',
      ...labelled('state', [
        ['active', health.active],
        ['active_primary', health.activePrimaries],
        ['relocating', health.relocating],
        ['initializing', health.initializing],
        ['unassigned', health.unassigned],
        ['unassigned_delayed', health.delayed],
      ]),
    ),
    gauge('quarry_cluster_shards_limit', 'Copies of shards that may be open.', { value: shardCapacity(state).limit }),
    gauge('quarry_cluster_state_version', 'Version of the cluster state.', { value: state.version }),
    gauge('quarry_cluster_has_master', '1 where this node knows a master.', {
      value: state.masterNodeId === '' ? 0 : 1,
    }),
  ];
}
