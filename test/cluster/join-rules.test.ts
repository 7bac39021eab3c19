import { describe, expect, it } from 'vitest';
import { joinRefusal, versionRefusal, type JoiningNode } from '../../src/cluster/nodes/join-rules.js';

const NODE: JoiningNode = { name: 'n4', nodeId: 'i4', version: '0.1.0', clusterName: 'c', clusterUuid: null };
const CLUSTER = { clusterName: 'c', clusterUuid: 'u1', masterVersion: '0.1.0' };

describe('versions', () => {
  it.each([
    ['0.1.0', '0.1.0'],
    ['0.2.0', '0.1.9'],
    ['8.12.1', '8.12.0'],
    ['6.0.0', '5.6.16'],
    ['7.17.10', '6.8.23'],
    ['8.0.0', '7.17.10'],
    ['8.11.0', '7.17.28'],
    ['8.1.0-SNAPSHOT', '8.1.0'],
  ])('a node of [%s] joins a master of [%s]', (node, master) => {
    expect(versionRefusal(node, master)).toBeUndefined();
  });

  it.each([
    ['0.1.0', '0.1.1', 'older nodes cannot join'],
    ['7.17.10', '8.0.0', 'older nodes cannot join'],
    ['8.0.0', '7.17.9', 'possible from [7.17.10] to [8.x] only'],
    ['8.0.0', '6.8.23', 'possible from [6.8.23] to [7.x] only'],
    ['9.0.0', '8.19.0', 'a rolling upgrade across major versions'],
    ['1.0.0', '0.9.0', 'a rolling upgrade across major versions'],
    ['new', '8.0.0', 'node version [new] is not a version'],
    ['8.0.0', '', 'version [] of the master is not a version'],
  ])('a node of [%s] does not join a master of [%s]', (node, master, why) => {
    expect(versionRefusal(node, master)).toContain(why);
  });
});

describe('a node', () => {
  it('joins when it is fresh, or comes back', () => {
    expect(joinRefusal(NODE, CLUSTER)).toBeUndefined();
    expect(joinRefusal({ ...NODE, clusterUuid: 'u1' }, CLUSTER)).toBeUndefined();
  });

  it('of another cluster does not join', () => {
    expect(joinRefusal({ ...NODE, clusterName: 'd' }, CLUSTER)).toBe(
      'cluster name [d] of node [n4] does not match [c] of the master',
    );
    expect(joinRefusal({ ...NODE, clusterUuid: 'u2' }, CLUSTER)).toMatch(
      /^node \[n4\] belonged to the cluster with UUID \[u2\] and cannot join the one with UUID \[u1\]/,
    );
  });

  it('of an older version does not join', () => {
    expect(joinRefusal(NODE, { ...CLUSTER, masterVersion: '0.2.0' })).toContain('older nodes cannot join');
  });
});
