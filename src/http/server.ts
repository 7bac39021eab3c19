/**
 * The front: sockets, routing, admission, bodies in, answers out. It parses the request line, the headers and nothing
 * else; everything that can take time happens in a worker.
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { BodyBuffers, type ReceivedBody } from '../base/body-buffers.js';
import type { BreakerFigures } from '../base/breakers.js';
import { QuarryError } from '../base/errors.js';
import {
  DRAIN_MS_MAX,
  DRAIN_RECEIVING_MS_MAX,
  IDLE_BODY_BYTES_MAX,
  MANAGEMENT_BODY_BYTES_SPARE,
} from '../base/limits.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { TlsSettings } from '../base/tls-settings.js';
import type { TaskTable } from '../base/tasks/task-table.js';
import { NO_SUBJECT } from '../cluster/security/subject-text.js';
import { contentTooLarge } from '../rest/content-too-large.js';
import type { HttpMethod } from '../rest/endpoint.js';
import { Router, type RouteMatch } from '../rest/router.js';
import type { BareRequest, PromptAnswer, WireAnswer, WireRequest, WireRoute } from '../rest/wire.js';
import type { PoolFigures } from '../actions/context.js';
import type { ConnectionFigures } from '../actions/front-figures.js';
import type { AppListener, AppListenerOptions } from '../transport/app-listener.js';
import { hasClientCertificate } from '../transport/client-certificate.js';
import { Admission, poolLimits, type AdmissionOptions, type Admitted } from './admission.js';
import type { ConsoleFiles } from './console-files.js';
import type { Cors, CorsVerdict } from './cors.js';
import { describeActions, describeWaits } from './drain-report.js';
import { Exchange } from './exchange.js';
import { challengeHeaders, RequestVisitor, type Entrance } from './gate.js';
import type { FrontBreakers, HeldBytes } from './held-bytes.js';
import { LateReads, LateReadsByEndpoint, NO_TIME, type NoTime } from './late-reads.js';
import { Outgoing } from './outgoing.js';
import type { RouteTraffic } from './route-traffic.js';

export interface HttpServerOptions {
  readonly settings: NodeSettings;
  readonly routes: readonly WireRoute[];
  readonly workerCount: number;
  /** Which front this is, and what all fronts of the node let in. */
  readonly admission: Pick<AdmissionOptions, 'front' | 'words'>;
  /** What all fronts of the node hold. */
  readonly held: HeldBytes;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where requests are entered while they are served. */
  readonly tasks: TaskTable;
  readonly breakers: FrontBreakers;
  /** Undefined: security is off, and nobody is asked who he is. */
  readonly entrance: Entrance | undefined;
  /** Undefined: clients speak without TLS. */
  readonly tls: TlsSettings | undefined;
  /**
   * The answer to a request that costs little here; undefined: {@link serve} it. `NO_TIME`: ask again in the next turn. `isNext`: none of its kind waits.
   */
  answerAtOnce(
    request: BareRequest,
    body: Uint8Array | undefined,
    route: WireRoute,
    isNext: boolean,
  ): PromptAnswer | NoTime | undefined;
  /** Has a worker answer the request. */
  serve(request: WireRequest, route: WireRoute): Promise<WireAnswer>;
}

type Found = Extract<RouteMatch<WireRoute>, { kind: 'found' }>;

/** What a request holds, in refusals. */
const HTTP_REQUEST = '<http_request>';
/** Of the names of endpoints that are there where security is on. */
const SECURITY = 'security.';
const DRAIN_POLL_MS = 10;
/** How long a stop is silent about what it waits for. */
const DRAIN_SILENT_MS = 1_000;
const DRAIN_REPORT_MS = 5_000;
/** Requests that wait for the cluster to become otherwise: it will not, as far as this node can tell. */
const WAITING_ACTIONS: ReadonlySet<string> = new Set(['cluster:monitor/health', 'cluster:monitor/state']);

export class HttpServer {
  private readonly options: HttpServerOptions;
  private readonly router: Router<WireRoute>;
  private readonly admission: Admission;
  private readonly lateReads: LateReadsByEndpoint;
  private readonly buffers: BodyBuffers;
  private readonly bodyBytesMax: number;
  private readonly productHeaders: readonly (readonly [string, string])[];
  /** Loaded when a browser first asks. */
  private consoleFiles: Promise<ConsoleFiles> | undefined;
  /** Undefined: the node answers as if there were no browsers. */
  private cors: Cors | undefined;
  private listener: AppListener | undefined;
  /** Requests whose body is not complete yet, and how to give up on it. */
  private readonly receiving = new Map<Exchange, (error: QuarryError) => void>();
  private readonly outgoing: Outgoing;
  private readonly connections = { open: 0, opened: 0 };
  private isDraining = false;

