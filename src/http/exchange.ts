/** One request and its answer on a socket: receives the body, sends the answer as fast as the reader takes it. */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { BodyReceiver, type BodyBuffers, type ReceivedBody } from '../base/body-buffers.js';
import type { QuarryError } from '../base/errors.js';
import { OPAQUE_ID_LENGTH_MAX } from '../base/limits.js';
import { contentTooLarge } from '../rest/content-too-large.js';
import { errorBody } from '../rest/error-body.js';
import { prettyJson } from '../rest/pretty-json.js';
import type { WireAnswer, WireHeaders } from '../rest/wire.js';
import { sendInParts } from '../transport/send-in-parts.js';
import { statusLine } from './status-text.js';

/** Of a body. */
interface Piece {
  readonly bytes: ArrayBuffer;
  readonly isLast: boolean;
}

/** Answers up to this size are handed to the socket whole. */
const WHOLE_ANSWER_BYTES_MAX = 64 * 1024;

/** The library's own status, where none is written. */
const SUCCESS = 200;

/** Has no body, and no length either: that would be taken for the length of what the client has. */
const NOT_MODIFIED = 304;

/** Where the body of a request goes. */
export interface BodyPlace {
  readonly buffers: BodyBuffers;
  readonly bytesMax: number;
  readonly spareBytes: number;
}

export class Exchange {
  readonly method: string;
  /** As sent, without the query string. */
  readonly rawPath: string;
  readonly query: string;
  readonly headers: WireHeaders;
  /** From `Content-Length`; undefined for a chunked body. */
  readonly declaredLength: number | undefined;
  /** Where the request came from, for the audit log; empty: there is none. */
  audit = '';
  /** When it began to wait for its answer; undefined: it did not yet. */
  sinceMs: number | undefined;
  private readonly response: HttpResponse;
  private readonly productHeaders: readonly (readonly [string, string])[];
  /** Made for the first one: most requests are answered before anybody listens. */
  private abortListeners: (() => void)[] | undefined;
  private aborted = false;
  /** Whether the library has called with the request, or with the end of its body. All that is written goes out when that call returns. */
  private isInCall = true;
  private isAnswered = false;
  /** What came of the body while nothing more was read. */
  private held: Piece[] | undefined;
  /** Whether what has not come yet of the body is not to be read. */
  private isHeld = false;
  private isPaused = false;
  private closesConnection = false;
  /** Where this request ends is another place to somebody who reads the other of its lengths: what follows is not to be trusted. */
  readonly hasContraryLengths: boolean;

  constructor(response: HttpResponse, request: HttpRequest, productHeaders: readonly (readonly [string, string])[]) {
    this.response = response;
    this.productHeaders = productHeaders;
    // The request object lives only until the handler returns: everything is read now.
    this.method = request.getCaseSensitiveMethod();
    this.rawPath = request.getUrl();
    // Undefined without a question mark, whatever its declaration says.
    this.query = request.getQuery() || '';
    this.headers = {
      contentType: request.getHeader('content-type'),
      contentEncoding: request.getHeader('content-encoding'),
      accept: request.getHeader('accept'),
      acceptEncoding: request.getHeader('accept-encoding'),
      opaqueId: request.getHeader('x-opaque-id').slice(0, OPAQUE_ID_LENGTH_MAX),
    };
    const length = request.getHeader('content-length');
    this.declaredLength =
      length !== '' ? Number(length) : request.getHeader('transfer-encoding') === '' ? 0 : undefined;
    this.hasContraryLengths = length !== '' && hasOtherLength(request, length);
  }

  /** To be called before the library's call with the request returns, once. */
  keep(): void {
    this.isInCall = false;
    if (this.isAnswered) return;
    this.response.onAborted(() => {
      this.abort();
    });
  }

  /** Whether the path is the web console's, and no index of a strange name. */
  get isOfConsole(): boolean {
    return this.rawPath === '/_console' || this.rawPath.startsWith('/_console/');
  }

  /** See `Auditor.witness`. */
  auditOf({ name }: { readonly name: string }): string {
    return this.audit === '' ? '' : `${name}\n${this.audit}`;
  }

  get isAborted(): boolean {
    return this.aborted;
  }

  /** Calls back when the client goes away before its answer is sent. */
  onAbort(listener: () => void): void {
    if (this.aborted) listener();
    else (this.abortListeners ??= []).push(listener);
  }

  /** Address of the client. */
  get address(): string {
    return this.aborted ? '' : Buffer.from(this.response.getRemoteAddressAsText()).toString('latin1');
  }

  /**
   * Reads nothing more of the request until {@link goOn}, beyond what has come already, of which `onHeld` is told the bytes. Only before the handler
   * returns.
   */
  hold(onHeld: (bytes: number) => void): void {
    this.held = [];
    this.isHeld = true;
    this.response.onData((chunk, isLast) => {
      // The library takes its memory back.
      this.held?.push({ bytes: chunk.slice(0), isLast });
      onHeld(chunk.byteLength);
      if (isLast) this.isHeld = false;
    });
    // After what came together with the head. A connection that is resumed has ten seconds until the rest comes: where nothing is to come, they
    // would end it before a request that takes longer is answered.
    setImmediate(() => {
      if (!this.isHeld || this.aborted || this.isAnswered) return;
      this.isPaused = true;
      this.response.pause();
    });
  }

