import { describe, expect, it } from 'vitest';
import { addVotingExclusions, clearVotingExclusions } from '../../../src/cluster/changes/nodes/voting-exclusions.js';
import {
  emptyClusterState,
  type ClusterState,
  type NodeRecord,
  type VotingExclusion,
} from '../../../src/cluster/state.js';
import { environment, NODE } from '../support.js';

function node(number: number, roles: readonly string[] = ['master', 'data']): NodeRecord {
  return { ...NODE, id: `i${number}`, name: `n${number}`, raftId: String(number), roles };
}

const STATE: ClusterState = {
  ...emptyClusterState('c', 'u'),
  nodes: new Map([node(1), node(2), node(3), node(4, ['data'])].map((each) => [each.id, each])),
  masterNodeId: 'i1',
  voting: { voters: ['1', '2', '3'], exclusions: [] },
};

function add(state: ClusterState, nodeIds: readonly string[], nodeNames: readonly string[] = []): ClusterState {
  return addVotingExclusions(state, { nodeIds, nodeNames }, environment()).state;
}

function exclusions(state: ClusterState): readonly VotingExclusion[] {
  return state.voting.exclusions;
}

describe('excluding', () => {
  it('names nodes by id or name, once each', () => {
    const byId = add(STATE, ['i2', 'i2']);
    expect(exclusions(byId)).toEqual([{ nodeId: 'i2', nodeName: 'n2' }]);
    expect(byId.version).toBe(STATE.version + 1);
    expect(add(byId, [], ['n2'])).toBe(byId);
  });

  it('remembers nodes that are not there', () => {
    expect(exclusions(add(STATE, ['x', 'y']))).toEqual([
      { nodeId: 'x', nodeName: '_absent_' },
      { nodeId: 'y', nodeName: '_absent_' },
    ]);
    expect(exclusions(add(STATE, [], ['gone']))).toEqual([{ nodeId: '_absent_', nodeName: 'gone' }]);
  });

  it('has nothing to take from nodes that cannot lead', () => {
    expect(add(STATE, ['i4'])).toBe(STATE);
  });

  it('is refused beyond the maximum', () => {
    const eight = add(
      STATE,
      Array.from({ length: 8 }, (_, at) => `x${at}`),
    );
    expect(() => add(eight, ['a', 'b', 'c'])).toThrow(
      'add voting config exclusions request for [a, b, c] would add [3] exclusions to the existing [8] which would ' +
        'exceed the maximum of [10] set by [cluster.max_voting_config_exclusions]',
    );
    const persistent = new Map([['cluster.max_voting_config_exclusions', '11']]);
    const widened = { ...eight, clusterSettings: { ...eight.clusterSettings, persistent } };
    expect(exclusions(add(widened, ['a', 'b', 'c']))).toHaveLength(11);
  });

  it('is refused when nobody would be left to lead', () => {
    expect(() => add(STATE, ['i1', 'i2', 'i3'])).toThrow('would leave no node that can be the master');
    const voter = { ...STATE, nodes: new Map([...STATE.nodes, ['i5', node(5, ['master', 'voting_only'])]]) };
    expect(() => add(voter, ['i1', 'i2', 'i3'])).toThrow('would leave no node that can be the master');
  });

  it('is refused when those left that vote are no majority of themselves', () => {
    const lost = { ...STATE, nodes: new Map([...STATE.nodes].filter(([id]) => id !== 'i3')) };
    expect(() => add(lost, ['i2'])).toThrow('would leave [2] voting nodes of which [1] are in the cluster');
    expect(exclusions(add(STATE, ['i1', 'i2']))).toHaveLength(2);
  });
});

it('clearing forgets all of them', () => {
  const { state } = clearVotingExclusions(add(STATE, ['i2', 'x']), null, environment());
  expect(exclusions(state)).toEqual([]);
  expect(clearVotingExclusions(state, null, environment()).state).toBe(state);
});
