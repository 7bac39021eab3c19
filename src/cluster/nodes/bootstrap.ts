/** What a node that is starting does about its cluster. Pure: discovery asks it after every round. */

/** Another node that answered. */
export interface FoundPeer {
  readonly nodeId: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Of the cluster that it belongs to; null for a fresh node. */
  readonly clusterUuid: string | null;
  /**
   * It has promised nothing to any cluster. One that has, and does not know its cluster yet, has just started: if this node is
   * what is left of one of that cluster's voters, it must not begin as that voter again.
   */
  readonly isFresh: boolean;
  /** The master that it follows. */
  readonly master: { readonly nodeId: string; readonly address: string } | null;
}

export interface BootstrapSituation {
  readonly self: {
    readonly nodeId: string;
    readonly name: string;
    readonly roles: readonly string[];
    /** Its data directory knows of no cluster. */
    readonly isFresh: boolean;
  };
  readonly discoveryType: 'single-node' | 'multi-node';
  readonly seedHosts: readonly string[];
  /** Names, of `cluster.initial_master_nodes`. */
  readonly initialMasterNodes: readonly string[];
  readonly peers: readonly FoundPeer[];
}

export type BootstrapDecision =
  /** The node has voted or followed before: it goes on where it was, and needs no bootstrap. */
  | { readonly kind: 'resume' }
  /** Ask that master to be let in. */
  | { readonly kind: 'join'; readonly master: { readonly nodeId: string; readonly address: string } }
  /** Start a cluster whose first voters have these names; every one of them decides the same. */
  | { readonly kind: 'bootstrap'; readonly voterNames: readonly string[] }
  /** Ask again later. `why` is for the log. */
  | { readonly kind: 'wait'; readonly why: string };

export function decideBootstrap(situation: BootstrapSituation): BootstrapDecision {
  const { self, discoveryType, seedHosts, initialMasterNodes, peers } = situation;
  if (!self.isFresh) return { kind: 'resume' };
  const isAlone = discoveryType === 'single-node' || (seedHosts.length === 0 && initialMasterNodes.length === 0);
  if (isAlone) return { kind: 'bootstrap', voterNames: [self.name] };
  const master = masterOf(peers);
  if (master !== undefined) return { kind: 'join', master };
  const clustered = peers.find(({ clusterUuid, isFresh }) => clusterUuid !== null || !isFresh);
  if (clustered !== undefined) {
    return { kind: 'wait', why: `node [${clustered.name}] belongs to a cluster that has no master now` };
  }
  return decideFirstElection(situation);
}

/** Nobody belongs to a cluster yet, as far as this node sees. */
function decideFirstElection({ self, initialMasterNodes, peers }: BootstrapSituation): BootstrapDecision {
  const voterNames = [...new Set(initialMasterNodes)].sort();
  if (!self.roles.includes('master'))
    return { kind: 'wait', why: 'no cluster was found, and this node cannot lead one' };
  if (voterNames.length === 0) {
    const why = 'no cluster was found, and [cluster.initial_master_nodes] does not say who may start one';
    return { kind: 'wait', why };
  }
  if (!voterNames.includes(self.name)) {
    const why = `no cluster was found, and [cluster.initial_master_nodes] does not name this node [${self.name}]`;
    return { kind: 'wait', why };
  }
  const eligible = [self, ...peers].filter((node) => node.roles.includes('master'));
  const twice = voterNames.find((name) => eligible.filter((node) => node.name === name).length > 1);
  if (twice !== undefined) return { kind: 'wait', why: `there are several nodes of the name [${twice}]` };
  const found = voterNames.filter((name) => eligible.some((node) => node.name === name));
  if (found.length * 2 > voterNames.length) return { kind: 'bootstrap', voterNames };
  const missing = voterNames.filter((name) => !found.includes(name));
  const why = `of [cluster.initial_master_nodes] more than half must be there, and [${missing.join(', ')}] were not found`;
  return { kind: 'wait', why };
}

/** The master that most of the peers follow; of equally many, the one with the lowest id. */
function masterOf(peers: readonly FoundPeer[]): NonNullable<FoundPeer['master']> | undefined {
  const followers = new Map<string, { master: NonNullable<FoundPeer['master']>; count: number }>();
  for (const { master } of peers) {
    if (master === null) continue;
    const { count } = followers.get(master.nodeId) ?? { count: 0 };
    followers.set(master.nodeId, { master, count: count + 1 });
  }
  const ranked = [...followers.values()].sort(
    (left, right) => right.count - left.count || (left.master.nodeId < right.master.nodeId ? -1 : 1),
  );
  return ranked[0]?.master;
}