  constructor(options: HttpServerOptions) {
    const { values } = options.settings;
    const isElasticsearch = values['compatibility.distribution'] === 'elasticsearch';
    this.options = options;
    this.router = new Router(options.routes);
    this.admission = new Admission({
      limits: poolLimits(options.settings, options.workerCount),
      rejectedType: isElasticsearch ? 'es_rejected_execution_exception' : 'rejected_execution_exception',
      clock: options.clock,
      ...options.admission,
    });
    this.lateReads = new LateReadsByEndpoint(() => new LateReads(this.admission, options.clock));
    this.outgoing = new Outgoing(options.held.answers, options.clock);
    this.bodyBytesMax = values['http.max_content_length'];
    const { breakers } = options;
    this.buffers = new BodyBuffers({
      breaker: breakers.inflightName,
      what: HTTP_REQUEST,
      limitBytes: () => breakers.inflightLimitBytes(),
      used: options.held.bodies,
      idleBytesMax: IDLE_BODY_BYTES_MAX / options.admission.front.count,
      onTake: (bytes) => {
        breakers.checkParent(bytes, HTTP_REQUEST);
      },
    });
    this.productHeaders = isElasticsearch ? [['X-Elastic-Product', 'Elasticsearch']] : [];
  }

  /** Listens on the first free port of `http.port`; `open` opens it, or has connections come from elsewhere. */
  async listen<Listener extends AppListener = AppListener>(
    open: (options: AppListenerOptions) => Promise<Listener>,
  ): Promise<Listener> {
    const { settings, clock, logger } = this.options;
    if (settings.values['http.cors.enabled']) {
      const { Cors: Rules } = await import('./cors.js');
      this.cors = await Rules.of(settings);
    }
    const listener = await open({
      host: settings.values['http.host'],
      port: settings.values['http.port'],
      headerBytesMax: settings.values['http.max_header_size'],
      tls: this.options.tls,
      clock,
      logger,
      configure: (app) => {
        app.any('/*', (response, request) => {
          this.accept(response, request);
        });
        app.filter((_response, change) => {
          if (change > 0) this.connections.opened++;
          this.connections.open += change;
        });
      },
    });
    this.listener = listener;
    return listener;
  }

