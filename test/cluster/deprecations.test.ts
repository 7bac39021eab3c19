import { describe, expect, it } from 'vitest';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { indexDeprecations } from '../../src/cluster/deprecations/index-checks.js';
import { nodeDeprecations, type CheckedNode } from '../../src/cluster/deprecations/node-checks.js';
import { streamDeprecations } from '../../src/cluster/deprecations/stream-checks.js';
import { clusterWith, indexOf } from './support.js';

const GIGABYTE = 1024 ** 3;

function node(name: string, version: string, budgetBytes = GIGABYTE): CheckedNode {
  const memory = { budgetBytes, ignoredOptions: [] };
  return { name, version, settings: parseNodeSettings(new Map(), undefined, memory), machineBytes: 2 * GIGABYTE };
}

describe('nodes', () => {
  it('of one version are as they should be', () => {
    expect(nodeDeprecations([node('a', '1.2.0'), node('b', '1.2.0')])).toEqual([]);
  });

  it('of different versions are to be made alike, by the upgrade that is under way', () => {
    expect(nodeDeprecations([node('a', '1.2.0'), node('c', '1.1.9'), node('b', '1.1.0')])).toEqual([
      {
        level: 'warning',
        message: 'The nodes of the cluster have different versions',
        url: '/_cat/nodes?h=name,version',
        details:
          'Upgrade [b (1.1.0), c (1.1.9)] to [1.2.0]: a node of an older version cannot come back once the master is newer',
        resolve_during_rolling_upgrade: true,
      },
    ]);
  });

  it('leave half of the memory to the page cache, to the last byte', () => {
    expect(nodeDeprecations([node('a', '1.0.0', GIGABYTE)])).toEqual([]);
    const message = 'The memory budget leaves less than half of the memory to the page cache';
    expect(nodeDeprecations([node('a', '1.0.0', GIGABYTE + 1)])).toMatchObject([{ message, level: 'warning' }]);
  });
});

describe('indices of an earlier format', () => {
  const state = clusterWith({ name: 'i' });
  const index = indexOf(state, 'i');
  const old = { ...index, settings: new Map([...index.settings, ['index.version.created', '1000098']] as const) };

  it('are named, those of today are not', () => {
    expect(indexDeprecations(state, index)).toEqual([]);
    expect(indexDeprecations(state, old)).toMatchObject([
      { level: 'warning', url: '/i', details: expect.stringContaining('It has version [1000098], new indices have [') },
    ]);
  });

  it('are named for their data stream, which needs a template to go on', () => {
    const stream = { name: 's', generation: 1, indices: [{ name: 'i', uuid: old.uuid }], hidden: false };
    const streams = new Map([['s', { ...stream, allowCustomRouting: false }]]);
    const found = streamDeprecations({ ...state, indices: new Map([['i', old]]), dataStreams: streams });
    expect(found.get('s')).toMatchObject([
      { level: 'critical', message: 'Data stream has no matching index template' },
      {
        level: 'warning',
        message: 'Data stream has indices of an earlier format',
        details: expect.stringContaining('[i]'),
      },
    ]);
  });
});
