/** Which copy of a shard is asked. */
import { describe, expect, it } from 'vitest';
import { ADAPTIVE, parsePreference, PRIMARY } from '../../src/actions/copy-preference.js';
import { CopyRanks } from '../../src/actions/copy-ranks.js';
import { copiesInOrder, primaryPlace } from '../../src/actions/copy-selection.js';
import { emptyClusterState, type ClusterState, type NodeRecord, type ShardCopy } from '../../src/cluster/state.js';

const KEY = { index: 'a', indexUuid: 'u', shard: 0 };

function node(id: string, attributes: Readonly<Record<string, string>> = {}): NodeRecord {
  return {
    id,
    ephemeralId: `${id}-run`,
    raftId: '1',
    name: `name-${id}`,
    host: 'localhost',
    ip: '127.0.0.1',
    httpAddress: '127.0.0.1:9200',
    transportAddress: '127.0.0.1:9300',
    version: '0.1.0',
    roles: ['data'],
    attributes,
    workerSlots: 2,
  };
}

function copy(nodeId: string | null, more: Partial<ShardCopy> = {}): ShardCopy {
  return {
    shard: 0,
    primary: false,
    state: nodeId === null ? 'UNASSIGNED' : 'STARTED',
    nodeId,
    relocatingNodeId: null,
    workerSlot: nodeId === null ? null : 1,
    allocationId: nodeId === null ? null : `on-${nodeId}`,
    unassigned: null,
    ...more,
  };
}

function stateOf(copies: readonly ShardCopy[]): ClusterState {
  const nodes = [node('n1'), node('n2', { zone: 'east' }), node('n3', { zone: 'west' })];
  return {
    ...emptyClusterState('c', 'c-uuid'),
    nodes: new Map(nodes.map((record) => [record.id, record])),
    routing: new Map([['a', { index: { name: 'a', uuid: 'u' }, shards: [copies] }]]),
  };
}

const THREE = [copy('n1', { primary: true }), copy('n2'), copy('n3')];

interface Choice {
  readonly copies?: readonly ShardCopy[];
  readonly ranks?: Readonly<Record<string, number>>;
  readonly local?: string;
  readonly turn?: number;
}

function chosen(preference: string | undefined, choice: Choice = {}): string[] {
  const { copies = THREE, ranks = {}, local = 'n2', turn = 0 } = choice;
  const context = { state: stateOf(copies), localNodeId: local, rankOf: (id: string) => ranks[id], turn };
  return copiesInOrder(KEY, parsePreference(preference).copies, context).map(({ nodeId }) => nodeId);
}

describe('without a preference', () => {
  it('the best rank comes first', () => {
    expect(chosen(undefined, { ranks: { n1: 3, n2: 2, n3: 1 } })).toEqual(['n3', 'n2', 'n1']);
  });

  it('of equals this node is the best', () => {
    expect(chosen(undefined, { ranks: { n1: 1, n2: 1, n3: 1 } })[0]).toBe('n2');
    expect(chosen(undefined)[0]).toBe('n2');
  });

  it('a node that was never asked is tried, and such nodes take turns', () => {
    expect(chosen(undefined, { ranks: { n2: 1 }, turn: 0 })).toEqual(['n1', 'n3', 'n2']);
    expect(chosen(undefined, { ranks: { n2: 1 }, turn: 2 })).toEqual(['n3', 'n1', 'n2']);
  });

  it('all copies take turns where ranks are not asked for', () => {
    const turns = [0, 1, 2, 3].map((turn) => {
      const context = { state: stateOf(THREE), localNodeId: 'n2', turn };
      return copiesInOrder(KEY, parsePreference(undefined).copies, context)[0]?.nodeId;
    });
    expect(new Set(turns)).toEqual(new Set(['n1', 'n2', 'n3']));
    expect(turns[3]).toBe(turns[0]);
  });

  it('only copies that serve are asked, and last a primary that is being opened', () => {
    const opening = copy('n1', { primary: true, state: 'INITIALIZING' });
    expect(chosen(undefined, { copies: [opening, copy('n3'), copy('n2', { state: 'INITIALIZING' })] })).toEqual([
      'n3',
      'n1',
    ]);
    expect(chosen(undefined, { copies: [copy(null, { primary: true }), copy(null)] })).toEqual([]);
  });

  it('one copy is asked where it serves, on a node that is there', () => {
    expect(chosen(undefined, { copies: [copy('n3', { primary: true })] })).toEqual(['n3']);
    expect(chosen(undefined, { copies: [copy('gone', { primary: true })] })).toEqual([]);
    const opening = copy('n1', { primary: true, state: 'INITIALIZING' });
    expect(chosen(undefined, { copies: [opening] })).toEqual(['n1']);
    expect(chosen('_replica', { copies: [copy('n3', { primary: true })] })).toEqual([]);
  });

  it('the source of a move serves, its target does not yet', () => {
    const source = copy('n1', { primary: true, state: 'RELOCATING', relocatingNodeId: 'n2' });
    const target = copy('n2', { primary: true, state: 'INITIALIZING', relocatingNodeId: 'n1' });
    expect(chosen(undefined, { copies: [source, target] })).toEqual(['n1']);
    expect(primaryPlace(stateOf([source, target]), KEY)?.nodeId).toBe('n1');
  });

  it('nobody asks nodes that left, or another index of the name', () => {
    expect(chosen(undefined, { copies: [copy('gone', { primary: true }), copy('n3')] })).toEqual(['n3']);
    const context = { state: stateOf(THREE), localNodeId: 'n1', rankOf: () => undefined, turn: 0 };
    expect(copiesInOrder({ ...KEY, indexUuid: 'other' }, ADAPTIVE, context)).toEqual([]);
    expect(primaryPlace(stateOf([copy('gone', { primary: true })]), KEY)).toBeUndefined();
  });
});

