/** One request of another node on its connection. */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { HEADERS } from './protocol.js';
import type { Session } from './session-keeper.js';

export class IncomingCall {
  readonly response: HttpResponse;
  readonly method: string;
  readonly path: string;
  readonly protocol: string;
  readonly cluster: string;
  readonly sender: string;
  readonly recipient: string;
  /** Repeated in the answer. */
  readonly number: string;
  /** Number of the sender's task that this is part of; empty: none. */
  readonly parentTask: string;
  readonly operation: string;
  readonly declaredLength: number;
  /** What proves the secret of the cluster; see `cluster-secret.ts`. Each may be empty. */
  readonly session: string;
  readonly counter: string;
  readonly digest: string;
  readonly signature: string;
  /** Set once the sender has proved it. */
  proved: Session | undefined;
  private readonly abortListeners: (() => void)[] = [];
  private aborted = false;

  constructor(response: HttpResponse, request: HttpRequest) {
    // The request object lives only until the handler returns: everything is read now.
    this.response = response;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.protocol = request.getHeader(HEADERS.protocol);
    this.cluster = request.getHeader(HEADERS.cluster);
    this.sender = request.getHeader(HEADERS.sender);
    this.recipient = request.getHeader(HEADERS.recipient);
    this.number = request.getHeader(HEADERS.call);
    this.parentTask = request.getHeader(HEADERS.task);
    this.operation = request.getHeader(HEADERS.operation);
    this.declaredLength = Number(request.getHeader('content-length') || '0');
    this.session = request.getHeader(HEADERS.session);
    this.counter = request.getHeader(HEADERS.counter);
    this.digest = request.getHeader(HEADERS.digest);
    this.signature = request.getHeader(HEADERS.signature);
    response.onAborted(() => {
      this.aborted = true;
      for (const listener of this.abortListeners) listener();
    });
  }

  get isAborted(): boolean {
    return this.aborted;
  }

  /** Where the request came from. */
  get remoteAddress(): string {
    return this.aborted ? '' : Buffer.from(this.response.getRemoteAddressAsText()).toString('latin1');
  }

  onAbort(listener: () => void): void {
    if (this.aborted) listener();
    else this.abortListeners.push(listener);
  }
}
