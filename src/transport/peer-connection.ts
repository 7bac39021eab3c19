/** The connections of one thread to one address, opened with the first call. */
import type { Dispatcher, Pool } from 'undici';
import { QuarryError } from '../base/errors.js';
import { TRANSPORT_CONNECTIONS_PER_PEER_MAX } from '../base/limits.js';
import { peerConnector } from './peer-connector.js';
import type { PeerSession } from './peer-session.js';
import type { TransportSecurity } from './security.js';

export interface PeerConnectionOptions {
  readonly address: string;
  readonly security: TransportSecurity;
  readonly connectTimeoutMs: number;
  /** Of the secret of the cluster; undefined where none is proved. */
  readonly session: PeerSession | undefined;
  readonly onOpened: () => void;
}

/** Shorter than the other side keeps idle connections. */
const IDLE_CONNECTION_MS = 4_000;

export class PeerConnection {
  /** Calls that are under way. */
  active = 0;
  readonly session: PeerSession | undefined;
  private readonly options: PeerConnectionOptions;
  private opening: Promise<Pool> | undefined;

  constructor(options: PeerConnectionOptions) {
    this.options = options;
    this.session = options.session;
  }

  /** The library is loaded with the first connection: a node without others never needs it. */
  pool(): Promise<Pool> {
    const known = this.opening;
    if (known !== undefined) return known;
    const made = this.open();
    this.opening = made;
    // Certificates that cannot be used now may be mended.
    made.catch(() => (this.opening = undefined));
    return made;
  }

  /** One connection that is no other call's. */
  async alone(): Promise<Dispatcher> {
    const { Client } = await import('undici');
    const { connections: _, ...options } = await this.poolOptions();
    return new Client(this.origin(), options).on('connect', this.options.onOpened);
  }

  async close(): Promise<void> {
    const pool = await this.opening?.catch(() => undefined);
    await pool?.destroy();
  }

  private async open(): Promise<Pool> {
    const { Pool: PoolOf } = await import('undici');
    return new PoolOf(this.origin(), await this.poolOptions()).on('connect', this.options.onOpened);
  }

  private async poolOptions(): Promise<Pool.Options> {
    const { security, connectTimeoutMs } = this.options;
    return {
      connections: TRANSPORT_CONNECTIONS_PER_PEER_MAX,
      pipelining: 1,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      // A call has one timeout of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect:
        security.tls === undefined
          ? { timeout: connectTimeoutMs, noDelay: true }
          : await peerConnector(security.tls, connectTimeoutMs),
    };
  }

  private origin(): string {
    const { address, security } = this.options;
    const origin = `${security.tls === undefined ? 'http' : 'https'}://${address}`;
    if (URL.canParse(origin)) return origin;
    throw new QuarryError('node_not_connected_exception', `[${address}] is no address of a node`);
  }
}
