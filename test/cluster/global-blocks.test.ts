import { expect, it } from 'vitest';
import type { BlockLevel } from '../../src/cluster/blocks/blocks.js';
import { globalBlock, globalBlocks, isGlobalBlock } from '../../src/cluster/blocks/global-blocks.js';
import { emptyClusterState, type ClusterState } from '../../src/cluster/state.js';
import { NODE } from './support.js';

const LEVELS: readonly BlockLevel[] = ['read', 'write', 'metadata_read', 'metadata_write'];
const SELF = { id: NODE.id, ephemeralId: NODE.ephemeralId };

function stateWith(setting: string | undefined, masterNodeId = ''): ClusterState {
  const persistent = new Map(setting === undefined ? [] : [['cluster.no_master_block', setting]]);
  return {
    ...emptyClusterState('c', 'u'),
    version: 1,
    nodes: new Map([[NODE.id, NODE]]),
    masterNodeId,
    clusterSettings: { configured: new Map(), persistent, transient: new Map() },
  };
}

function blocked(setting: string | undefined, masterNodeId = ''): readonly BlockLevel[] {
  const state = stateWith(setting, masterNodeId);
  return LEVELS.filter((level) => globalBlock(state, SELF, level) !== undefined);
}

it('refuses without a master what the setting says', () => {
  expect(blocked(undefined)).toEqual(['write', 'metadata_write']);
  expect(blocked('write')).toEqual(['write', 'metadata_write']);
  expect(blocked('metadata_write')).toEqual(['metadata_write']);
  expect(blocked('all')).toEqual(LEVELS);
  expect(blocked('all', 'n1')).toEqual([]);
});

it('refuses everything on a node that no cluster let in since it started', () => {
  const state = stateWith(undefined);
  const ofEarlierRun = { ...SELF, ephemeralId: 'later' };
  const reason = 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered / initialized];';
  expect(globalBlock(state, ofEarlierRun, 'read')?.message).toBe(reason);
  expect(globalBlock(state, { id: 'other', ephemeralId: 'e' }, 'metadata_read')?.message).toBe(reason);
  const both = `${reason}[SERVICE_UNAVAILABLE/2/no master];`;
  expect(globalBlock(state, ofEarlierRun, 'write')?.message).toBe(both);
  expect(globalBlocks(state, ofEarlierRun).map(({ id }) => id)).toEqual([1, 2]);
});

it('refuses everything on a node that shows itself to itself before any cluster let it in', () => {
  const state = { ...stateWith(undefined), version: 0 };
  expect(globalBlocks(state, SELF).map(({ id }) => id)).toEqual([1, 2]);
  expect(LEVELS.filter((level) => globalBlock(state, SELF, level) !== undefined)).toEqual(LEVELS);
});

it('is an error of its own', () => {
  const error = globalBlock(stateWith(undefined), SELF, 'write');
  expect(error).toMatchObject({ type: 'cluster_block_exception', status: 503 });
  expect(error !== undefined && isGlobalBlock(error)).toBe(true);
});
