/**
 * Asks other nodes. Each thread that does so has a client of its own: the answer goes to where the question came from.
 */
import type { Dispatcher } from 'undici';
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { TRANSPORT_CALLS_PER_PEER_MAX, TRANSPORT_PEERS_MAX } from '../base/limits.js';
import { systemRandom, type Random } from '../base/random.js';
import { formatTime } from '../base/units.js';
import { checkAnswer, connectionError, discard, disconnected } from './call-errors.js';
import type { ClientTraffic } from './client-traffic.js';
import { decodeError, decodeMessage, encodeMessage } from './codec.js';
import { readHandshakeAnswer, type HandshakeAnswer, type NodeSelf } from './handshake.js';
import { PeerConnection } from './peer-connection.js';
import { PeerSession, type ProvedSession } from './peer-session.js';
import { HEADERS, isConnectionFailure, pathOf, PROTOCOL_VERSION, REFUSED, type Peer, type Target } from './protocol.js';
import { NO_SECURITY, type TransportSecurity } from './security.js';

export interface TransportClientOptions {
  readonly clusterName: string;
  /** Of the node that asks. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly traffic: ClientTraffic;
  /** How long a connection may take to open. */
  readonly connectTimeoutMs?: number;
  /** Without it other nodes are told nothing that proves who this one is. */
  readonly security?: TransportSecurity;
  /** Of what proofs are made. */
  readonly random?: Random;
}

export interface CallOptions {
  /** Without an answer by then the call fails. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Looked at every {@link CANCELLATION_POLL_MS} milliseconds; the other node is told by the end of the connection. */
  readonly cancellation?: Cancellation | undefined;
  /** The task that the request is part of, and what it asks of a shard: both for the other node's list of tasks. */
  readonly task?: { readonly number: number; readonly operation: string } | undefined;
}

export const CANCELLATION_POLL_MS = 50;
const CONNECT_TIMEOUT_MS = 3_000;

export class TransportClient {
  private readonly options: TransportClientOptions;
  private readonly connections = new Map<string, PeerConnection>();
  private isClosed = false;
  private calls = 0;

  constructor(options: TransportClientOptions) {
    this.options = options;
  }

  /** Asks with plain data and gives plain data. Rejects with what was thrown on the other node. */
  async call(peer: Peer, target: Target, action: string, message: unknown, options: CallOptions): Promise<unknown> {
    return decodeMessage(await this.send(peer, target, action, encodeMessage(message), options));
  }

