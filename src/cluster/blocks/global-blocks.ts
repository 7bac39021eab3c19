/**
 * What a node refuses while it knows no master: what it would read or write may be outdated. One that was in no cluster since it
 * started knows nothing at all, and refuses everything.
 */
import { must } from '../../base/assert.js';
import { QuarryError } from '../../base/errors.js';
import type { BlockLevel } from './blocks.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../settings/cluster-settings.js';
import { valueOf } from '../settings/registry.js';
import type { ClusterState } from '../state.js';

/** Both go by themselves: what they refuse may be tried again. */
export interface GlobalBlock {
  readonly id: number;
  readonly description: string;
  readonly levels: readonly BlockLevel[];
  readonly disablesPersistence: boolean;
}

/** One start of a node. */
export interface OwnRun {
  readonly id: string;
  readonly ephemeralId: string;
}

const ALL: readonly BlockLevel[] = ['read', 'write', 'metadata_read', 'metadata_write'];

/** By `cluster.no_master_block`. */
const LEVELS: Readonly<Record<'all' | 'write' | 'metadata_write', readonly BlockLevel[]>> = {
  all: ALL,
  write: ['write', 'metadata_write'],
  metadata_write: ['metadata_write'],
};
const STATUS = 503;

const NOT_RECOVERED: GlobalBlock = {
  id: 1,
  description: 'state not recovered / initialized',
  levels: ALL,
  disablesPersistence: true,
};

/** Those in force on the node that asks. */
export function globalBlocks(state: ClusterState, self: OwnRun): readonly GlobalBlock[] {
  if (state.masterNodeId !== '') return [];
  const setting = valueOf(ClusterSettingDefinitions.noMasterBlock, effectiveClusterSettings(state));
  const levels = LEVELS[must(setting, 'default of the block')];
  const noMaster: GlobalBlock = { id: 2, description: 'no master', levels, disablesPersistence: false };
  return isRecovered(state, self) ? [noMaster] : [NOT_RECOVERED, noMaster];
}

/** Whether the state is what a cluster agreed on while this run of the node belonged to it, or what a master tells. */
export function isRecovered(state: ClusterState, self: OwnRun): boolean {
  // Nobody agreed on version 0, in which a node shows itself to itself.
  const wasLetIn = state.version > 0 && state.nodes.get(self.id)?.ephemeralId === self.ephemeralId;
  return state.masterNodeId !== '' || wasLetIn;
}

/** The error for work of this level; undefined where it may be done. */
export function globalBlock(state: ClusterState, self: OwnRun, level: BlockLevel): QuarryError | undefined {
  const blocks = globalBlocks(state, self).filter(({ levels }) => levels.includes(level));
  return blocks.length === 0 ? undefined : blockedBy(blocks);
}

/** The error of a node that cannot say yet what the state of its cluster is. */
export function notRecovered(): QuarryError {
  return blockedBy([NOT_RECOVERED]);
}

function blockedBy(blocks: readonly GlobalBlock[]): QuarryError {
  const list = blocks.map(({ id, description }) => `[SERVICE_UNAVAILABLE/${id}/${description}];`).join('');
  return new QuarryError('cluster_block_exception', `blocked by: ${list}`, { status: STATUS });
}

/** Whether that is what another thread or node refused: nothing was done, and it goes away with a master. */
export function isGlobalBlock({ type, status }: QuarryError): boolean {
  return type === 'cluster_block_exception' && status === STATUS;
}

export function masterNotDiscovered(): QuarryError {
  const reason = 'no master is known: not enough of the master-eligible nodes agree on one';
  return new QuarryError('master_not_discovered_exception', reason);
}
