/** What is kept of subjects must not keep former states of the cluster: a node with changing roles grew by one for each change. */
import { describe, expect, it } from 'vitest';
import { Authority } from '../../../src/actions/security/authority.js';
import { parseRoleDescriptor } from '../../../src/cluster/security/parse-role-descriptor.js';
import type { Subject } from '../../../src/cluster/security/subject.js';
import { emptyClusterState, type ClusterState, type IndexMetadata } from '../../../src/cluster/state.js';
import { collectGarbage } from '../../collect-garbage.js';

const SEARCH = 'indices:data/read/search';
const STATES = 40;
const READER = parseRoleDescriptor('reader', { indices: [{ names: ['a'], privileges: ['read'] }] });
const READER_OF_PART = parseRoleDescriptor('reader', {
  indices: [{ names: ['a'], privileges: ['read'], query: { term: { dept: 'open' } } }],
});

function subjectNamed(username: string, ...roles: readonly string[]): Subject {
  return {
    ...{ username, fullName: null, email: null, metadata: {}, enabled: true, lookupRealm: null },
    ...{ roles, authenticationRealm: { name: 'native1', type: 'native' }, authenticationType: 'realm' },
  };
}

function stateWith(version: number, roles: ClusterState['roles']): ClusterState {
  const index = (name: string): readonly [string, IndexMetadata] => {
    const made = { name, uuid: `${name}-${version}`, aliases: new Map() };
    return [name, made as unknown as IndexMetadata];
  };
  return { ...emptyClusterState('c', 'u'), version, roles, indices: new Map([index('a'), index('b')]) };
}

const aliveOf = (states: readonly WeakRef<ClusterState>[]): number =>
  states.filter((state) => state.deref() !== undefined).length;

/** As a request begins: what decides about it knows the state of that moment only. */
function look(subject: Subject, state: ClusterState): WeakRef<ClusterState> {
  const authority = new Authority(subject, () => state);
  expect([...authority.view(SEARCH).indices.keys()]).toEqual(['a']);
  expect(() => {
    authority.requireNames(SEARCH, ['b']);
  }).toThrow(/unauthorized for user/);
  return new WeakRef(state);
}

describe('subjects that come back', () => {
  it.each([
    ['with whole indices', READER],
    ['with parts of indices', READER_OF_PART],
  ])('keep no state of former roles, %s', async (_what, role) => {
    const [known, others] = [subjectNamed('known', 'reader'), [] as Subject[]];
    const states = Array.from({ length: STATES }, (_, version) => {
      const state = stateWith(version, new Map([['reader', role]]));
      const other = subjectNamed(`other-${version}`, 'reader');
      others.push(other);
      look(other, state);
      return look(known, state);
    });
    await collectGarbage();
    expect(others.length).toBe(STATES);
    expect(aliveOf(states)).toBeLessThanOrEqual(1);
  });

  it('keep one view while the roles stay as they are', async () => {
    const [subject, roles] = [subjectNamed('u', 'reader'), new Map([['reader', READER]])];
    const states = Array.from({ length: STATES }, (_, version) => look(subject, stateWith(version, roles)));
    await collectGarbage();
    expect(aliveOf(states)).toBeLessThanOrEqual(1);
    look(subject, stateWith(STATES, roles));
  });

  it('are refused by the roles of the newest state', () => {
    const [subject, roles] = [subjectNamed('u', 'reader', 'gone'), new Map([['reader', READER]])];
    const texts = [roles, new Map([...roles, ['gone', READER]])].map((each) => {
      try {
        new Authority(subject, () => stateWith(1, each)).requireNames(SEARCH, ['b']);
        return '';
      } catch (error) {
        return String(error);
      }
    });
    expect(texts[0]).toContain('gone');
    expect(texts[1]).not.toBe(texts[0]);
  });
});