describe('a preference', () => {
  const ranks = { n1: 1, n2: 2, n3: 3 };

  it('for the node that was asked, or for none but it', () => {
    expect(chosen('_local', { ranks, local: 'n3' })).toEqual(['n3', 'n1', 'n2']);
    expect(chosen('_only_local', { ranks, local: 'n3' })).toEqual(['n3']);
    expect(chosen('_only_local', { ranks, local: 'n3', copies: [copy('n1', { primary: true })] })).toEqual([]);
  });

  it('for named nodes, or for none but them', () => {
    expect(chosen('_prefer_nodes:n3,n2', { ranks })).toEqual(['n2', 'n3', 'n1']);
    expect(chosen('_prefer_nodes:nowhere', { ranks })).toEqual(['n1', 'n2', 'n3']);
    expect(chosen('_only_nodes:name-n3,zone:east', { ranks })).toEqual(['n2', 'n3']);
    expect(() => chosen('_only_nodes:nowhere', { ranks })).toThrow(
      'no data nodes with criteria [nowhere] found for shard: [a][0]',
    );
  });

  it('for the primary or its replicas', () => {
    expect(chosen('_primary', { ranks })).toEqual(['n1']);
    expect(chosen('_replica', { ranks })).toEqual(['n2', 'n3']);
    expect(chosen('_primary_first', { ranks: { ...ranks, n1: 9 } })).toEqual(['n1', 'n2', 'n3']);
    expect(chosen('_replica_first', { ranks })).toEqual(['n2', 'n3', 'n1']);
    const context = { state: stateOf(THREE), localNodeId: 'n2', rankOf: () => undefined, turn: 0 };
    expect(copiesInOrder(KEY, PRIMARY, context).map(({ nodeId }) => nodeId)).toEqual(['n1']);
  });

  it('of any other text is always for the same copy, whatever became of its copies', () => {
    const texts = Array.from({ length: 60 }, (_, at) => `user ${at}`);
    const firsts = texts.map((text) => chosen(text, { ranks, turn: 1 })[0]);
    expect(new Set(firsts)).toEqual(new Set(['n1', 'n2', 'n3']));
    const promoted = [copy('n3', { primary: true }), copy('n2'), copy('n1')];
    expect(texts.map((text) => chosen(text, { copies: promoted, local: 'n1', turn: 2 })[0])).toEqual(firsts);
  });

  it('may name shards besides', () => {
    expect(parsePreference('_shards:2,0|_only_local')).toEqual({
      shards: new Set([2, 0]),
      copies: { kind: 'only-local' },
    });
    expect(parsePreference('_shards:1')).toEqual({ shards: new Set([1]), copies: ADAPTIVE });
    expect(() => parsePreference('_shards:x')).toThrow('failed to parse the shard numbers of preference [_shards:x]');
    expect(() => parsePreference('_nonsense:1')).toThrow('no Preference for [_nonsense]');
  });
});

describe('ranks', () => {
  const figures = { responseMs: 10, serviceMs: 4, queue: 1 };

  function answered(ranks: CopyRanks, nodeId: string, more: Partial<typeof figures> = {}): void {
    ranks.follow(nodeId)({ ...figures, ...more });
  }

  it('follow the formula', () => {
    const ranks = new CopyRanks();
    expect(ranks.rankOf('n1')).toBeUndefined();
    answered(ranks, 'n1');
    expect(ranks.rankOf('n1')).toBe(10 - 4 + 2 ** 3 * 4);
    answered(ranks, 'n1', { responseMs: 20 });
    expect(ranks.rankOf('n1')).toBeCloseTo(13 - 4 + 32);
  });

  it('get worse with what is under way, for the time that it is', () => {
    const ranks = new CopyRanks();
    answered(ranks, 'n1');
    const idle = ranks.rankOf('n1') ?? 0;
    const ended = ranks.follow('n1');
    expect(ranks.rankOf('n1')).toBe(6 + 3 ** 3 * 4);
    ended();
    expect(ranks.rankOf('n1')).toBe(idle);
  });

  it('of nodes that are passed over come closer to the chosen one until they are tried again', () => {
    const ranks = new CopyRanks();
    answered(ranks, 'fast', { responseMs: 2, serviceMs: 1, queue: 0 });
    answered(ranks, 'slow', { responseMs: 500, serviceMs: 100, queue: 0 });
    const before = ranks.rankOf('slow') ?? 0;
    for (let round = 0; round < 50; round++) ranks.passedOver('fast', ['slow', 'unknown']);
    expect(before).toBeGreaterThan(400);
    expect(ranks.rankOf('slow')).toBeLessThan(5);
    expect(ranks.rankOf('unknown')).toBeUndefined();
  });

  it('are forgotten with their nodes', () => {
    const ranks = new CopyRanks();
    answered(ranks, 'n1');
    answered(ranks, 'n2');
    ranks.keepOnly((nodeId) => nodeId === 'n2');
    expect([ranks.rankOf('n1'), ranks.rankOf('n2')]).toEqual([undefined, expect.any(Number)]);
  });
});