  /** Asks with bytes and gives the bytes of the answer, neither looked at. */
  async send(peer: Peer, target: Target, action: string, bytes: Uint8Array, options: CallOptions): Promise<Uint8Array> {
    const { traffic } = this.options;
    const connection = this.connectionTo(peer);
    if (connection.active >= TRANSPORT_CALLS_PER_PEER_MAX) {
      traffic.add('rejected');
      const reason = `rejected execution: [${connection.active}] requests are under way to [${peer.address}]`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    connection.active++;
    traffic.add('sent');
    traffic.add('sentBytes', bytes.length);
    try {
      const answer = await this.exchange(connection, peer, pathOf({ target, action }), bytes, options);
      traffic.add('completed');
      traffic.add('receivedBytes', answer.length);
      return answer;
    } catch (error) {
      traffic.add('failed');
      throw error;
    } finally {
      connection.active--;
    }
  }

  /** Asks whoever is at the address who it is. */
  async handshake(address: string, self: NodeSelf, options: CallOptions): Promise<HandshakeAnswer> {
    return readHandshakeAnswer(await this.call({ address }, 'front', 'handshake', self, options));
  }

  /**
   * Resolves, with the reason, as soon as the process of the other node is known to have ended or cannot be reached. Says
   * nothing of a node that hangs or of a network that swallows what is sent: that takes calls with a timeout.
   */
  async watch(peer: Peer, signal: AbortSignal): Promise<QuarryError> {
    const connection = this.connectionTo(peer);
    const client = await connection.alone();
    try {
      const path = pathOf({ target: 'front', action: 'watch' });
      const proved = await this.proved(connection, signal);
      await this.exchangeOn(client, peer, path, new Uint8Array(0), signal, { connection, proved });
      return disconnected(peer, path);
    } catch (error) {
      return error as QuarryError;
    } finally {
      await client.destroy();
    }
  }

  /** Closes the connections to an address that is no longer a node's; calls that are under way fail. */
  forget(address: string): void {
    const connection = this.connections.get(address);
    this.connections.delete(address);
    void connection?.close();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
    this.connections.clear();
  }

  private connectionTo({ address }: Peer): PeerConnection {
    if (this.isClosed) throw new QuarryError('node_closed_exception', 'node is stopping');
    const known = this.connections.get(address);
    if (known !== undefined) return known;
    this.makeRoom();
    const made = this.newConnection(address);
    this.connections.set(address, made);
    return made;
  }

  /** Addresses come from other nodes: a bound keeps a confused one from filling this node with connections. */
  private makeRoom(): void {
    if (this.connections.size < TRANSPORT_PEERS_MAX) return;
    const idle = [...this.connections].find(([, connection]) => connection.active === 0);
    if (idle === undefined) {
      this.options.traffic.add('rejected');
      const reason = `rejected execution: connections to [${TRANSPORT_PEERS_MAX}] nodes are in use`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    this.forget(idle[0]);
  }

  private newConnection(address: string): PeerConnection {
    const { security = NO_SECURITY, connectTimeoutMs = CONNECT_TIMEOUT_MS, traffic } = this.options;
    const { clusterName, nodeId, clock, random = systemRandom } = this.options;
    const { secretKey, tls } = security;
    const session =
      secretKey === undefined
        ? undefined
        : new PeerSession({
            ...{ secretKey, clusterName, nodeId, address, clock, random },
            hasTls: tls !== undefined,
            ask: (action, message, signal) => this.askUnproved(connection, address, action, message, signal),
          });
    const connection: PeerConnection = new PeerConnection({
      ...{ address, security, connectTimeoutMs, session },
      onOpened: () => {
        traffic.add('opened');
      },
    });
    return connection;
  }

  /** Whatever is wrong with such an answer, the other node is none to talk to: anybody could have sent it. */
  private async askUnproved(
    connection: PeerConnection,
    address: string,
    action: string,
    message: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    const peer = { address };
    const path = pathOf({ target: 'front', action });
    try {
      return decodeMessage(await this.exchangeOn(await connection.pool(), peer, path, encodeMessage(message), signal));
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      const reason = `[${address}] does not prove that it belongs to the cluster: ${(error as Error).message}`;
      throw new QuarryError('connect_transport_exception', reason, { cause: error });
    }
  }

  /** Undefined where no secret is proved. A call that is given up does not end the proof, which others wait for. */
  private async proved(connection: PeerConnection, signal: AbortSignal): Promise<ProvedSession | undefined> {
    const proving = connection.session?.proved();
    if (proving === undefined) return undefined;
    signal.throwIfAborted();
    let stopWaiting = (): void => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      const onAbort = (): void => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort);
      stopWaiting = () => {
        signal.removeEventListener('abort', onAbort);
      };
    });
    try {
      return await Promise.race([proving, givenUp]);
    } finally {
      stopWaiting();
    }
  }

  private async exchange(
    connection: PeerConnection,
    peer: Peer,
    path: string,
    bytes: Uint8Array,
    options: CallOptions,
  ): Promise<Uint8Array> {
    const stop = new AbortController();
    const { clock } = this.options;
    const { timeoutMs, signal, cancellation } = options;
    const stopTimeout = clock.schedule(timeoutMs, () => {
      const reason = `[${peer.address}][${path}] did not answer within [${formatTime(timeoutMs)}]`;
      stop.abort(new QuarryError('receive_timeout_transport_exception', reason));
    });
    const onSignal = (): void => {
      stop.abort(new QuarryError('task_cancelled_exception', 'task cancelled [the caller gave it up]'));
    };
    if (signal?.aborted === true) onSignal();
    signal?.addEventListener('abort', onSignal);
    const stopPolling = pollCancellation(clock, cancellation, onSignal);
    try {
      const [pool, proved] = await Promise.all([connection.pool(), this.proved(connection, stop.signal)]);
      return await this.exchangeOn(pool, peer, path, bytes, stop.signal, { connection, proved, task: options.task });
    } finally {
      stopTimeout();
      stopPolling();
      signal?.removeEventListener('abort', onSignal);
    }
  }

  private async exchangeOn(
    dispatcher: Dispatcher,
    peer: Peer,
    path: string,
    bytes: Uint8Array,
    signal: AbortSignal,
    { connection, proved, task }: Exchanging = {},
  ): Promise<Uint8Array> {
    const call = String(++this.calls);
    const headers = this.headers(peer, task, call, path, bytes, proved);
    let failed: string;
    let signature: string;
    let body: Uint8Array;
    try {
      const answer = await dispatcher.request({ method: 'POST', path, headers, body: bytes, signal });
      checkAnswer(peer, answer);
      if (answer.headers[HEADERS.call] !== call) {
        discard(answer);
        throw this.lostStep(peer, path);
      }
      failed = String(answer.headers[HEADERS.failed] ?? '');
      signature = String(answer.headers[HEADERS.signature] ?? '');
      body = await answer.body.bytes();
    } catch (error) {
      throw signal.aborted ? (signal.reason as unknown) : connectionError(peer, path, error);
    }
    const counter = headers[HEADERS.counter] ?? '';
    if (proved !== undefined && (failed === REFUSED || !proved.isAnswer(counter, signature, failed !== '', body))) {
      // It was restarted, or somebody between the two has changed or made up the answer.
      connection?.session?.forget();
      const why =
        failed === REFUSED ? decodeError(body).message : 'the answer is not signed by the node that was asked';
      throw disconnected(peer, path, new Error(why));
    }
    if (failed !== '') throw decodeError(body);
    return body;
  }

  /** Whatever else comes over the connections to such a node is answers to nobody knows what. */
  private lostStep(peer: Peer, path: string): QuarryError {
    this.options.traffic.add('misanswered');
    this.forget(peer.address);
    return disconnected(peer, path, new Error('the answer is that to another request'));
  }

  private headers(
    peer: Peer,
    task: CallOptions['task'],
    call: string,
    path: string,
    bytes: Uint8Array,
    proved: ProvedSession | undefined,
  ): Record<string, string> {
    const { nodeId: recipient = '' } = peer;
    const { number = '', operation = '' } = task ?? {};
    const signed = { path, recipient, call, task: String(number), operation };
    return {
      [HEADERS.protocol]: PROTOCOL_VERSION,
      // A name may have letters that a header cannot hold.
      [HEADERS.cluster]: encodeURIComponent(this.options.clusterName),
      [HEADERS.sender]: this.options.nodeId,
      [HEADERS.call]: call,
      ...(recipient === '' ? {} : { [HEADERS.recipient]: recipient }),
      ...(task === undefined ? {} : { [HEADERS.task]: signed.task, [HEADERS.operation]: operation }),
      ...proved?.sign(signed, bytes),
    };
  }
}

/** What a request beyond the handshake has. */
interface Exchanging {
  readonly connection?: PeerConnection;
  readonly proved?: ProvedSession | undefined;
  readonly task?: CallOptions['task'];
}

function pollCancellation(clock: Clock, cancellation: Cancellation | undefined, onCancelled: () => void): () => void {
  if (cancellation === undefined) return () => undefined;
  let stop = (): void => undefined;
  const look = (): void => {
    if (cancellation.isCancelled) onCancelled();
    else stop = clock.schedule(CANCELLATION_POLL_MS, look);
  };
  look();
  return () => {
    stop();
  };
}
