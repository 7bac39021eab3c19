/** What one worker asks of other nodes. */
import { QuarryError } from '../base/errors.js';
import type { ClusterState } from '../cluster/state.js';
import { TransportClient, type CallOptions, type TransportClientOptions } from '../transport/client.js';
import type { Target } from '../transport/protocol.js';

export class OtherNodes {
  private readonly client: TransportClient;
  private readonly clusterState: () => ClusterState;
  /** Address by node id and run, of the newest state. */
  private addresses = new Map<string, string>();

  constructor(options: TransportClientOptions, clusterState: () => ClusterState) {
    this.client = new TransportClient(options);
    this.clusterState = clusterState;
  }

  async call(nodeId: string, target: Target, action: string, message: unknown, options: CallOptions): Promise<unknown> {
    const node = this.clusterState().nodes.get(nodeId);
    if (node === undefined) throw new QuarryError('node_not_connected_exception', `[${nodeId}] is not connected`);
    return this.client.call({ address: node.transportAddress, nodeId }, target, action, message, options);
  }

  /** Calls to nodes that left the cluster fail at once: nobody waits for one that hangs. */
  follow(state: ClusterState): void {
    const present = new Map<string, string>();
    for (const { id, ephemeralId, transportAddress } of state.nodes.values()) {
      present.set(`${id} ${ephemeralId}`, transportAddress);
    }
    for (const [run, address] of this.addresses) if (!present.has(run)) this.client.forget(address);
    this.addresses = present;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
