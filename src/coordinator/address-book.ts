/** Where the members of the group are. What was heard last counts: a node may come back with another address. */
import type { ClusterState } from '../cluster/state.js';
import type { Peer } from '../transport/protocol.js';

/** Members that nobody names any more are forgotten beyond this number. */
const ADDRESSES_MAX = 1_000;

export class AddressBook {
  private readonly peers = new Map<string, Peer>();

  /** `raftId`: the node's number in the group. */
  learn(raftId: string, peer: Peer): void {
    this.peers.delete(raftId);
    this.peers.set(raftId, peer);
    const [oldest] = this.peers.keys();
    if (this.peers.size > ADDRESSES_MAX && oldest !== undefined) this.peers.delete(oldest);
  }

  learnState({ nodes }: ClusterState): void {
    for (const { raftId, id, transportAddress } of nodes.values()) {
      const known = this.peers.get(raftId);
      if (known?.nodeId !== id || known.address !== transportAddress) {
        this.learn(raftId, { nodeId: id, address: transportAddress });
      }
    }
  }

  of(raftId: string): Peer | undefined {
    return this.peers.get(raftId);
  }
}
