import { describe, expect, it } from 'vitest';
import { illegalArgument } from '../../../src/base/errors.js';
import { withEntries } from '../../../src/base/shared-map.js';
import { mayUseName, visibleState, type IndexAccess } from '../../../src/cluster/security/index-access.js';
import { namePatterns } from '../../../src/cluster/security/privileges/name-patterns.js';
import {
  emptyClusterState,
  type ClusterState,
  type DataStream,
  type IndexMetadata,
} from '../../../src/cluster/state.js';

function accessTo(...patterns: readonly string[]): IndexAccess {
  const names = namePatterns(patterns);
  return {
    names: {
      isEverything: false,
      allows: (name) => names.matches(name),
      isRestricting: false,
      restrictionOn: () => undefined,
    },
    refuse: (refused) => illegalArgument(refused.join(',')),
  };
}

/** Only what decides who sees it. */
function indexOf(name: string, version: number, ...aliases: readonly string[]): IndexMetadata {
  const index = { name, uuid: `${name}-uuid`, version, aliases: new Map(aliases.map((alias) => [alias, {}])) };
  return index as unknown as IndexMetadata;
}

function streamOf(name: string, indices: readonly string[], ...aliases: readonly string[]): DataStream {
  const ids = indices.map((index) => ({ name: index, uuid: `${index}-uuid` }));
  return { name, indices: ids, aliases: new Map(aliases.map((alias) => [alias, {}])) } as unknown as DataStream;
}

const EMPTY = emptyClusterState('c', 'u');

function namesSeen(state: ClusterState, access: IndexAccess): readonly string[] {
  return [...visibleState(state, access).indices.keys()].sort();
}

describe('what a request sees', () => {
  const indices = [
    indexOf('a', 1),
    indexOf('b', 1, 'alias-b'),
    indexOf('c', 1),
    indexOf('.ds-s', 1),
    indexOf('.ds-t', 1),
  ];
  const state: ClusterState = {
    ...EMPTY,
    indices: new Map(indices.map((index) => [index.name, index])),
    dataStreams: new Map([
      ['s', streamOf('s', ['.ds-s'])],
      ['t', streamOf('t', ['.ds-t'], 'alias-t')],
    ]),
  };

  it('are indices by their own name, that of an alias and that of a data stream', () => {
    expect(namesSeen(state, accessTo('a'))).toEqual(['a']);
    expect(namesSeen(state, accessTo('alias-*'))).toEqual(['.ds-t', 'b']);
    expect(namesSeen(state, accessTo('s'))).toEqual(['.ds-s']);
    expect(namesSeen(state, accessTo('nothing'))).toEqual([]);
  });

  it('has under its own name what may be used by it', () => {
    const seen = visibleState(state, accessTo('alias-b', 's'));
    const usable = ['alias-b', 'b', 's', '.ds-s', 't'].filter((name) => mayUseName(seen, name));
    expect(usable).toEqual(['alias-b', 's', '.ds-s']);
  });

  it('follows every change of the state', () => {
    const access = accessTo('a*', 'alias-x');
    const names = ['a1', 'a2', 'b1', 'b2', 'c'];
    let current = EMPTY;
    let chance = 5;
    const next = (limit: number): number =>
      (chance = (Math.imul(chance, 1_103_515_245) + 12_345) & 0x7fff_ffff) % limit;
    for (let version = 2; version < 400; version++) {
      const name = names[next(names.length)] ?? 'a1';
      const index = indexOf(name, version, ...(next(2) === 0 ? ['alias-x'] : []));
      const isRemoved = next(3) === 0;
      const changed = isRemoved
        ? withEntries(current.indices, [], current.indices.has(name) ? [name] : [])
        : withEntries(current.indices, [[name, index]]);
      current = { ...current, version, indices: changed };
      const expected = [...changed.values()].filter((each) => each.name.startsWith('a') || each.aliases.has('alias-x'));
      const seen = visibleState(current, access);
      expect(namesSeen(current, access)).toEqual(expected.map((each) => each.name).sort());
      for (const each of expected) expect(seen.indices.get(each.name)).toBe(each);
    }
  });
});
