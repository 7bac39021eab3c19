/** What the API shows of a node that is prepared for being stopped. */
import type { JsonObject } from '../../base/json-value.js';
import { formatTime } from '../../base/units.js';
import { shardMigration, type ShutdownStatus } from '../../cluster/nodes/shutdown-status.js';
import type { ClusterState, NodeShutdown } from '../../cluster/state.js';

export function renderShutdown(state: ClusterState, shutdown: NodeShutdown): JsonObject {
  const { status, remaining, explanation } = shardMigration(state, shutdown);
  // No task is bound to a node, and there are no plugins.
  const others: ShutdownStatus = 'COMPLETE';
  return {
    node_id: shutdown.nodeId,
    type: shutdown.type.toUpperCase(),
    reason: shutdown.reason,
    ...(shutdown.allocationDelayMs === undefined ? {} : { allocation_delay: formatTime(shutdown.allocationDelayMs) }),
    shutdown_startedmillis: shutdown.startedAtMs,
    status,
    shard_migration: {
      status,
      shard_migrations_remaining: remaining,
      ...(explanation === undefined ? {} : { explanation }),
    },
    persistent_tasks: { status: others },
    plugins: { status: others },
    ...(shutdown.targetNodeName === undefined ? {} : { target_node_name: shutdown.targetNodeName }),
    ...(shutdown.gracePeriodMs === undefined ? {} : { grace_period: formatTime(shutdown.gracePeriodMs) }),
  };
}
