/** What the front thread of a node counts: it alone has the sockets. */
import type { BreakerFigures } from '../base/breakers.js';
import type { CacheFigures, CollectionFigures } from '../base/thread-figures.js';
import type { PressureFigures } from '../base/indexing-pressure.js';
import type { PublicationFigures } from '../coordinator/state-holder.js';
import type { ClientFigures } from '../transport/client-traffic.js';
import type { PoolFigures } from './context.js';
import type { AuthenticatorFigures } from './security/authenticator.js';

export interface FrontFigures {
  /** Requests of clients, by the API's names of the operations. */
  readonly requests: Readonly<Record<string, number>>;
  /** Of the request queues, by pool name. */
  readonly pools: Readonly<Record<string, PoolFigures>>;
  /** What requests and answers hold, by the names that refusals give. */
  readonly breakers: Readonly<Record<string, BreakerFigures>>;
  /** What documents hold while they are written; a node of an earlier version does not tell. */
  readonly indexingPressure?: PressureFigures;
  readonly connections: ConnectionFigures;
  /** A node of an earlier version does not tell. */
  readonly routes?: HttpRouteFigures;
  readonly transport: TransportTraffic;
  /** How often the indexing buffers were above their budget, and one of them was emptied. */
  readonly buffersRelieved: number;
  /** Of V8 in all threads; a node of an earlier version does not tell. */
  readonly collections?: CollectionFigures;
  /** The heaps of all threads, after their last collections; a node of an earlier version does not tell. */
  readonly javascriptBytes?: number;
  /** Of the caches that each thread has for itself, by name; a node of an earlier version does not tell. */
  readonly caches?: Readonly<Record<string, CacheFigures>>;
  /** How states came to the front; a node of an earlier version does not tell. */
  readonly publications?: PublicationFigures;
  /** Absent: security is off, or the node is of an earlier version. */
  readonly security?: SecurityFigures;
}

/** What became of those who asked to come in, where security is on. */
export interface SecurityFigures {
  readonly authentication: AuthenticatorFigures;
  /** Requests whose senders were not let in, by why. */
  readonly keptOut: KeptOutFigures;
  /** Absent: there is no audit log. */
  readonly audit?: AuditFigures;
}

export interface KeptOutFigures {
  /** Wrong passwords, keys and tokens. */
  readonly failed: number;
  /** Without credentials. */
  readonly anonymous: number;
  /** Credentials that cannot be read. */
  readonly malformed: number;
  /** Too many passwords are being hashed, or requests wait for it. */
  readonly rejected: number;
}

/** Entries. */
export interface AuditFigures {
  readonly written: number;
  readonly lost: number;
}

/** By the paths of the API: for each a `PackedRow` of `rest/route-figures.ts`. */
export type HttpRouteFigures = Readonly<Record<string, readonly number[]>>;

/** Connections of clients. */
export interface ConnectionFigures {
  readonly open: number;
  readonly opened: number;
}

/** What other nodes asked, and were asked. */
export interface TransportTraffic {
  readonly active: number;
  readonly completed: number;
  readonly rejected: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Nodes that wait for the end of this one. */
  readonly watchers: number;
  /** Requests of those who did not prove that they belong to the cluster; a node of an earlier version does not tell. */
  readonly refused?: number;
  /** What this node asked of others; a node of an earlier version does not tell. */
  readonly asked?: ClientFigures;
}
