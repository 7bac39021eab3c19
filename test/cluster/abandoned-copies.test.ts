import { describe, expect, it } from 'vitest';
import { fateOf } from '../../src/cluster/copies/abandoned-copies.js';
import { deleteIndices, entombIndices } from '../../src/cluster/changes/indices/delete-indices.js';
import { closeIndices } from '../../src/cluster/changes/indices/open-close-indices.js';
import { indexOf } from './support.js';
import { TestCluster } from './allocation/cluster.js';

function started(): { cluster: TestCluster; uuid: string; elsewhere: string } {
  const cluster = new TestCluster('abc');
  cluster.create('x');
  cluster.settle();
  const holders = new Set(cluster.copies('x').map(({ nodeId }) => nodeId));
  const elsewhere = [...cluster.state.nodes.keys()].find((id) => !holders.has(id)) ?? '';
  return { cluster, uuid: indexOf(cluster.state, 'x').uuid, elsewhere };
}

describe('a directory of a shard', () => {
  it('goes when all copies that the shard shall have say that they serve, and none is on the node', () => {
    const { cluster, uuid, elsewhere } = started();
    const place = { indexUuid: uuid, shard: 0 };
    expect(fateOf(cluster.state, elsewhere, place)).toEqual(
      cluster
        .copies('x')
        .map(({ nodeId, allocationId }) => ({ index: 'x', indexUuid: uuid, shard: 0, nodeId, allocationId })),
    );
    for (const { nodeId } of cluster.copies('x')) expect(fateOf(cluster.state, nodeId ?? '', place)).toBe('keep');
  });

  it('stays while a copy is missing, moves or is closed, and where the shard is not known', () => {
    const { cluster, uuid, elsewhere } = started();
    const place = { indexUuid: uuid, shard: 0 };
    expect(fateOf(cluster.state, elsewhere, { indexUuid: uuid, shard: 1 })).toBe('keep');
    expect(fateOf(cluster.state, elsewhere, { indexUuid: 'unknown', shard: 0 })).toBe('keep');
    const open = cluster.state;
    cluster.run(closeIndices, { indices: [indexOf(cluster.state, 'x')] });
    expect(fateOf(cluster.state, elsewhere, place)).toBe('keep');
    cluster.state = open;
    cluster.settings({ 'cluster.routing.allocation.enable': 'none' });
    cluster.leave(cluster.copies('x')[1]?.nodeId ?? '');
    expect(fateOf(cluster.state, elsewhere, place)).toBe('keep');
    cluster.settings({ 'cluster.routing.allocation.enable': null });
    expect(fateOf(cluster.state, elsewhere, place)).toBe('keep');
  });

  it('goes with its index, also when the node hears of the deletion late', () => {
    const { cluster, uuid } = started();
    cluster.run(deleteIndices, { indices: [{ name: 'x', uuid }] });
    cluster.create('x');
    expect(fateOf(cluster.state, 'a', { indexUuid: uuid, shard: 0 })).toBe('remove');
    expect(cluster.state.tombstones.get(uuid)).toEqual({ name: 'x', deletedAtMs: cluster.nowMs });
  });

  it('of an index that nobody knows goes when that is said to be deleted', () => {
    const { cluster, uuid } = started();
    expect(() => cluster.run(entombIndices, { indices: [{ name: 'x', uuid }] })).toThrow('is not dangling');
    cluster.run(entombIndices, { indices: [{ name: 'lost', uuid: 'u' }] });
    expect(fateOf(cluster.state, 'a', { indexUuid: 'u', shard: 0 })).toBe('remove');
  });
});

describe('deleted indices', () => {
  it('are remembered, the latest five hundred', () => {
    const cluster = new TestCluster('a');
    for (let at = 0; at < 501; at++) cluster.run(entombIndices, { indices: [{ name: `i${at}`, uuid: `uuid ${at}` }] });
    expect(cluster.state.tombstones.size).toBe(500);
    expect(cluster.state.tombstones.has('uuid 0')).toBe(false);
  });
});
