/** What a node that knows no master refuses, by `cluster.no_master_block`: what it would read or write may be outdated. */
import { must } from '../base/assert.js';
import { QuarryError } from '../base/errors.js';
import type { BlockLevel } from './blocks.js';
import { effectiveClusterSettings } from './effective-cluster-settings.js';
import { ClusterSettingDefinitions } from './settings/cluster-settings.js';
import { valueOf } from './settings/registry.js';
import type { ClusterState } from './state.js';

const LEVELS: Readonly<Record<'all' | 'write' | 'metadata_write', readonly BlockLevel[]>> = {
  all: ['read', 'write', 'metadata_read', 'metadata_write'],
  write: ['write', 'metadata_write'],
  metadata_write: ['metadata_write'],
};
const STATUS = 503;

/** The error for work of this level; undefined where it may be done. */
export function noMasterBlock(state: ClusterState, level: BlockLevel): QuarryError | undefined {
  if (state.masterNodeId !== '') return undefined;
  const setting = valueOf(ClusterSettingDefinitions.noMasterBlock, effectiveClusterSettings(state));
  if (!LEVELS[must(setting, 'default of the block')].includes(level)) return undefined;
  const reason = 'blocked by: [SERVICE_UNAVAILABLE/2/no master];';
  return new QuarryError('cluster_block_exception', reason, { status: STATUS });
}

/** Whether that is what another thread or node refused: nothing was done, and it goes away with a master. */
export function isNoMasterBlock({ type, status }: QuarryError): boolean {
  return type === 'cluster_block_exception' && status === STATUS;
}
