/**
 * Asks other nodes. Each thread that does so has a client of its own: the answer goes to where the question came from.
 */
import type { Dispatcher, Pool } from 'undici';
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import {
  TRANSPORT_CALLS_PER_PEER_MAX,
  TRANSPORT_CONNECTIONS_PER_PEER_MAX,
  TRANSPORT_MESSAGE_BYTES_MAX,
  TRANSPORT_PEERS_MAX,
} from '../base/limits.js';
import { formatTime } from '../base/units.js';
import type { ClientTraffic } from './client-traffic.js';
import { decodeError, decodeMessage, encodeMessage } from './codec.js';
import { readHandshakeAnswer, type HandshakeAnswer, type NodeSelf } from './handshake.js';
import { HEADERS, pathOf, PROTOCOL_VERSION, type Peer, type Target } from './protocol.js';

export interface TransportClientOptions {
  readonly clusterName: string;
  /** Of the node that asks. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly traffic: ClientTraffic;
  /** How long a connection may take to open. */
  readonly connectTimeoutMs?: number;
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
/** Shorter than the other side keeps idle connections. */
const IDLE_CONNECTION_MS = 4_000;

export class TransportClient {
  private readonly options: TransportClientOptions;
  private readonly connections = new Map<string, Connection>();
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
      const answer = await this.exchange(await connection.pool(), peer, pathOf({ target, action }), bytes, options);
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
    const { Client } = await import('undici');
    const client = new Client(originOf(peer.address), this.connectionOptions()).on('connect', () => {
      this.options.traffic.add('opened');
    });
    try {
      const path = pathOf({ target: 'front', action: 'watch' });
      await this.exchangeOn(client, peer, path, new Uint8Array(0), signal);
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

  private connectionTo({ address }: Peer): Connection {
    if (this.isClosed) throw new QuarryError('node_closed_exception', 'node is stopping');
    const known = this.connections.get(address);
    if (known !== undefined) return known;
    this.makeRoom();
    const made = new Connection(address, this.connectionOptions(), this.options.traffic);
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

  private connectionOptions(): Pool.Options {
    return {
      connections: TRANSPORT_CONNECTIONS_PER_PEER_MAX,
      pipelining: 1,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      // A call has one timeout of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: this.options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, noDelay: true },
    };
  }

  private async exchange(
    pool: Dispatcher,
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
      return await this.exchangeOn(pool, peer, path, bytes, stop.signal, options.task);
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
    task?: CallOptions['task'],
  ): Promise<Uint8Array> {
    const call = String(++this.calls);
    let isFailure: boolean;
    let body: Uint8Array;
    try {
      const answer = await dispatcher.request({
        method: 'POST',
        path,
        headers: { ...this.headers(peer, task), [HEADERS.call]: call },
        body: bytes,
        signal,
      });
      checkAnswer(peer, answer);
      if (answer.headers[HEADERS.call] !== call) {
        discard(answer);
        throw this.lostStep(peer, path);
      }
      isFailure = answer.headers[HEADERS.failed] !== undefined;
      body = await answer.body.bytes();
    } catch (error) {
      throw signal.aborted ? (signal.reason as unknown) : connectionError(peer, path, error);
    }
    if (isFailure) throw decodeError(body);
    return body;
  }

  /** Whatever else comes over the connections to such a node is answers to nobody knows what. */
  private lostStep(peer: Peer, path: string): QuarryError {
    this.options.traffic.add('misanswered');
    this.forget(peer.address);
    return disconnected(peer, path, new Error('the answer is that to another request'));
  }

  private headers(peer: Peer, task: CallOptions['task']): Record<string, string> {
    return {
      [HEADERS.protocol]: PROTOCOL_VERSION,
      // A name may have letters that a header cannot hold.
      [HEADERS.cluster]: encodeURIComponent(this.options.clusterName),
      [HEADERS.sender]: this.options.nodeId,
      ...(peer.nodeId === undefined ? {} : { [HEADERS.recipient]: peer.nodeId }),
      ...(task === undefined ? {} : { [HEADERS.task]: String(task.number), [HEADERS.operation]: task.operation }),
    };
  }
}

/** The connections to one address, opened with the first call. */
class Connection {
  active = 0;
  private readonly address: string;
  private readonly options: Pool.Options;
  private readonly traffic: ClientTraffic;
  private opening: Promise<Pool> | undefined;

  constructor(address: string, options: Pool.Options, traffic: ClientTraffic) {
    this.address = address;
    this.options = options;
    this.traffic = traffic;
  }

  /** The library is loaded with the first connection: a node without others never needs it. */
  pool(): Promise<Pool> {
    this.opening ??= import('undici').then(({ Pool: PoolOf }) =>
      new PoolOf(originOf(this.address), this.options).on('connect', () => {
        this.traffic.add('opened');
      }),
    );
    return this.opening;
  }

  async close(): Promise<void> {
    const pool = await this.opening;
    await pool?.destroy();
  }
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

function originOf(address: string): string {
  if (URL.canParse(`http://${address}`)) return `http://${address}`;
  throw new QuarryError('node_not_connected_exception', `[${address}] is no address of a node`);
}

function checkAnswer(peer: Peer, answer: Dispatcher.ResponseData): void {
  if (answer.headers[HEADERS.protocol] === undefined) {
    discard(answer);
    throw new QuarryError('connect_transport_exception', `[${peer.address}] does not answer like a node of a cluster`);
  }
  const length = Number(answer.headers['content-length'] ?? '0');
  if (length <= TRANSPORT_MESSAGE_BYTES_MAX) return;
  discard(answer);
  const reason = `the answer of [${peer.address}] has [${length}] bytes, more than [${TRANSPORT_MESSAGE_BYTES_MAX}]`;
  throw new QuarryError('content_too_large_exception', reason);
}

function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** Codes of failures after which the other node cannot have seen the request. */
const NOT_CONNECTED_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'EACCES'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

function connectionError(peer: Peer, path: string, error: unknown): QuarryError {
  if (error instanceof QuarryError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!NOT_CONNECTED_CODES.has(code)) return disconnected(peer, path, error);
  return new QuarryError('node_not_connected_exception', `[${peer.address}] is not connected: ${message || code}`, {
    cause: error,
  });
}

function disconnected(peer: Peer, path: string, cause?: unknown): QuarryError {
  const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return new QuarryError('node_disconnected_exception', `[${peer.address}][${path}] disconnected${why}`, { cause });
}
