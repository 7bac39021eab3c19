/** Every setting of the cluster that `PUT _cluster/settings` knows. */
import { illegalArgument } from '../../base/errors.js';
import { registryOf, setting, type SettingGroup } from './registry.js';
import { booleanKind, enumKind, integerKind, listKind, textKind, timeKind, watermarkKind } from './setting-kinds.js';

const ENABLE = ['all', 'primaries', 'new_primaries', 'none'] as const;

/** The definitions that other rooms read values by. */
export const ClusterSettingDefinitions = {
  allocationEnable: setting('cluster.routing.allocation.enable', enumKind(ENABLE), 'all', 'dynamic'),
  maxShardsPerNode: setting('cluster.max_shards_per_node', integerKind(1), '1000', 'dynamic'),
  autoCreateIndex: setting('action.auto_create_index', textKind, 'true', 'dynamic'),
  destructiveRequiresName: setting('action.destructive_requires_name', booleanKind, 'false', 'dynamic'),
  maxBuckets: setting('search.max_buckets', integerKind(0), '65535', 'dynamic'),
  allowExpensiveQueries: setting('search.allow_expensive_queries', booleanKind, 'true', 'dynamic'),
  defaultSearchTimeout: setting('search.default_search_timeout', timeKind('-1ms'), '-1', 'dynamic'),
  maxClauseCount: setting('indices.query.bool.max_clause_count', integerKind(1), '1024', 'dynamic'),
  maxNestedDepth: setting('indices.query.bool.max_nested_depth', integerKind(1), '30', 'dynamic'),
  closeEnable: setting('cluster.indices.close.enable', booleanKind, 'true', 'dynamic'),
  blocksReadOnly: setting('cluster.blocks.read_only', booleanKind, 'false', 'dynamic', 'fixed'),
} as const;

/**
 * These speak of several nodes or of disk pressure. A cluster of one node has nowhere to move a shard to, so keeping
 * the value is all there is to do.
 */
const ALLOCATION = [
  setting(
    'cluster.routing.rebalance.enable',
    enumKind(['all', 'primaries', 'replicas', 'none']),
    'all',
    'dynamic',
    'kept',
  ),
  setting(
    'cluster.routing.allocation.allow_rebalance',
    enumKind(['always', 'indices_primaries_active', 'indices_all_active']),
    'indices_all_active',
    'dynamic',
    'kept',
  ),
  setting('cluster.routing.allocation.cluster_concurrent_rebalance', integerKind(-1), '2', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.node_concurrent_recoveries', integerKind(0), '2', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.node_concurrent_incoming_recoveries', integerKind(0), '2', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.node_concurrent_outgoing_recoveries', integerKind(0), '2', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.node_initial_primaries_recoveries', integerKind(0), '4', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.same_shard.host', booleanKind, 'false', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.awareness.attributes', listKind, [], 'dynamic', 'kept'),
  setting('cluster.routing.allocation.disk.threshold_enabled', booleanKind, 'true', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.disk.watermark.low', watermarkKind, '85%', 'dynamic', 'kept'),
  setting('cluster.routing.allocation.disk.watermark.high', watermarkKind, '90%', 'dynamic', 'kept'),
  setting('cluster.info.update.interval', timeKind('10s'), '30s', 'dynamic', 'kept'),
  setting('indices.recovery.max_bytes_per_sec', textKind, '40mb', 'dynamic', 'kept'),
] as const;

/** Known by name, offered at their default only: another value would promise what is not done. */
const FIXED = [
  setting('cluster.routing.allocation.disk.watermark.flood_stage', watermarkKind, '95%', 'dynamic', 'fixed'),
  setting('cluster.routing.allocation.total_shards_per_node', integerKind(-1), '-1', 'dynamic', 'fixed'),
  setting('snapshot.max_concurrent_operations', integerKind(1), '1000', 'dynamic', 'fixed'),
  ...['total', 'fielddata', 'request', 'inflight_requests', 'accounting'].map((name) =>
    setting(`indices.breaker.${name}.limit`, watermarkKind, breakerDefault(name), 'dynamic', 'fixed'),
  ),
] as const;

function breakerDefault(name: string): string {
  return { total: '95%', fielddata: '40%', request: '60%' }[name] ?? '100%';
}

const GROUPS: readonly SettingGroup[] = [
  ...['include', 'exclude', 'require'].map((kind): SettingGroup => ({
    prefix: `cluster.routing.allocation.${kind}.`,
    scope: 'dynamic',
    check: (key, value) => void textKind.parse(value, key),
  })),
  { prefix: 'logger.', scope: 'dynamic', check: levelsAreFixed },
  { prefix: 'cluster.metadata.', scope: 'dynamic', check: (key, value) => void textKind.parse(value, key) },
];

function levelsAreFixed(key: string): never {
  throw illegalArgument(`setting [${key}] cannot be changed while the node runs; set [logger.level] of the node`);
}

export const CLUSTER_SETTINGS = registryOf(
  [...Object.values(ClusterSettingDefinitions), ...ALLOCATION, ...FIXED],
  GROUPS,
);
