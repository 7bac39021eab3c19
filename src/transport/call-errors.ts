/** Why a call to another node failed, as the errors that its callers know. */
import type { Dispatcher } from 'undici';
import { QuarryError } from '../base/errors.js';
import { TRANSPORT_MESSAGE_BYTES_MAX } from '../base/limits.js';
import { HEADERS, type Peer } from './protocol.js';

/** Throws for an answer that is none of a node, or longer than a message may be. */
export function checkAnswer(peer: Peer, answer: Dispatcher.ResponseData): void {
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

export function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** Codes of failures after which the other node cannot have seen the request. */
const NOT_CONNECTED_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'EACCES'],
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Codes by which TLS ends a connection, or does not begin one: those of OpenSSL's checks of certificates, and Node's. */
const TLS_CODES =
  /^(?:EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA$|INVALID_PURPOSE$)/;
/** The library's text has a place in its source and more between colons; the reason is the last but one. */
const TLS_REASON = /SSL routines:[^:]*:([^:]+):/;

export function connectionError(peer: Peer, path: string, error: unknown): QuarryError {
  if (error instanceof QuarryError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (TLS_CODES.test(code)) {
    const why = TLS_REASON.exec(message)?.[1] ?? message;
    const reason = `there is no trust between this node and [${peer.address}] by their certificates: ${why}`;
    return new QuarryError('connect_transport_exception', reason, { cause: error });
  }
  if (!NOT_CONNECTED_CODES.has(code)) return disconnected(peer, path, error);
  return new QuarryError('node_not_connected_exception', `[${peer.address}] is not connected: ${message || code}`, {
    cause: error,
  });
}

export function disconnected(peer: Peer, path: string, cause?: unknown): QuarryError {
  const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return new QuarryError('node_disconnected_exception', `[${peer.address}][${path}] disconnected${why}`, { cause });
}
