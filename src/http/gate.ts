/** Who asks to come in, as the front hands it to those who find out. */
import type { HttpRequest } from 'uWebSockets.js';
import { QuarryError } from '../base/errors.js';
import type { Exchange } from './exchange.js';

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
  readonly address: () => string;
  /** Another header; empty: none. Only while the request is there. */
  readonly header: (name: string) => string;
  /** What the audit log is to know of the request wherever it goes. */
  readonly mark: (audit: string) => void;
}

/** Finds out who sends a request: gives the text of the subject, at once where it can. Throws or rejects with why not. */
export type Gate = (visitor: Visitor) => string | Promise<string>;

const RUN_AS_HEADER = 'es-security-runas-user';

/** Only while the request is there. */
export function visitorOf(exchange: Exchange, request: HttpRequest): Visitor {
  const { method, rawPath, query, headers } = exchange;
  const runAs = request.getHeader(RUN_AS_HEADER);
  return {
    authorization: request.getHeader('authorization'),
    runAs: runAs === '' && !hasHeader(request, RUN_AS_HEADER) ? undefined : runAs,
    method,
    rawPath,
    query,
    opaqueId: headers.opaqueId,
    address: () => exchange.address,
    header: (name) => request.getHeader(name),
    mark: (audit) => (exchange.audit = audit),
  };
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
