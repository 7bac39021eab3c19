/** How a worker has nodes, and other workers of its own, carry out actions. */
import type { ActionContext } from '../../actions/context.js';
import { runNodeAction, type NodeClient } from '../../actions/nodes/node-actions.js';
import type { CopyPlace } from '../../actions/shard-client.js';
import { NO_SUBJECT } from '../../cluster/security/subject-text.js';
import type { Target } from '../../transport/protocol.js';
import type { OtherNodes } from '../other-nodes.js';
import type { TaskOrigin } from './task-calls.js';
import type { NodeMessage, RemoteRequests } from '../thread-messages.js';

export interface NodeCallServices {
  /** Where this worker is. */
  readonly here: CopyPlace;
  readonly others: OtherNodes;
  readonly contextOf: (origin: TaskOrigin) => ActionContext;
  /** Asks another worker of this node. */
  readonly callWorker: (slot: number, message: NodeMessage) => Promise<unknown>;
}

// Answers crossed from the action that their name stands for.
export class NodeCalls implements NodeClient {
  private readonly services: NodeCallServices;
  private readonly origin: TaskOrigin;

  constructor(services: NodeCallServices, origin: TaskOrigin) {
    this.services = services;
    this.origin = origin;
  }

  async onNode(nodeId: string, name: string, input: unknown, timeoutMs: number): Promise<never> {
    if (nodeId === this.services.here.nodeId) return this.runHere(name, input);
    return this.askNode(nodeId, 'any', this.request(name, input), timeoutMs);
  }

  async onWorker({ nodeId, workerSlot }: CopyPlace, name: string, input: unknown, timeoutMs: number): Promise<never> {
    const { here, callWorker } = this.services;
    if (nodeId !== here.nodeId)
      return this.askNode(nodeId, `worker-${workerSlot}`, this.request(name, input), timeoutMs);
    if (workerSlot === here.workerSlot) return this.runHere(name, input);
    const { cancellation, subject } = this.origin;
    const message: NodeMessage = { kind: 'node', name, input, cancellation: cancellation.word, subject };
    return (await callWorker(workerSlot, message)) as never;
  }

  /** Nodes of an earlier version look at no subject. */
  private request(name: string, input: unknown): RemoteRequests['node'] {
    const { subject } = this.origin;
    return subject === NO_SUBJECT ? { name, input } : { name, input, subject };
  }

  private async runHere(name: string, input: unknown): Promise<never> {
    return (await runNodeAction(this.services.contextOf(this.origin), name, input)) as never;
  }

  private async askNode(
    nodeId: string,
    target: Target,
    request: RemoteRequests['node'],
    timeoutMs: number,
  ): Promise<never> {
    const options = { timeoutMs, cancellation: this.origin.cancellation };
    return (await this.services.others.call(nodeId, target, 'node', request, options)) as never;
  }
}
