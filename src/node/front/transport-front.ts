/** The port that nodes use among themselves, as the front thread holds it: what comes in goes to the thread that is addressed. */
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { ClusterState } from '../../cluster/state.js';
import { decodeMessage, encodeMessage } from '../../transport/codec.js';
import type { HandshakeAnswer, NodeSelf } from '../../transport/handshake.js';
import type { TransportSecurity } from '../../transport/security.js';
import type { Target } from '../../transport/protocol.js';
import { TransportServer, type TransportFigures } from '../../transport/server.js';
import type { FrontTasks } from './front-tasks.js';
import { remoteTaskAction } from './remote-task-action.js';
import type { RemoteMessage } from '../thread-messages.js';

export interface TransportFrontOptions {
  readonly settings: NodeSettings;
  readonly security: TransportSecurity;
  readonly logger: Logger;
  readonly nodeId: string;
  readonly ephemeralId: string;
  readonly name: string;
  readonly version: string;
  readonly clock: Clock;
  readonly clusterState: () => ClusterState;
  readonly tasks: FrontTasks;
  /** See `HandshakeAnswer.isFresh`. */
  readonly isFresh: () => boolean;
  /** Has the thread answer. Rejects when it is not there. */
  readonly call: (target: Target, message: RemoteMessage) => Promise<Uint8Array>;
}

export class TransportFront {
  private readonly options: TransportFrontOptions;
  private readonly server: TransportServer;
  private address = '';

  constructor(options: TransportFrontOptions) {
    this.options = options;
    const { settings, security, logger, nodeId, clock, call, tasks } = options;
    this.server = new TransportServer({
      host: settings.values['transport.host'],
      port: settings.values['transport.port'],
      headerBytesMax: settings.values['http.max_header_size'],
      clusterName: settings.values['cluster.name'],
      nodeId,
      clock,
      security,
      logger,
      describe: () => this.describe(),
      tasks: tasks.table,
      taskAction: remoteTaskAction,
      deliver: async ({ target, action, operation, bytes, task, sender }) => {
        if (target === 'front' && action === 'tasks') {
          return encodeMessage(await tasks.answerRemote(decodeMessage(bytes)));
        }
        const { word: cancellation, number } = task;
        return call(target, { kind: 'remote', action, operation, bytes, cancellation, task: number, sender });
      },
    });
  }

  /** Gives the port. */
  listen(): Promise<number> {
    return this.server.listen();
  }

  /** The address that other nodes are told. */
  publish(address: string): void {
    this.address = address;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  figures(): TransportFigures {
    return this.server.figures();
  }

  private describe(): HandshakeAnswer {
    const { settings, nodeId, ephemeralId, name, version } = this.options;
    const state = this.options.clusterState();
    const self: NodeSelf = {
      nodeId,
      ephemeralId,
      name,
      version,
      roles: settings.values['node.roles'],
      address: this.address,
      clusterUuid: state.clusterUuid === '' ? null : state.clusterUuid,
    };
    const master = state.nodes.get(state.masterNodeId);
    const eligible = [...state.nodes.values()].filter(({ roles }) => roles.includes('master'));
    return {
      ...self,
      clusterName: settings.values['cluster.name'],
      isFresh: this.options.isFresh(),
      master: master === undefined ? null : { nodeId: master.id, address: master.transportAddress },
      knownAddresses: eligible.map(({ transportAddress }) => transportAddress),
    };
  }
}

/** The end of a thread that a message was for. */
export function noSuchTarget(target: Target): QuarryError {
  return new QuarryError('unavailable_shards_exception', `[${target}] is not available`);
}
