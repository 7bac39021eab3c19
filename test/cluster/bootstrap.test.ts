import { describe, expect, it } from 'vitest';
import { decideBootstrap, type BootstrapSituation, type FoundPeer } from '../../src/cluster/nodes/bootstrap.js';

const ELIGIBLE = ['master', 'data'];

function situation(changes: Partial<BootstrapSituation> = {}): BootstrapSituation {
  return {
    self: { nodeId: 'id-1', name: 'n1', roles: ELIGIBLE, isFresh: true },
    discoveryType: 'multi-node',
    seedHosts: ['127.0.0.1:9301'],
    initialMasterNodes: ['n3', 'n1', 'n2'],
    peers: [],
    ...changes,
  };
}

function peer(name: string, changes: Partial<FoundPeer> = {}): FoundPeer {
  return { nodeId: `id-${name}`, name, roles: ELIGIBLE, clusterUuid: null, isFresh: true, master: null, ...changes };
}

const MASTER = { nodeId: 'id-2', address: '127.0.0.1:9301' };
const voters = { kind: 'bootstrap', voterNames: ['n1', 'n2', 'n3'] };

describe('a fresh node', () => {
  it('that is told of nobody is a cluster by itself', () => {
    const alone = situation({ seedHosts: [], initialMasterNodes: [] });
    expect(decideBootstrap(alone)).toEqual({ kind: 'bootstrap', voterNames: ['n1'] });
    const single = situation({ discoveryType: 'single-node', seedHosts: [], initialMasterNodes: [] });
    expect(decideBootstrap(single)).toEqual({ kind: 'bootstrap', voterNames: ['n1'] });
  });

  it('joins the cluster that it finds, whatever it could start', () => {
    const peers = [peer('n2', { clusterUuid: 'c', master: MASTER }), peer('n3')];
    expect(decideBootstrap(situation({ peers }))).toEqual({ kind: 'join', master: MASTER });
  });

  it('follows most of those that it asked', () => {
    const late = { nodeId: 'id-0', address: '127.0.0.1:9300' };
    const peers = [late, MASTER, MASTER].map((master, at) => peer(`p${at}`, { clusterUuid: 'c', master }));
    expect(decideBootstrap(situation({ peers }))).toEqual({ kind: 'join', master: MASTER });
  });

  it('waits for a cluster that has no master instead of starting another', () => {
    const peers = [peer('n2', { clusterUuid: 'c' }), peer('n3')];
    const decision = decideBootstrap(situation({ peers }));
    expect(decision).toEqual({ kind: 'wait', why: 'node [n2] belongs to a cluster that has no master now' });
  });

  it('does not begin again with nodes that have voted, and know their cluster only later', () => {
    const peers = [peer('n2', { isFresh: false }), peer('n3')];
    expect(decideBootstrap(situation({ peers })).kind).toBe('wait');
  });

  it('starts a cluster with more than half of those that may, and all of them alike', () => {
    expect(decideBootstrap(situation({ peers: [peer('n2')] }))).toEqual(voters);
    const second = situation({
      self: { nodeId: 'id-2', name: 'n2', roles: ELIGIBLE, isFresh: true },
      initialMasterNodes: ['n1', 'n2', 'n3', 'n3'],
      peers: [peer('n1'), peer('n3')],
    });
    expect(decideBootstrap(second)).toEqual(voters);
  });

  it.each<[string, Partial<BootstrapSituation>, RegExp]>([
    ['too few others are there', { peers: [] }, /\[n2, n3\] were not found/],
    ['those there cannot lead', { peers: [peer('n2', { roles: ['data'] })] }, /\[n2, n3\] were not found/],
    [
      'it is not named',
      { initialMasterNodes: ['n2', 'n3'], peers: [peer('n2'), peer('n3')] },
      /does not name this node/,
    ],
    ['nobody is named', { initialMasterNodes: [], peers: [peer('n2')] }, /does not say who may start one/],
    [
      'it cannot lead',
      { self: { nodeId: 'id-1', name: 'n1', roles: ['data'], isFresh: true }, peers: [peer('n2')] },
      /this node cannot lead one/,
    ],
    ['two have one name', { peers: [peer('n2'), peer('n2', { nodeId: 'other' })] }, /several nodes of the name \[n2\]/],
  ])('waits when %s', (_, changes, why) => {
    const decision = decideBootstrap(situation(changes));
    expect(decision.kind).toBe('wait');
    expect(decision.kind === 'wait' ? decision.why : '').toMatch(why);
  });
});

it('a node that belonged to a cluster goes on with it, whoever answers', () => {
  const self = { nodeId: 'id-1', name: 'n1', roles: ELIGIBLE, isFresh: false };
  const peers = [peer('n2', { clusterUuid: 'c', master: MASTER })];
  expect(decideBootstrap(situation({ self, peers }))).toEqual({ kind: 'resume' });
});

/** Whatever subset of the initial nodes sees whatever other subset, two clusters are never started. */
it('no two halves of the initial nodes start clusters of their own', () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const decide = (seen: number, name: string): boolean => {
    const self = { nodeId: name, name, roles: ELIGIBLE, isFresh: true };
    const peers = names.filter((other, at) => other !== name && (seen & (1 << at)) !== 0).map((other) => peer(other));
    return decideBootstrap(situation({ self, initialMasterNodes: names, peers })).kind === 'bootstrap';
  };
  for (let side = 0; side < 1 << names.length; side++) {
    const starts = [side, ~side].map((seen) =>
      names.some((name, at) => (seen & (1 << at)) !== 0 && decide(seen, name)),
    );
    expect(starts.filter(Boolean).length).toBe(1);
  }
});
