import { describe, expect, it } from 'vitest';
import { createDataStream } from '../../../src/cluster/changes/indices/data-streams.js';
import { deleteIndices, entombIndices } from '../../../src/cluster/changes/indices/delete-indices.js';
import { importIndex } from '../../../src/cluster/changes/indices/import-index.js';
import { putIndexTemplate } from '../../../src/cluster/changes/put-templates.js';
import { NO_CLUSTER_INFO, shardKey } from '../../../src/cluster/disks/cluster-info.js';
import { decodeIndex, encodeIndex } from '../../../src/cluster/state-codec.js';
import type { IndexMetadata } from '../../../src/cluster/state.js';
import { parseIndexTemplate } from '../../../src/cluster/templates/parse-template.js';
import { TestCluster } from '../allocation/cluster.js';
import { indexOf } from '../support.js';

/** As a former cluster wrote it down; its copies were on a and b. */
function orphan(): IndexMetadata {
  const former = new TestCluster('ab');
  former.create('x');
  former.settle();
  return decodeIndex(encodeIndex(indexOf(former.state, 'x')));
}

/** Node b has a copy that was in sync. */
function tellOfStore(cluster: TestCluster, index: IndexMetadata): void {
  const [allocationId = ''] = index.inSyncAllocationIds[0] ?? [];
  const store = { allocationId, totalBytes: 1, matchingBytes: 0, hasAllHistory: false };
  cluster.info = {
    ...NO_CLUSTER_INFO,
    shardStores: new Map([
      [
        shardKey(index.uuid, 0),
        new Map([
          ['a', null],
          ['b', store],
        ]),
      ],
    ]),
  };
}

describe('an index that is taken back', () => {
  it('comes back from a store that was in sync, under a higher term', () => {
    const index = orphan();
    const cluster = new TestCluster('ab');
    tellOfStore(cluster, index);
    cluster.run(importIndex, { index });
    expect(cluster.copies('x')[0]).toMatchObject({
      state: 'INITIALIZING',
      nodeId: 'b',
      allocationId: index.inSyncAllocationIds[0]?.[0],
      unassigned: { reason: 'DANGLING_INDEX_IMPORTED' },
    });
    expect(cluster.term('x')).toBeGreaterThan(index.primaryTerms[0] ?? 0);
    expect(indexOf(cluster.state, 'x')).toMatchObject({ uuid: index.uuid, mapping: index.mapping });
  });

  it('loses aliases that are data streams by now', () => {
    const template = parseIndexTemplate({ index_patterns: 'logs', data_stream: {} });
    const cluster = new TestCluster('ab');
    cluster.run(putIndexTemplate, { name: 't', template, create: true });
    cluster.run(createDataStream, { name: 'logs', backingNames: 'plain' });
    const aliases = new Map([
      ['logs', {}],
      ['free', {}],
    ]);
    cluster.run(importIndex, { index: { ...orphan(), uuid: 'other', aliases } });
    expect([...indexOf(cluster.state, 'x').aliases.keys()]).toEqual(['free']);
  });

  it('waits where no store is known', () => {
    const cluster = new TestCluster('ab');
    cluster.run(importIndex, { index: orphan() });
    expect(cluster.copies('x').every(({ state }) => state === 'UNASSIGNED')).toBe(true);
  });

  it('is refused when its name is taken, it was deleted, there are too many shards, or it is newer than this version', () => {
    const index = { ...orphan(), uuid: 'unknown' };
    const cluster = new TestCluster('ab');
    const refusal = (change: Partial<IndexMetadata> = {}): string => {
      try {
        cluster.run(importIndex, { index: { ...index, ...change } });
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    };
    cluster.create('x');
    expect(refusal()).toBe(`index [x/${indexOf(cluster.state, 'x').uuid}] already exists`);
    cluster.run(deleteIndices, { indices: [indexOf(cluster.state, 'x')] });
    expect(refusal({ settings: new Map([['index.version.created', '9999999']]) })).toBe(
      'index [x] was made by a newer version [9999999] than [1000099]',
    );
    cluster.settings({ 'cluster.max_shards_per_node': '1' });
    expect(refusal({ numberOfReplicas: 2 })).toContain('would add [3] total shards');
    expect(refusal({ name: 'X' })).toContain('must be lowercase');
    cluster.run(entombIndices, { indices: [{ name: 'x', uuid: 'gone' }] });
    expect(refusal({ uuid: 'gone' })).toBe('index [x/gone] was deleted, and its files are about to go');
  });

  it('keeps its aliases, but not the office of an alias that others write to', () => {
    const aliases = new Map([
      ['taken', { isWriteIndex: true }],
      ['free', { isWriteIndex: true }],
      ['y', {}],
    ]);
    const cluster = new TestCluster('ab');
    cluster.create('y');
    cluster.state = {
      ...cluster.state,
      indices: new Map([
        ['y', { ...indexOf(cluster.state, 'y'), aliases: new Map([['taken', { isWriteIndex: true }]]) }],
      ]),
    };
    cluster.run(importIndex, { index: { ...orphan(), aliases } });
    expect([...indexOf(cluster.state, 'x').aliases]).toEqual([
      ['taken', { isWriteIndex: false }],
      ['free', { isWriteIndex: true }],
    ]);
  });
});

describe('what is written down of an index', () => {
  it.each<[string, string]>([
    ['{}', 'has the unknown format [undefined]'],
    ['{"format":2,"index":{"name":"x"}}', 'lacks some of its members'],
    [encodeIndex({ ...orphan(), primaryTerms: [1, 2] }), 'lacks some of its members'],
    [encodeIndex({ ...orphan(), numberOfReplicas: -1 }), 'lacks some of its members'],
  ])('%s is refused', (text, reason) => {
    expect(() => decodeIndex(text)).toThrow(`what is written down of an index ${reason}`);
  });
});
