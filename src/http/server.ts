/**
 * The front: sockets, routing, admission, bodies in, answers out. It parses the request line, the headers and nothing
 * else; everything that can take time happens in a worker.
 */
import type { PoolFigures } from '../actions/context.js';
import type { ConnectionFigures } from '../actions/front-figures.js';
import type { ReceivedBody } from '../base/body-buffers.js';
import type { BreakerFigures } from '../base/breakers.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { TaskTable } from '../base/tasks/task-table.js';
import type { TlsSettings } from '../base/tls-settings.js';
import { Router, type RouteMatch } from '../rest/router.js';
import type { WireRoute } from '../rest/wire.js';
import type { AppListener, AppListenerOptions } from '../transport/app-listener.js';
import { Admission, poolLimits, type AdmissionOptions } from './admission.js';
import { Arrivals } from './arrivals.js';
import type { CompleteRequest, Found } from './complete-request.js';
import { drain, type RequestCounts } from './drain.js';
import type { Exchange } from './exchange.js';
import type { Entrance } from './gate.js';
import type { FrontBreakers, HeldBytes } from './held-bytes.js';
import { Incoming } from './incoming.js';
import { Outgoing } from './outgoing.js';
import { PromptAnswers, type AnswerAtOnce } from './prompt-answers.js';
import type { RouteTraffic } from './route-traffic.js';
import { WorkerAnswers, type Serve } from './worker-answers.js';

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
  readonly answerAtOnce: AnswerAtOnce;
  readonly serve: Serve;
}

/** Of the names of endpoints that are there where security is on. */
const SECURITY = 'security.';

export class HttpServer {
  private readonly options: HttpServerOptions;
  private readonly router: Router<WireRoute>;
  private readonly admission: Admission;
  private readonly arrivals: Arrivals;
  private readonly incoming: Incoming;
  private readonly promptAnswers: PromptAnswers;
  private readonly workerAnswers: WorkerAnswers;
  private readonly outgoing: Outgoing;
  private readonly connections = { open: 0, opened: 0 };
  private listener: AppListener | undefined;
  private isDraining = false;

  constructor(options: HttpServerOptions) {
    const { settings, routes, clock, tasks, breakers, held, entrance, tls, answerAtOnce, serve } = options;
    const isElasticsearch = settings.values['compatibility.distribution'] === 'elasticsearch';
    this.options = options;
    this.router = new Router(routes);
    const admission = new Admission({
      limits: poolLimits(settings, options.workerCount),
      rejectedType: isElasticsearch ? 'es_rejected_execution_exception' : 'rejected_execution_exception',
      clock,
      ...options.admission,
    });
    const outgoing = new Outgoing(held.answers, clock);
    this.admission = admission;
    this.outgoing = outgoing;
    const enter = (exchange: Exchange, subject: string): void => {
      this.enter(exchange, subject);
    };
    this.arrivals = new Arrivals({ settings, routes, entrance, tls, enter });
    this.incoming = new Incoming({
      bytesMax: settings.values['http.max_content_length'],
      breakers,
      held: held.bodies,
      fronts: options.admission.front.count,
    });
    this.workerAnswers = new WorkerAnswers({ clock, tasks, admission, outgoing, serve });
    const otherwise = (request: CompleteRequest): void => {
      this.workerAnswers.take(request);
    };
    this.promptAnswers = new PromptAnswers({ clock, admission, outgoing, answerAtOnce, otherwise });
  }

  /** Listens on the first free port of `http.port`; `open` opens it, or has connections come from elsewhere. */
  async listen<Listener extends AppListener = AppListener>(
    open: (options: AppListenerOptions) => Promise<Listener>,
  ): Promise<Listener> {
    const { settings, clock, logger } = this.options;
    await this.arrivals.prepare();
    const listener = await open({
      host: settings.values['http.host'],
      port: settings.values['http.port'],
      headerBytesMax: settings.values['http.max_header_size'],
      tls: this.options.tls,
      clock,
      logger,
      configure: (app) => {
        app.any('/*', (response, request) => {
          this.arrivals.accept(response, request, this.isDraining);
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
    const { clock, logger, tasks } = this.options;
    const counts = (): RequestCounts => this.requestCounts();
    const giveUpReceiving = (): void => {
      this.incoming.giveUp();
    };
    await drain({ clock, tasks, counts, giveUpReceiving, onWait });
    if (this.outgoing.unanswered > 0) logger.log('warn', 'requests were cut off', { count: this.outgoing.unanswered });
    this.listener?.close();
    this.listener = undefined;
  }

  private requestCounts(): RequestCounts {
    return {
      authenticating: this.arrivals.count,
      receiving: this.incoming.count,
      queued: this.admission.pending,
      unanswered: this.outgoing.unanswered,
    };
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
    return { inflight_requests: this.incoming.figures(), in_flight_answers: this.outgoing.figures() };
  }

  private enter(exchange: Exchange, subject: string): void {
    const found = this.route(exchange);
    if (found === undefined) return;
    this.incoming.check(exchange, found.route);
    if (exchange.declaredLength === 0) this.take({ exchange, found, body: undefined, subject });
    else {
      this.incoming.receive(exchange, found.route, (body) => {
        this.takeWithBody({ exchange, found, body, subject });
      });
    }
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

  private take(request: CompleteRequest): void {
    if (!this.answersItself(request)) this.workerAnswers.take(request);
  }

  /** As {@link take}, but nobody else answers what goes wrong. */
  private takeWithBody(request: CompleteRequest & { readonly body: ReceivedBody }): void {
    const { exchange, body } = request;
    exchange.sinceMs = this.options.clock.monotonicMs();
    try {
      if (this.answersItself(request)) return;
    } catch (error) {
      body.release();
      exchange.sendError(error);
      return;
    }
    this.workerAnswers.take(request);
  }

  private answersItself(request: CompleteRequest): boolean {
    return !this.isDraining && this.promptAnswers.take(request);
  }
}
