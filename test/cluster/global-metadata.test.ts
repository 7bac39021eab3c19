import { describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { SlmPolicy } from '../../src/cluster/slm/types.js';
import {
  decodeMetadata,
  encodeMetadata,
  metadataOf,
  type GlobalMetadata,
} from '../../src/cluster/snapshots/global-metadata.js';
import { restoredGlobal } from '../../src/cluster/snapshots/restored-global.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { clusterOfOneNode } from './support.js';

const RUN = { startedAtMs: 5, repository: 'r', nodeId: 'n', ephemeralId: 'e' };

function policy(schedule: string, others: Partial<SlmPolicy> = {}): SlmPolicy {
  return {
    version: 1,
    modifiedAtMs: 1,
    policy: { name: 'nightly', schedule, repository: 'r' },
    invocationsSinceLastSuccess: 0,
    stats: { taken: 0, failed: 0, deleted: 0, deletionFailures: 0 },
    runs: new Map(),
    ...others,
  };
}

function withPolicies(policies: Readonly<Record<string, SlmPolicy>>): ClusterState {
  return { ...clusterOfOneNode(), slmPolicies: new Map(Object.entries(policies)) };
}

/** As it comes out of a repository. */
function stored(state: ClusterState, change: (global: object) => object = (global) => global): GlobalMetadata {
  const { global, dataStreams } = metadataOf(state, [], true);
  const text = encodeMetadata({ dataStreams, global: change(must(global, 'the global state')) as GlobalMetadata });
  return must(decodeMetadata(text)?.global, 'the global state');
}

describe('policies of snapshots in a snapshot', () => {
  it('come without what was under way for them', () => {
    const state = withPolicies({ a: policy('1d', { runs: new Map([['one', RUN]]), lastDueMs: 7 }) });
    expect(stored(state).slmPolicies).toEqual(new Map([['a', policy('1d', { lastDueMs: 7 })]]));
  });

  it('take the place of those that are there, whose snapshots go on and whose times are used', () => {
    const global = stored(withPolicies({ a: policy('1d', { lastDueMs: 7 }), b: policy('2d', { lastDueMs: 9 }) }));
    const runs = new Map([['two', RUN]]);
    const state = withPolicies({ a: policy('3d', { lastDueMs: 8, runs }), c: policy('4d') });
    expect(restoredGlobal(state, global).slmPolicies).toEqual(
      new Map([
        ['a', policy('1d', { lastDueMs: 8, runs })],
        ['b', policy('2d', { lastDueMs: 9 })],
      ]),
    );
  });

  it('are left where the snapshot is of a release that did not keep them', () => {
    const old = stored(clusterOfOneNode(), ({ slmPolicies: _later, ...others }: { slmPolicies?: unknown }) => others);
    expect('slmPolicies' in restoredGlobal(withPolicies({ a: policy('1d') }), old)).toBe(false);
  });
});

it('what a repository says beside it does not get into the state', () => {
  const state = clusterOfOneNode();
  const global = stored(state, (each) => ({ ...each, users: new Map([['intruder', {}]]) }));
  expect('users' in restoredGlobal(state, global)).toBe(false);
});

it('a global state that is none is no metadata', () => {
  for (const wrong of [{ slmPolicies: [] }, { pipelines: 'x' }]) {
    const { global, dataStreams } = metadataOf(clusterOfOneNode(), [], true);
    expect(decodeMetadata(encodeMetadata({ dataStreams, global: { ...global, ...wrong } as never }))).toBeUndefined();
  }
});
