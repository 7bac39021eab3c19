/** The version of the metadata rises with changes of it, and with no others. */
import { expect, it } from 'vitest';
import { withMetadataVersion } from '../../src/cluster/changes/metadata-version.js';
import { decodeState, encodeState } from '../../src/cluster/state-codec.js';
import { emptyClusterState, type ClusterState } from '../../src/cluster/state.js';

const BEFORE: ClusterState = { ...emptyClusterState('c', 'uuid'), version: 7, metadataVersion: 3 };

function versionAfter(parts: Partial<ClusterState>): number {
  return withMetadataVersion(BEFORE, { ...BEFORE, version: 8, stateUuid: 'next', ...parts }).metadataVersion;
}

it('rises with what indices, settings and definitions are', () => {
  const { clusterSettings } = BEFORE;
  expect(versionAfter({ indices: new Map() })).toBe(4);
  expect(versionAfter({ clusterSettings: { ...clusterSettings, persistent: new Map([['a', 'b']]) } })).toBe(4);
  expect(versionAfter({ pipelines: new Map(), roles: new Map() })).toBe(4);
  expect(versionAfter({ term: 2 })).toBe(4);
});

it('stays where nodes come and copies move', () => {
  expect(versionAfter({})).toBe(3);
  expect(versionAfter({ routing: new Map(), nodes: new Map(), masterNodeId: 'n2' })).toBe(3);
  expect(versionAfter({ snapshotOperations: new Map() })).toBe(3);
});

it('is kept, and begins with the version of a state that has none yet', () => {
  expect(decodeState(encodeState(BEFORE)).metadataVersion).toBe(3);
  const { metadataVersion: _, ...former } = BEFORE;
  expect(decodeState(encodeState(former as ClusterState)).metadataVersion).toBe(7);
});
