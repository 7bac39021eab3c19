/** What a coordinator asks of workers, its own node's and those of other nodes: any worker of a node can tell. */
import { Cancellation } from '../../base/cancellation.js';
import { QuarryError } from '../../base/errors.js';
import type { ServingCopy } from '../../cluster/copies/abandoned-copies.js';
import { readActiveCopies, readDiskReport, readFoundStores, readWriteTimes } from '../../cluster/nodes/node-reports.js';
import type { NodeRecord } from '../../cluster/state.js';
import type { NodeQuestions } from '../../coordinator/cluster-info-keeper.js';
import type { SlmWork } from '../../coordinator/slm-timer.js';
import type { NodeActionInput, NodeActionName } from '../../actions/nodes/node-actions.js';
import type { TransportClient } from '../../transport/client.js';
import { decodeMessage, encodeMessage } from '../../transport/codec.js';
import type { Mailbox } from '../../workers/mailbox.js';
import { isWorkerName } from '../../workers/wires.js';
import type { RemoteMessage, RemoteRequests } from '../thread-messages.js';

export interface Workers {
  readonly nodeId: string;
  readonly client: TransportClient;
  /** Of this node's other threads, by name. */
  readonly mailboxes: ReadonlyMap<string, Mailbox>;
}

export interface AllQuestions extends NodeQuestions {
  readonly runLifecycles: (node: NodeRecord, timeoutMs: number) => Promise<void>;
  readonly runSnapshots: (node: NodeRecord, timeoutMs: number) => Promise<void>;
  readonly slm: SlmWork;
  readonly areActive: (node: NodeRecord, copies: readonly ServingCopy[]) => Promise<readonly boolean[]>;
}

const CHECK_MS_MAX = 10_000;

export function nodeQuestions(workers: Workers): AllQuestions {
  const ask = async <Name extends NodeActionName>(
    node: NodeRecord,
    name: Name,
    input: NodeActionInput<Name>,
    timeoutMs: number,
  ): Promise<unknown> => {
    const request: RemoteRequests['node'] = { name, input };
    if (node.id === workers.nodeId) return askOwnWorker(workers, request);
    const peer = { address: node.transportAddress, nodeId: node.id };
    return workers.client.call(peer, 'any', 'node', request, { timeoutMs });
  };
  return {
    diskUsage: async (node, timeoutMs) => readDiskReport(await ask(node, 'disk-usage', null, timeoutMs)),
    shardStores: async (node, shards, timeoutMs) =>
      readFoundStores(await ask(node, 'shard-stores', { shards }, timeoutMs), shards.length),
    writeTimes: async (node, timeoutMs) => readWriteTimes(await ask(node, 'write-times', null, timeoutMs)),
    runLifecycles: async (node, timeoutMs) => {
      await ask(node, 'run-lifecycles', null, timeoutMs);
    },
    runSnapshots: async (node, timeoutMs) => {
      await ask(node, 'run-snapshots', null, timeoutMs);
    },
    slm: {
      startRun: async (node, input, timeoutMs) => {
        await ask(node, 'start-slm-run', input, timeoutMs);
      },
      followRun: async (node, input, timeoutMs) => {
        await ask(node, 'follow-slm-run', input, timeoutMs);
      },
      runRetention: async (node, input, timeoutMs) => {
        await ask(node, 'run-slm-retention', input, timeoutMs);
      },
      runWorkflow: async (node, input, timeoutMs) => {
        await ask(node, 'run-sm-workflow', input, timeoutMs);
      },
    },
    areActive: async (node, copies) =>
      readActiveCopies(await ask(node, 'active-copies', { copies }, CHECK_MS_MAX), copies.length),
  };
}

async function askOwnWorker({ mailboxes, nodeId }: Workers, request: RemoteRequests['node']): Promise<unknown> {
  const worker = [...mailboxes].find(([name]) => isWorkerName(name))?.[1];
  if (worker === undefined)
    throw new QuarryError('unavailable_shards_exception', 'no worker of this node is available');
  const message: RemoteMessage = {
    kind: 'remote',
    action: 'node',
    operation: '',
    bytes: encodeMessage(request),
    cancellation: new Cancellation().word,
    task: 0,
    sender: nodeId,
  };
  return decodeMessage((await worker.call(message)) as Uint8Array);
}
