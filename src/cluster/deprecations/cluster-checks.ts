/** What the settings of the cluster, and their relation to what it holds, would hold up. */
import { CLUSTER_SETTINGS, ClusterSettingDefinitions } from '../settings/cluster-settings.js';
import { watermark } from '../settings/disk-settings.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { valueOf } from '../settings/registry.js';
import { shardCapacity } from '../shard-limit.js';
import type { ClusterState } from '../state.js';
import { listed, warning, type Deprecation } from './entry.js';
import { settingsDeprecations } from './settings-checks.js';

const URL = '/_cluster/settings';
/** A flood stage at this share of a disk leaves no room for the merges that would free some. */
const FLOOD_STAGE_PERCENT_MAX = 98;
const THRESHOLD_ENABLED = 'cluster.routing.allocation.disk.threshold_enabled';
/** The other name of it wins. */
const INFLIGHT = 'indices.breaker.inflight_requests.limit';
const NETWORK_INFLIGHT = 'network.breaker.inflight_requests.limit';

export function clusterDeprecations(state: ClusterState): readonly Deprecation[] {
  const { persistent, transient } = state.clusterSettings;
  return [
    ...settingsDeprecations(CLUSTER_SETTINGS, new Map([...persistent, ...transient]), URL),
    ...transientSettings(state),
    ...disks(state),
    ...inflightLimits(state),
    ...shardLimit(state),
  ];
}

function transientSettings({ clusterSettings: { transient } }: ClusterState): readonly Deprecation[] {
  if (transient.size === 0) return [];
  const details = `Use persistent settings in the place of these transient ones: ${listed(transient.keys())}`;
  return [warning('Transient cluster settings are deprecated', URL, details)];
}

function disks(state: ClusterState): readonly Deprecation[] {
  const settings = effectiveClusterSettings(state);
  if (settings.get(THRESHOLD_ENABLED) === 'false') {
    const details = `Copies are allocated to full disks: set [${THRESHOLD_ENABLED}] to true`;
    return [warning('Allocation does not look at disks', URL, details)];
  }
  const { key, text, usedShareMax } = watermark('floodStage', settings);
  const percent = usedShareMax === undefined ? NaN : Number.parseFloat(text);
  if (!(percent > FLOOD_STAGE_PERCENT_MAX)) return [];
  const details =
    `[${key}] is [${text}]: writes are blocked so late that merges, which need room before they free some, ` +
    `can fill the disk; set it to [${FLOOD_STAGE_PERCENT_MAX}%] or less`;
  return [warning('The flood stage of disks comes too late', URL, details)];
}

function inflightLimits({ clusterSettings: { persistent, transient } }: ClusterState): readonly Deprecation[] {
  const isSet = (key: string): boolean => persistent.has(key) || transient.has(key);
  if (!isSet(INFLIGHT) || !isSet(NETWORK_INFLIGHT)) return [];
  const details = `[${NETWORK_INFLIGHT}] holds, [${INFLIGHT}] does not: remove one of them`;
  return [warning('The limit of requests in flight is set under two names', URL, details)];
}

/** New indices are refused from then on, among them those that an upgrade or a rollover makes. */
function shardLimit(state: ClusterState): readonly Deprecation[] {
  const { used, limit } = shardCapacity(state);
  if (used <= limit) return [];
  const { key } = ClusterSettingDefinitions.maxShardsPerNode;
  const perNode = valueOf(ClusterSettingDefinitions.maxShardsPerNode, effectiveClusterSettings(state));
  const details = `[${used}] shards are open, [${limit}] may be ([${key}] is [${perNode}]): delete or shrink indices, or add nodes`;
  return [warning('The cluster has more open shards than it takes', URL, details)];
}
