/** Settings of the cluster that say where copies of shards may be, and how fast they may move. */
import { illegalArgument } from '../../base/errors.js';
import { checkDiskSettingsTogether, DiskSettingDefinitions } from './disk-settings.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf } from './registry.js';
import { booleanKind, enumKind, floatKind, integerKind, listKind } from './setting-kinds.js';

const ALLOCATION = 'cluster.routing.allocation';

export const AllocationSettingDefinitions = {
  allocationEnable: setting(
    `${ALLOCATION}.enable`,
    enumKind(['all', 'primaries', 'new_primaries', 'none']),
    'all',
    'dynamic',
  ),
  rebalanceEnable: setting(
    'cluster.routing.rebalance.enable',
    enumKind(['all', 'primaries', 'replicas', 'none']),
    'all',
    'dynamic',
  ),
  allowRebalance: setting(
    `${ALLOCATION}.allow_rebalance`,
    enumKind(['always', 'indices_primaries_active', 'indices_all_active']),
    'indices_all_active',
    'dynamic',
  ),
  concurrentRebalance: setting(`${ALLOCATION}.cluster_concurrent_rebalance`, integerKind(-1), '2', 'dynamic'),
  concurrentRecoveries: setting(`${ALLOCATION}.node_concurrent_recoveries`, integerKind(0), '2', 'dynamic'),
  incomingRecoveries: setting(`${ALLOCATION}.node_concurrent_incoming_recoveries`, integerKind(0), '2', 'dynamic'),
  outgoingRecoveries: setting(`${ALLOCATION}.node_concurrent_outgoing_recoveries`, integerKind(0), '2', 'dynamic'),
  /** Workers open a few of them at once, whatever is allotted to them: a change of the state for each few would hold them up. */
  initialPrimaries: setting(`${ALLOCATION}.node_initial_primaries_recoveries`, integerKind(0), '256', 'dynamic'),
  sameShardHost: setting(`${ALLOCATION}.same_shard.host`, booleanKind, 'false', 'dynamic'),
  awarenessAttributes: setting(`${ALLOCATION}.awareness.attributes`, listKind, [], 'dynamic'),
  totalShardsPerNode: setting(`${ALLOCATION}.total_shards_per_node`, integerKind(-1), '-1', 'dynamic'),
  ...DiskSettingDefinitions,
  balanceShard: setting(`${ALLOCATION}.balance.shard`, floatKind(0), '0.45', 'dynamic'),
  balanceIndex: setting(`${ALLOCATION}.balance.index`, floatKind(0), '0.55', 'dynamic'),
  /** Per byte. */
  balanceDiskUsage: setting(`${ALLOCATION}.balance.disk_usage`, floatKind(0), '2.0E-11', 'dynamic'),
  /** For each processor that writes to primaries keep busy. */
  balanceWriteLoad: setting(`${ALLOCATION}.balance.write_load`, floatKind(0), '10.0', 'dynamic'),
  balanceThreshold: setting(`${ALLOCATION}.balance.threshold`, floatKind(0), '1.0', 'dynamic'),
} as const;

/** Rules that need more than one setting; `settings` are those that would hold. */
export function checkAllocationSettingsTogether(settings: FlatSettings): void {
  checkDiskSettingsTogether(settings);
  const factors = [AllocationSettingDefinitions.balanceShard, AllocationSettingDefinitions.balanceIndex];
  const sum = factors.reduce((total, factor) => total + (valueOf(factor, settings) ?? 0), 0);
  if (sum <= 0) throw illegalArgument(`Balance factors must sum to a value > 0 but was: ${sum}`);
}
