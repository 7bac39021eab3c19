/** Which watermarks the disks of nodes are above. */
import { clusterFacts } from '../allocation/index-facts.js';
import type { DiskInfo } from './cluster-info.js';
import { isDedicatedFrozen } from '../nodes/data-nodes.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { freeBytesRequired, type Watermark } from '../settings/disk-settings.js';
import type { ClusterState } from '../state.js';

export type DiskLevel = 'below' | 'low' | 'high' | 'flood_stage';

export function isAboveWatermark(mark: Watermark, disk: DiskInfo): boolean {
  return disk.freeBytes < freeBytesRequired(mark, disk.totalBytes);
}

/** By node id: the highest watermark that the disk is above; `below` for all where disks are not watched. */
export function diskLevels(state: ClusterState, disks: ReadonlyMap<string, DiskInfo>): ReadonlyMap<string, DiskLevel> {
  const { diskThresholdEnabled, low, high, floodStage, frozenFloodStage } = clusterFacts(
    effectiveClusterSettings(state),
  );
  const levelOf = (nodeId: string, disk: DiskInfo): DiskLevel => {
    const flood = isDedicatedFrozen(state.nodes.get(nodeId)) ? frozenFloodStage : floodStage;
    if (!diskThresholdEnabled) return 'below';
    if (isAboveWatermark(flood, disk)) return 'flood_stage';
    if (isAboveWatermark(high, disk)) return 'high';
    return isAboveWatermark(low, disk) ? 'low' : 'below';
  };
  return new Map([...disks].map(([nodeId, disk]) => [nodeId, levelOf(nodeId, disk)] as const));
}
