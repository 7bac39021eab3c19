import { describe, expect, it } from 'vitest';
import { emptyClusterState, type ClusterState, type VotingExclusion } from '../../src/cluster/state.js';
import { desiredMembers, isSameGroup, mayLead } from '../../src/coordinator/voters.js';
import { NODE } from '../cluster/support.js';

/** Nodes whose number is their name; `d` in the name: without a vote. */
function state(names: readonly string[], exclusions: readonly VotingExclusion[] = []): ClusterState {
  const nodes = names.map((name) => {
    const roles = name.startsWith('d') ? ['data'] : ['master', 'data'];
    return [name, { ...NODE, id: name, name, raftId: name, roles }] as const;
  });
  return { ...emptyClusterState('c', 'u'), nodes: new Map(nodes), voting: { voters: [], exclusions } };
}

function voters(names: readonly string[], current: readonly string[], excluded: readonly string[] = []): string {
  const exclusions = excluded.map((name) => ({ nodeId: name, nodeName: name }));
  return desiredMembers(state(names, exclusions), { voters: current, learners: [] }, 'a').voters.join('');
}

describe('voters', () => {
  it('are the nodes that may, an odd number of them', () => {
    expect(voters(['a'], ['a'])).toBe('a');
    expect(voters(['a', 'b', 'c'], ['a'])).toBe('abc');
    expect(voters(['a', 'b', 'c', 'd1'], ['a'])).toBe('abc');
    expect(voters(['a', 'b', 'c', 'e', 'f'], ['a', 'b', 'c'])).toBe('abcef');
  });

  it('leave out of an even number one that did not vote before, never the leader', () => {
    expect(voters(['a', 'b'], ['a'])).toBe('a');
    expect(voters(['a', 'b'], ['b'])).toBe('a');
    expect(voters(['a', 'b', 'c', 'e'], ['a', 'b', 'e'])).toBe('abe');
  });

  it('that are gone keep their vote until three are left', () => {
    expect(voters(['a', 'b'], ['a', 'b', 'c'])).toBe('abc');
    expect(voters(['a'], ['a', 'b', 'c'])).toBe('abc');
    expect(voters(['a', 'b', 'c'], ['a', 'b', 'c', 'e', 'f'])).toBe('abc');
    expect(voters(['a', 'b', 'e'], ['a', 'b', 'c'])).toBe('abe');
  });

  it('stay as they are while most of those that would vote have not joined', () => {
    expect(voters(['a'], ['a', 'b', 'c', 'e', 'f'])).toBe('abcef');
    expect(voters(['a', 'b'], ['a', 'b', 'c', 'e', 'f'])).toBe('abc');
  });

  it('lose their vote when they are excluded', () => {
    expect(voters(['a', 'b', 'c'], ['a', 'b', 'c'], ['b', 'c'])).toBe('a');
    expect(voters(['a', 'b', 'c'], ['a', 'b', 'c'], ['c'])).toBe('a');
  });

  it('and learners are all nodes', () => {
    const members = desiredMembers(state(['a', 'b', 'd1']), { voters: ['a'], learners: [] }, 'a');
    expect(members).toEqual({ voters: ['a'], learners: ['b', 'd1'] });
    expect(isSameGroup(members, { voters: ['a'], learners: ['d1', 'b'] })).toBe(true);
    expect(isSameGroup(members, { voters: ['a', 'b'], learners: ['d1'] })).toBe(false);
  });

  it('that only vote do not lead', () => {
    expect(mayLead({ roles: ['master', 'voting_only'] })).toBe(false);
    expect(mayLead({ roles: ['master'] })).toBe(true);
    expect(mayLead({ roles: ['data'] })).toBe(false);
  });
});