  goOn(): void {
    this.isHeld = false;
    if (this.isPaused && !this.aborted) this.response.resume();
    this.isPaused = false;
  }

  /** Ends the connection without an answer, and with it whatever came behind the request. */
  cutOff(): void {
    this.isAnswered = true;
    if (!this.aborted) this.response.close();
  }

  /** The answer will be the last on this connection. */
  closeAfterwards(): void {
    this.closesConnection = true;
  }

  /**
   * Reads the whole body into a buffer of `buffers`, where `spareBytes` may be in use beyond their limit; calls `onBody` when it is
   * complete, `onRefused` when it exceeds `bytesMax` or there is no buffer for it. Neither is called when the client goes away. The answer gives up on a body
   * that is not complete yet: `onRefused` is called with the error.
   */
  receive(
    { buffers, bytesMax, spareBytes }: BodyPlace,
    onBody: (body: ReceivedBody) => void,
    onRefused: (error: unknown) => void,
  ): (error: QuarryError) => void {
    const receiver = new BodyReceiver(buffers, this.declaredLength ?? 0, bytesMax, contentTooLarge, spareBytes);
    const refuse = (error: unknown): void => {
      if (receiver.isOver) return;
      receiver.giveUp();
      onRefused(error);
    };
    this.onAbort(() => {
      receiver.giveUp();
    });
    const take = (chunk: ArrayBuffer, isLast: boolean): void => {
      if (receiver.isOver) return;
      try {
        receiver.add(chunk);
      } catch (error) {
        refuse(error);
        return;
      }
      if (isLast) onBody(receiver.finish());
    };
    for (const { bytes, isLast } of this.held ?? []) take(bytes, isLast);
    this.held = undefined;
    if (receiver.isOver) return refuse;
    this.response.onData((chunk, isLast) => {
      this.isInCall = true;
      take(chunk, isLast);
      this.isInCall = false;
    });
    return refuse;
  }

  /** Sends the answer; calls `onSent` when the socket has taken all of it or the client is gone. */
  send(answer: WireAnswer, onSent: () => void = () => undefined): void {
    this.held = undefined;
    if (this.aborted) onSent();
    else if (this.isInCall) this.write(answer, onSent);
    else {
      this.response.cork(() => {
        this.write(answer, onSent);
      });
    }
  }

  private write(answer: WireAnswer, onSent: () => void): void {
    const { status, body } = answer;
    this.writeHead(answer);
    if (status === NOT_MODIFIED) {
      this.response.endWithoutBody();
    } else if (this.method === 'HEAD') {
      this.endHead(body.length);
    } else if (body.length <= WHOLE_ANSWER_BYTES_MAX && (this.closesConnection || !this.isInCall)) {
      this.response.end(body, this.closesConnection);
    } else {
      this.writeInParts(body, onSent);
      return;
    }
    this.isAnswered = true;
    onSent();
  }

  /**
   * Also a small answer to a request that may have others right behind it: a client that sends these without reading would be kept answers without
   * end. The library ends a connection on which another request comes before an answer is all out.
   */
  private writeInParts(body: Uint8Array, onSent: () => void): void {
    const listenForAbort = (listener: () => void): void => {
      this.onAbort(listener);
    };
    sendInParts(this.response, body, listenForAbort, () => {
      this.isAnswered = true;
      onSent();
    });
  }

  /** Sends an error made before any worker saw the request; gives the size of the answer. */
  sendError(error: unknown, headers: readonly (readonly [string, string])[] = []): number {
    const { status, body } = errorBody(error, { errorTrace: false });
    const json = JSON.stringify(body);
    const isPretty = /(?:^|&)pretty(?:=true|=)?(?:&|$)/.test(this.query);
    const bytes = Buffer.from(isPretty ? prettyJson(json) : json, 'utf8');
    this.send({ status, headers: [['content-type', 'application/json'], ...headers], body: bytes });
    return bytes.length;
  }

  /** The library takes a length that it is told for the promise of a body, and the connection for busy until that came. */
  private endHead(bodyLength: number): void {
    if (this.closesConnection) {
      this.response.endWithoutBody(bodyLength, true);
      return;
    }
    this.response.writeHeader('Content-Length', String(bodyLength));
    // It looks at how many arguments there are: none, or it prints a second length.
    this.response.endWithoutBody();
  }

  private writeHead(answer: WireAnswer): void {
    if (answer.status !== SUCCESS) this.response.writeStatus(statusLine(answer.status));
    for (const [name, value] of this.productHeaders) this.response.writeHeader(name, value);
    if (this.headers.opaqueId !== '') this.response.writeHeader('X-Opaque-Id', this.headers.opaqueId);
    for (const [name, value] of answer.headers) this.response.writeHeader(name, value);
  }

  private abort(): void {
    this.aborted = true;
    for (const listener of this.abortListeners ?? []) listener();
  }
}

/** Whether the request gives a second length that is not the first one, which alone the library reads. See RFC 9112, section 6.3. */
function hasOtherLength(request: HttpRequest, length: string): boolean {
  let isOther = false;
  request.forEach((name, value) => {
    isOther ||= name === 'content-length' && value !== length;
  });
  return isOther;
}
