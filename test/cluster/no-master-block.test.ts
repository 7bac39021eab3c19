import { expect, it } from 'vitest';
import type { BlockLevel } from '../../src/cluster/blocks.js';
import { isNoMasterBlock, noMasterBlock } from '../../src/cluster/no-master-block.js';
import { emptyClusterState, type ClusterState } from '../../src/cluster/state.js';

const LEVELS: readonly BlockLevel[] = ['read', 'write', 'metadata_read', 'metadata_write'];

function blocked(setting: string | undefined, masterNodeId = ''): readonly BlockLevel[] {
  const persistent = new Map(setting === undefined ? [] : [['cluster.no_master_block', setting]]);
  const state: ClusterState = {
    ...emptyClusterState('c', 'u'),
    masterNodeId,
    clusterSettings: { configured: new Map(), persistent, transient: new Map() },
  };
  return LEVELS.filter((level) => noMasterBlock(state, level) !== undefined);
}

it('refuses without a master what the setting says', () => {
  expect(blocked(undefined)).toEqual(['write', 'metadata_write']);
  expect(blocked('write')).toEqual(['write', 'metadata_write']);
  expect(blocked('metadata_write')).toEqual(['metadata_write']);
  expect(blocked('all')).toEqual(LEVELS);
  expect(blocked('all', 'n1')).toEqual([]);
});

it('is an error of its own', () => {
  const error = noMasterBlock(emptyClusterState('c', 'u'), 'write');
  expect(error).toMatchObject({ type: 'cluster_block_exception', status: 503 });
  expect(error !== undefined && isNoMasterBlock(error)).toBe(true);
});
