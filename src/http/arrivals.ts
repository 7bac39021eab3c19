/** Requests as they arrive: which of them come in, as whom, and what is answered to those that go no further. */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { TlsSettings } from '../base/tls-settings.js';
import { NO_SUBJECT } from '../cluster/security/subject-text.js';
import type { WireRoute } from '../rest/wire.js';
import { hasClientCertificate } from '../transport/client-certificate.js';
import type { ConsoleFiles } from './console-files.js';
import type { Cors, CorsVerdict } from './cors.js';
import { Exchange } from './exchange.js';
import { challengeHeaders, RequestVisitor, type Entrance } from './gate.js';

export interface ArrivalsOptions {
  readonly settings: NodeSettings;
  readonly routes: readonly WireRoute[];
  readonly entrance: Entrance | undefined;
  readonly tls: TlsSettings | undefined;
  /** Takes a request of the subject of that text. What it throws is answered. */
  readonly enter: (exchange: Exchange, subject: string) => void;
}

export class Arrivals {
  private readonly options: ArrivalsOptions;
  private readonly productHeaders: readonly (readonly [string, string])[];
  /** Loaded when a browser first asks. */
  private consoleFiles: Promise<ConsoleFiles> | undefined;
  /** Undefined: the node answers as if there were no browsers. */
  private cors: Cors | undefined;

  constructor(options: ArrivalsOptions) {
    const isElasticsearch = options.settings.values['compatibility.distribution'] === 'elasticsearch';
    this.options = options;
    this.productHeaders = isElasticsearch ? [['X-Elastic-Product', 'Elasticsearch']] : [];
  }

  /** To be waited for before the first request. */
  async prepare(): Promise<void> {
    const { settings } = this.options;
    if (!settings.values['http.cors.enabled']) return;
    const { Cors: Rules } = await import('./cors.js');
    this.cors = await Rules.of(settings);
  }

  /** Requests whose senders are being authenticated. */
  get count(): number {
    return this.options.entrance?.waitingRoom.count ?? 0;
  }

  /** `isLast`: of its connection. */
  accept(response: HttpResponse, request: HttpRequest, isLast: boolean): void {
    const verdict = this.crossOrigin(request);
    const isUsual = verdict === undefined || verdict.kind === 'refused';
    const headers = isUsual ? this.productHeaders : [...this.productHeaders, ...verdict.headers];
    const exchange = new Exchange(response, request, headers);
    if (isLast) exchange.closeAfterwards();
    try {
      this.takeIn(exchange, response, request, verdict);
    } catch (error) {
      exchange.sendError(error, challengeHeaders(error));
    }
    exchange.keep();
  }

  private takeIn(
    exchange: Exchange,
    response: HttpResponse,
    request: HttpRequest,
    verdict: CorsVerdict | undefined,
  ): void {
    if (exchange.hasContraryLengths) {
      // An answer would let what comes behind it be read as the next request.
      exchange.cutOff();
      return;
    }
    this.checkCertificate(exchange, response);
    if (verdict?.kind === 'refused') throw verdict.error;
    if (verdict?.kind === 'preflight') {
      exchange.send({ status: 200, headers: [], body: new Uint8Array(0) });
      return;
    }
    // A browser loads the page before it can ask its user for a password.
    if (exchange.isOfConsole) {
      void this.sendConsoleFile(exchange, request.getHeader('if-none-match'));
      return;
    }
    const { entrance, enter } = this.options;
    const subject = entrance === undefined ? NO_SUBJECT : entrance.gate(new RequestVisitor(exchange, request));
    if (typeof subject === 'string') enter(exchange, subject);
    else if (entrance !== undefined) void this.enterLater(exchange, entrance.waitingRoom.hold(exchange, subject));
  }

  private checkCertificate(exchange: Exchange, response: HttpResponse): void {
    if (this.options.tls?.clientAuthentication !== 'required' || hasClientCertificate(response)) return;
    exchange.closeAfterwards();
    throw new QuarryError(
      'security_exception',
      'this node answers only clients that show a certificate of its authorities',
    );
  }

  private async enterLater(exchange: Exchange, subject: Promise<string>): Promise<void> {
    try {
      const known = await subject;
      if (!exchange.isAborted) this.options.enter(exchange, known);
    } catch (error) {
      exchange.sendError(error, challengeHeaders(error));
    }
  }

  private async sendConsoleFile(exchange: Exchange, ifNoneMatch: string): Promise<void> {
    try {
      this.consoleFiles ??= import('./console-files.js').then(({ ConsoleFiles: Files }) => new Files(this.options));
      exchange.send(await (await this.consoleFiles).answer(exchange, ifNoneMatch));
    } catch (error) {
      exchange.sendError(error);
    }
  }

  /** Undefined for what no page of a browser sent, and where the node does not look. */
  private crossOrigin(request: HttpRequest): CorsVerdict | undefined {
    const origin = this.cors === undefined ? '' : request.getHeader('origin');
    if (this.cors === undefined || origin === '') return undefined;
    return this.cors.judge({
      method: request.getCaseSensitiveMethod(),
      origin,
      host: request.getHeader('host'),
      requestedMethod: request.getHeader('access-control-request-method'),
    });
  }
}