  /** Takes no more connections, answers what was accepted (up to a limit), closes. `onWait` is told what is waited for, now and then. */
  async stop(onWait: (what: string) => void = () => undefined): Promise<void> {
    this.isDraining = true;
    this.listener?.closeSocket();
    const { clock, logger } = this.options;
    const startedMs = clock.monotonicMs();
    const elapsedMs = (): number => clock.monotonicMs() - startedMs;
    let reportMs = DRAIN_SILENT_MS;
    while (this.hasRequests() && elapsedMs() < DRAIN_MS_MAX) {
      this.options.tasks.cancelByStop(WAITING_ACTIONS);
      if (elapsedMs() >= reportMs) {
        reportMs += DRAIN_REPORT_MS;
        onWait(this.describeRequests(elapsedMs()));
      }
      if (elapsedMs() >= DRAIN_RECEIVING_MS_MAX) this.giveUpReceiving();
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
    if (this.outgoing.unanswered > 0) logger.log('warn', 'requests were cut off', { count: this.outgoing.unanswered });
    this.listener?.close();
    this.listener = undefined;
  }

  private describeRequests(elapsedMs: number): string {
    const counts = [
      [this.authenticating, 'whose senders are being authenticated'],
      [this.receiving.size, 'whose bodies are coming'],
      [this.admission.pending, 'in queues'],
      [this.outgoing.unanswered, `being served or sent${describeActions(this.options.tasks.runningActions)}`],
    ] as const;
    return describeWaits(counts, DRAIN_MS_MAX - elapsedMs);
  }

  private get authenticating(): number {
    return this.options.entrance?.waitingRoom.count ?? 0;
  }

  private hasRequests(): boolean {
    return this.authenticating + this.receiving.size + this.admission.pending + this.outgoing.unanswered > 0;
  }

  /** A client that sends slowly does not hold up the end of the node. */
  private giveUpReceiving(): void {
    for (const [exchange, giveUp] of [...this.receiving]) {
      exchange.closeAfterwards();
      giveUp(new QuarryError('node_closed_exception', 'node is stopping: the body of the request came too late'));
    }
  }

  get traffic(): RouteTraffic<WireRoute> {
    return this.outgoing.traffic;
  }

  connectionFigures(): ConnectionFigures {
    return { ...this.connections };
  }

  poolFigures(): Readonly<Record<string, PoolFigures>> {
    return this.admission.figures();
  }

  /** What requests and answers hold, by the names that refusals give. */
  breakerFigures(): Readonly<Record<'inflight_requests' | 'in_flight_answers', BreakerFigures>> {
    return { inflight_requests: this.buffers.figures(), in_flight_answers: this.outgoing.figures() };
  }

  private accept(response: HttpResponse, request: HttpRequest): void {
    const verdict = this.crossOrigin(request);
    const isUsual = verdict === undefined || verdict.kind === 'refused';
    const headers = isUsual ? this.productHeaders : [...this.productHeaders, ...verdict.headers];
    const exchange = new Exchange(response, request, headers);
    if (this.isDraining) exchange.closeAfterwards();
    this.takeIn(exchange, response, request, verdict);
    exchange.keep();
  }

  private takeIn(
    exchange: Exchange,
    response: HttpResponse,
    request: HttpRequest,
    verdict: CorsVerdict | undefined,
  ): void {
    try {
      if (exchange.hasContraryLengths) {
        // An answer would let what comes behind it be read as the next request.
        exchange.cutOff();
        return;
      }
      if (this.options.tls?.clientAuthentication === 'required' && !hasClientCertificate(response)) {
        exchange.closeAfterwards();
        throw new QuarryError(
          'security_exception',
          'this node answers only clients that show a certificate of its authorities',
        );
      }
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
      const { entrance } = this.options;
      const subject = entrance === undefined ? NO_SUBJECT : entrance.gate(new RequestVisitor(exchange, request));
      if (typeof subject === 'string') this.enter(exchange, subject);
      else if (entrance !== undefined) void this.enterLater(exchange, entrance.waitingRoom.hold(exchange, subject));
    } catch (error) {
      exchange.sendError(error, challengeHeaders(error));
    }
  }

  private enter(exchange: Exchange, subject: string): void {
    const found = this.route(exchange);
    if (found !== undefined) this.receive(exchange, found, subject);
  }

  private async enterLater(exchange: Exchange, subject: Promise<string>): Promise<void> {
    try {
      const known = await subject;
      if (!exchange.isAborted) this.enter(exchange, known);
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

  private route(exchange: Exchange): Found | undefined {
    const { entrance } = this.options;
    const match = this.router.match(exchange.method, exchange.rawPath);
    const isOff = match.kind === 'found' && entrance === undefined && match.route.name.startsWith(SECURITY);
    if (match.kind === 'found' && !isOff) return match;
    void this.answerUnrouted(exchange, match);
    return undefined;
  }

  private async answerUnrouted(exchange: Exchange, match: RouteMatch<WireRoute>): Promise<void> {
    try {
      (await import('./unrouted.js')).answerUnrouted(exchange, match);
    } catch (error) {
      exchange.sendError(error);
    }
  }

  private receive(exchange: Exchange, found: Found, subject: string): void {
    if ((exchange.declaredLength ?? 0) > this.bodyBytesMax) throw contentTooLarge(this.bodyBytesMax);
    // Who manages the node is heard when there is no memory: that is when it is needed.
    const isManagement = found.route.pool === 'management';
    if (exchange.declaredLength === 0) {
      if (!isManagement) this.options.breakers.checkParent(0, HTTP_REQUEST);
      if (!this.answersItself(exchange, found, undefined, subject)) this.admit(exchange, found, undefined, subject);
      return;
    }
    const spareBytes = isManagement ? MANAGEMENT_BODY_BYTES_SPARE : 0;
    let isOver = false as boolean;
    const giveUp = exchange.receive(
      { buffers: this.buffers, bytesMax: this.bodyBytesMax, spareBytes },
      (body) => {
        isOver = true;
        this.receiving.delete(exchange);
        this.take(exchange, found, body, subject);
      },
      (error) => {
        isOver = true;
        this.receiving.delete(exchange);
        exchange.sendError(error);
      },
    );
    // What was held may have been all of it.
    if (isOver) return;
    this.receiving.set(exchange, giveUp);
    exchange.onAbort(() => this.receiving.delete(exchange));
  }

  /** A request whose body is complete. */
  private take(exchange: Exchange, found: Found, body: ReceivedBody, subject: string): void {
    exchange.sinceMs = this.options.clock.monotonicMs();
    try {
      if (this.answersItself(exchange, found, body, subject)) return;
    } catch (error) {
      body.release();
      exchange.sendError(error);
      return;
    }
    this.admit(exchange, found, body, subject);
  }

  /**
   * False: the request takes the usual way. One that is answered here is no task, and waits for none: it is over before anybody could ask for it. Its
   * body is given back.
   */
  private answersItself(exchange: Exchange, found: Found, body: ReceivedBody | undefined, subject: string): boolean {
    if (!this.mayAnswer(exchange, found)) return false;
    const answer = (isNext: boolean): boolean | NoTime => {
      const answered = exchange.isAborted || this.answerAtOnce(exchange, found, body, subject, isNext);
      if (answered === true) body?.release();
      return answered;
    };
    const { endpoint, pool } = found.route;
    // Nobody passes those of the same kind that wait.
    const answered = answer(this.lateReads.isEmpty(endpoint));
    if (answered !== NO_TIME) return answered;
    exchange.sinceMs ??= this.options.clock.monotonicMs();
    return this.lateReads.add(endpoint, {
      pool,
      answer: () => answer(true),
      otherwise: () => {
        this.admit(exchange, found, body, subject);
      },
      fail: (error) => {
        body?.release();
        exchange.sendError(error);
      },
    });
  }

  /** Not to HEAD: its answers go out whole, however many are asked for. */
  private mayAnswer({ method }: Exchange, { route }: Found): boolean {
    return route.placement === 'near' && method !== 'HEAD' && !this.isDraining;
  }

  private answerAtOnce(
    exchange: Exchange,
    { route, parts }: Found,
    body: ReceivedBody | undefined,
    subject: string,
    isNext: boolean,
  ): boolean | NoTime {
    if (this.outgoing.isFull) return false;
    const { rawPath, query, headers } = exchange;
    const request: BareRequest = {
      endpoint: route.endpoint,
      method: exchange.method as HttpMethod,
      rawPath,
      parts,
      query,
      headers,
      subject,
      audit: exchange.auditOf(route),
    };
    const answer = this.options.answerAtOnce(request, body?.bytes, route, isNext);
    if (answer === undefined) return false;
    if (answer === NO_TIME) return NO_TIME;
    this.outgoing.traffic.asked(route, body?.bytes.length ?? 0);
    this.admission.pass(route.pool);
    this.outgoing.unanswered++;
    this.outgoing.send(exchange, route, answer);
    return true;
  }

  private admit(exchange: Exchange, found: Found, body: ReceivedBody | undefined, subject: string): void {
    exchange.sinceMs ??= this.options.clock.monotonicMs();
    this.outgoing.traffic.asked(found.route, body?.bytes.length ?? 0);
    try {
      if (this.outgoing.isFull) throw this.outgoing.refusal();
      this.admission.enter(found.route.pool, async (admitted) => {
        const isOver = exchange.isAborted || (await this.serve(exchange, found, body?.bytes, admitted, subject));
        if (isOver) body?.release();
        else body?.drop();
      });
    } catch (error) {
      body?.release();
      this.outgoing.sendError(exchange, found.route, error);
    }
  }

  /**
   * Resolves when the worker is done with the request; its answer may still be on its way to a slow reader. False: the
   * worker ended without an answer, and others that it has asked may still be at work on the body.
   */
  private async serve(
    exchange: Exchange,
    found: Found,
    body: Uint8Array | undefined,
    admitted: Admitted,
    subject: string,
  ): Promise<boolean> {
    const { route, parts } = found;
    const { tasks } = this.options;
    const task = tasks.begin(route.action, route.isCancellable);
    task.opaqueId = exchange.headers.opaqueId;
    admitted.isLong = () => task.isLong;
    let isOver = false as boolean;
    // The task's words serve another request as soon as this one is answered, and a client may go away after that.
    let isServing = true;
    exchange.onAbort(() => {
      if (isServing && !route.outlivesClient) task.cancel();
    });
    this.outgoing.unanswered++;
    try {
      const request: WireRequest = {
        endpoint: route.endpoint,
        method: exchange.method as HttpMethod,
        rawPath: exchange.rawPath,
        parts,
        query: exchange.query,
        headers: exchange.headers,
        body,
        task: task.number,
        cancellation: task.word,
        subject,
        audit: exchange.auditOf(route),
      };
      task.request = request;
      const answer = await this.options.serve(request, route);
      isOver = true;
      this.outgoing.send(exchange, route, answer);
    } catch (error) {
      this.outgoing.unanswered--;
      this.outgoing.sendError(exchange, route, error);
    } finally {
      isServing = false;
      if (isOver) tasks.end(task);
      else tasks.abandon(task);
    }
    return isOver;
  }
}
