/** Who asks to come in, as the front hands it to those who find out. */
import type { HttpRequest } from 'uWebSockets.js';
import { QuarryError } from '../base/errors.js';
import type { Exchange } from './exchange.js';
import type { WaitingRoom } from './waiting-room.js';

/** What a request tells of its sender. */
export interface Visitor {
  readonly authorization: string;
  /** The header `es-security-runas-user`; undefined: none. */
  readonly runAs: string | undefined;
  readonly method: string;
  readonly rawPath: string;
  readonly query: string;
  readonly opaqueId: string;
  /** Made when somebody looks. */
  address(): string;
  /** Another header; empty: none. Only while the request is there. */
  header(name: string): string;
  /** What the audit log is to know of the request wherever it goes. */
  mark(audit: string): void;
}

/** Finds out who sends a request: gives the text of the subject, at once where it can. Throws or rejects with why not. */
export type Gate = (visitor: Visitor) => string | Promise<string>;

/** Where requests come in on a node with security. */
export interface Entrance {
  readonly gate: Gate;
  /** Those whose senders are being found out about. */
  readonly waitingRoom: WaitingRoom;
}

const RUN_AS_HEADER = 'es-security-runas-user';

/** To be made while the request is there. */
export class RequestVisitor implements Visitor {
  readonly authorization: string;
  readonly runAs: string | undefined;
  readonly method: string;
  readonly rawPath: string;
  readonly query: string;
  readonly opaqueId: string;
  private readonly exchange: Exchange;
  private readonly request: HttpRequest;

  constructor(exchange: Exchange, request: HttpRequest) {
    const { method, rawPath, query, headers } = exchange;
    const runAs = request.getHeader(RUN_AS_HEADER);
    this.authorization = request.getHeader('authorization');
    this.runAs = runAs === '' && !hasHeader(request, RUN_AS_HEADER) ? undefined : runAs;
    this.method = method;
    this.rawPath = rawPath;
    this.query = query;
    this.opaqueId = headers.opaqueId;
    this.exchange = exchange;
    this.request = request;
  }

  address(): string {
    return this.exchange.address;
  }

  header(name: string): string {
    return this.request.getHeader(name);
  }

  mark(audit: string): void {
    this.exchange.audit = audit;
  }
}

/** The library gives the same for an empty header and for none. */
function hasHeader(request: HttpRequest, wanted: string): boolean {
  let isThere = false;
  request.forEach((name) => {
    isThere ||= name === wanted;
  });
  return isThere;
}

/** Headers of the answer that an error of authentication tells of; of other errors none. */
export function challengeHeaders(error: unknown): readonly (readonly [string, string])[] {
  const { header = {} } = error instanceof QuarryError ? error.details : {};
  return Object.entries(header as Readonly<Record<string, readonly string[]>>).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
}
