import { describe, expect, it } from 'vitest';
import { selectNodes } from '../../src/cluster/nodes/node-filter.js';
import { emptyClusterState, type ClusterState, type NodeRecord } from '../../src/cluster/state.js';
import { NODE } from './support.js';

function node(id: string, changes: Partial<NodeRecord>): NodeRecord {
  const number = id.slice(1);
  return {
    ...NODE,
    id,
    name: `node-${number}`,
    ip: `10.0.0.${number}`,
    host: `host-${number}`,
    transportAddress: `10.0.0.${number}:9300`,
    attributes: {},
    ...changes,
  };
}

const NODES = [
  node('i1', { roles: ['master'], attributes: { rack: 'r1', zone: 'a' } }),
  node('i2', { roles: ['master', 'data', 'ingest'], attributes: { rack: 'r2' } }),
  node('i3', { roles: ['data_hot', 'data_content'], attributes: { rack: 'r1', 'rack.row': 'x' } }),
  node('i4', { roles: ['data_frozen'], name: 'cold one' }),
  node('i5', { roles: [] }),
  node('i6', { roles: ['master', 'voting_only'] }),
];
const STATE: ClusterState = {
  ...emptyClusterState('c', 'u'),
  nodes: new Map(NODES.map((each) => [each.id, each])),
  masterNodeId: 'i2',
};

function select(filters: string): string {
  const chosen = selectNodes(STATE, filters === '' ? [] : filters.split(','), 'i3');
  return chosen.map(({ id }) => id.slice(1)).join('');
}

describe('filters', () => {
  it.each([
    ['', '123456'],
    ['_all', '123456'],
    ['*', '123456'],
    ['_local', '3'],
    ['_master', '2'],
    ['_cluster_manager', '2'],
    ['i5', '5'],
    ['i5,i1', '15'],
    ['node-2', '2'],
    ['node-*', '12356'],
    ['c*e', '4'],
    ['10.0.0.4', '4'],
    ['10.0.0.*', '123456'],
    ['host-6', '6'],
    ['10.0.0.1:9300', '1'],
    ['nobody', ''],
    ['master:true', '126'],
    ['_all,master:false', '345'],
    ['master:false', ''],
    ['master:true,_local,voting_only:false', '123'],
    ['data:true', '234'],
    ['data_frozen:true', '24'],
    ['data_hot:true,data:false', ''],
    ['ingest:true', '2'],
    ['voting_only:true', '6'],
    ['coordinating_only:true', '5'],
    ['_all,coordinating_only:false', '12346'],
    ['rack:r1', '13'],
    ['rack:*', '123'],
    ['ra*:r2', '2'],
    ['zone:b', ''],
    ['rack:r1,i1', '13'],
  ])('[%s] chooses %s', (filters, chosen) => {
    expect(select(filters)).toBe(chosen);
  });

  it('refuses what is neither true nor false of a role', () => {
    expect(() => select('master:yes')).toThrow('Failed to parse value [yes] as only [true] or [false] are allowed.');
  });
});
