import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/random.js';
import { aliasTable, writeTarget } from '../../../src/cluster/aliases/aliases.js';
import { updateAliases, type AliasAction } from '../../../src/cluster/changes/indices/update-aliases.js';
import type { AliasMetadata, ClusterState } from '../../../src/cluster/state.js';
import { clusterWith, environment, indexOf } from '../support.js';

const STATE = clusterWith({ name: 'a', aliases: { old: {} } }, { name: 'b' });

const add = (name: string, alias: string, metadata: AliasMetadata = {}): AliasAction => ({
  kind: 'add',
  index: indexOf(STATE, name),
  alias,
  metadata,
});

function next(state: ClusterState, actions: readonly AliasAction[]): ClusterState {
  return updateAliases(state, { actions }, environment()).state;
}

function change(...actions: AliasAction[]): ClusterState {
  return next(STATE, actions);
}

describe('updates of aliases', () => {
  it('adds, moves and removes at once', () => {
    const state = change(add('b', 'old'), { kind: 'remove', index: indexOf(STATE, 'a'), alias: 'old' });
    expect(
      aliasTable(state)
        .get('old')
        ?.map(({ index }) => index.name),
    ).toEqual(['b']);
  });

  it('changes nothing when nothing is different', () => {
    expect(change(add('a', 'old'))).toBe(STATE);
    expect(change({ kind: 'remove', index: indexOf(STATE, 'b'), alias: 'old' })).toBe(STATE);
  });

  it('makes of many actions what they make one after another, as one version of each index', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 50; round++) {
      const actions = Array.from({ length: 1 + random.below(12) }, (): AliasAction => {
        const [name, alias] = ['ab'[random.below(2)] ?? '', ['old', 'x', 'y'][random.below(3)] ?? ''];
        if (random.below(3) === 0) return { kind: 'remove', index: indexOf(STATE, name), alias };
        return add(name, alias, random.below(2) === 0 ? {} : { indexRouting: String(random.below(2)) });
      });
      const [together, apart] = [change(...actions), actions.reduce((state, action) => next(state, [action]), STATE)];
      for (const name of ['a', 'b']) {
        const [before, after] = [STATE.indices.get(name), together.indices.get(name)];
        expect(after?.aliases).toEqual(apart.indices.get(name)?.aliases);
        const added = after === before ? 0 : 1;
        expect(after?.aliasesVersion).toBe((before?.aliasesVersion ?? 0) + added);
      }
    }
  });

  it('lets an alias take the name of an index that goes in the same step', () => {
    const state = change({ kind: 'remove_index', index: indexOf(STATE, 'b') }, add('a', 'b'));
    expect(aliasTable(state).get('b')?.[0]?.index.name).toBe('a');
    expect(state.indices.has('b')).toBe(false);
  });

  it('removes no index that is blocked, or that another one of the name has replaced', () => {
    const blocked = clusterWith({ name: 'b', settings: { 'index.blocks.read_only': true } });
    const remove = (uuid: string): unknown => {
      const action = { kind: 'remove_index', index: { name: 'b', uuid } } as const;
      return updateAliases(blocked, { actions: [action] }, environment());
    };
    expect(() => remove(indexOf(blocked, 'b').uuid)).toThrow(
      'index [b] blocked by: [FORBIDDEN/5/index read-only (api)]',
    );
    expect(() => remove('former')).toThrow('no such index [b]');
  });

  it('finds the index to write to', () => {
    const target = (state: ClusterState): string | undefined =>
      writeTarget(aliasTable(state).get('w') ?? [])?.index.name;
    expect(target(change(add('a', 'w')))).toBe('a');
    expect(target(change(add('a', 'w', { isWriteIndex: false })))).toBeUndefined();
    expect(target(change(add('a', 'w'), add('b', 'w')))).toBeUndefined();
    expect(target(change(add('a', 'w'), add('b', 'w', { isWriteIndex: true })))).toBe('b');
  });

  it('refuses two indices to write to, and the name of an index', () => {
    const writable = { isWriteIndex: true };
    expect(() => change(add('a', 'w', writable), add('b', 'w', writable))).toThrow(
      'alias [w] has more than one write index [a,b]',
    );
    expect(() => change(add('a', 'b'))).toThrow('an index or data stream exists with the same name as the alias');
  });
});
