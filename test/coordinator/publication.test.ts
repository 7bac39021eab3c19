import { describe, expect, it } from 'vitest';
import type { ClusterState, IndexMetadata } from '../../src/cluster/state.js';
import { decodePublication, encodePublication } from '../../src/coordinator/publication-codec.js';
import { applyPublication, type Publication } from '../../src/coordinator/publication.js';
import { publishChange, publishToThreads, withKnownParts } from '../../src/coordinator/publish.js';
import { clusterWith, indexOf } from '../cluster/support.js';

const before = clusterWith({
  name: 'a',
  mappings: { properties: { x: { type: 'keyword' } } },
  aliases: { b: {} },
});

function withIndex(change: Partial<IndexMetadata>): ClusterState {
  const index: IndexMetadata = { ...indexOf(before, 'a'), ...change };
  return { ...before, version: before.version + 1, indices: new Map([['a', index]]) };
}

/** As a thread of the node is told. */
function told(after: ClusterState): Publication {
  return structuredClone(publishToThreads(before, after));
}

describe('a change of an index', () => {
  it('is told to threads as what changed of its record, and to other nodes as the whole record', () => {
    const after = withIndex({ primaryTerms: [7], version: 9 });
    const publication = told(after);
    expect(publication).toMatchObject({ maps: { indices: { set: [] } } });
    expect(publication).toMatchObject({ indexChanges: [['a', { primaryTerms: [7], version: 9 }]] });
    expect(JSON.stringify(publication)).not.toContain('keyword');
    const there = applyPublication(before, publication);
    expect(there).toEqual(after);
    expect(indexOf(there, 'a').mapping).toBe(indexOf(before, 'a').mapping);
    const agreed = decodePublication(encodePublication(publishChange(before, after)));
    expect(agreed).not.toHaveProperty('indexChanges');
    expect(applyPublication(before, agreed)).toEqual(after);
  });

  it.each([
    ['a new one of the same name', { uuid: 'another' }],
    ['one of another version of everything', { settingsVersion: 5, mappingVersion: 5, aliasesVersion: 5 }],
  ])('is told as it is: %s', (_what, change) => {
    const after = withIndex({ settings: new Map([['index.hidden', 'true']]), ...change });
    expect(applyPublication(before, told(after))).toEqual(after);
  });

  it('is told as a whole where a member has gone', () => {
    const former = withIndex({ lifecycle: { phase: 'hot', enteredAtMs: 1, done: [] } });
    const { lifecycle: _gone, ...index } = indexOf(former, 'a');
    const after = { ...former, version: former.version + 1, indices: new Map([['a', index]]) };
    const publication = structuredClone(publishToThreads(former, after));
    expect(indexOf(applyPublication(former, publication), 'a')).toEqual(index);
  });

  it('keeps the parts that are known by their versions', () => {
    const former = indexOf(before, 'a');
    const settings = new Map([...former.settings, ['index.priority', '3'] as const]);
    const after = withIndex({ settings, settingsVersion: former.settingsVersion + 1 });
    const agreed = decodePublication(encodePublication(publishChange(before, after)));
    const next = applyPublication(before, withKnownParts(before, agreed));
    expect(next).toEqual(after);
    const { mapping, aliases } = indexOf(next, 'a');
    expect([mapping === former.mapping, aliases === former.aliases]).toEqual([true, true]);
    expect(indexOf(next, 'a').settings.get('index.priority')).toBe('3');
  });

  it('keeps nothing of an index of the same name that was there before', () => {
    const after = withIndex({ uuid: 'another', mapping: { ...indexOf(before, 'a').mapping, meta: { is: 'new' } } });
    const agreed = decodePublication(encodePublication(publishChange(before, after)));
    expect(applyPublication(before, withKnownParts(before, agreed))).toEqual(after);
  });
});
