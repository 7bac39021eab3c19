/**
 * The first front of a node. Beside connections of its own it has what there is once in a node: the port of the nodes, the tasks that threads
 * announce, users and passwords; all threads come to it with what they tell the log or ask the keystore.
 */
import type { NodeIdentity } from '../../actions/context.js';
import type { FrontFigures } from '../../actions/front-figures.js';
import { must } from '../../base/assert.js';
import { BreakerWords } from '../../base/breakers.js';
import { systemClock } from '../../base/clock.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { TlsSettings } from '../../base/tls-settings.js';
import { whenAllSettled } from '../../base/when-all-settled.js';
import type { OwnRun } from '../../cluster/blocks/global-blocks.js';
import { StateHolder } from '../../coordinator/state-holder.js';
import type { WireRoute } from '../../rest/wire.js';
import { openListener, type PortListener } from '../../transport/app-listener.js';
import type { TransportSecurity } from '../../transport/security.js';
import type { Line } from '../../workers/mailbox.js';
import { COORDINATOR } from '../../workers/wires.js';
import type { PublishedAddresses } from '../addresses.js';
import { isFresh } from '../freshness.js';
import { logLevels } from '../logging/log-level.js';
import type { PendingLog } from '../logging/log-sink.js';
import { countNativeTrips } from '../native-trips.js';
import type { NodeKeystore } from '../node-keystore.js';
import { unpackPublication } from '../packed-publication.js';
import type { FrontMessage, PublishMessage, SecurityQuestion } from '../thread-messages.js';
import type { ThreadStarts } from '../thread-starts.js';
import type { Lines } from '../worker/lines.js';
import { httpFigures, type HttpFigures } from './figures.js';
import { FrontBreakers } from './front-breakers.js';
import type { FrontSecurity } from './front-security.js';
import { FrontTasks } from './front-tasks.js';
import { loadSecurity } from './load-security.js';
import { nodeFigures } from './node-figures.js';
import { RequestFront } from './request-front.js';
import type { SideFronts } from './side-fronts.js';
import { noSuchTarget, TransportFront, type TransportFrontOptions } from './transport-front.js';

export interface FirstFrontOptions {
  readonly settings: NodeSettings;
  readonly keystore: NodeKeystore;
  /** What keeps strangers from the port of the nodes. */
  readonly links: TransportSecurity;
  readonly logsPath: string;
  readonly log: PendingLog;
  readonly starts: ThreadStarts;
  readonly lines: Lines;
  /** Undefined: there is one front. */
  readonly sideFronts: SideFronts | undefined;
  /** Name of a worker that takes calls; undefined while there is none. */
  readonly anyWorker: () => string | undefined;
}

/** Who a node is before its ports are open. */
export type NodeNames = Pick<TransportFrontOptions, 'nodeId' | 'ephemeralId' | 'name' | 'version'>;

export class FirstFront {
  readonly tasks: FrontTasks;
  /** Undefined: it is off, or {@link secure} has not made it yet. */
  security: FrontSecurity | undefined;
  /** Undefined until {@link open}. */
  transport: TransportFront | undefined;
  private readonly options: FirstFrontOptions;
  private readonly states = new StateHolder(systemClock);
  private readonly breakers: FrontBreakers;
  private front: RequestFront | undefined;
  private self: OwnRun | undefined;
  private becomeReady: () => void = () => undefined;
  private readonly ready = new Promise<void>((resolve) => (this.becomeReady = resolve));

  constructor(options: FirstFrontOptions) {
    const { settings, starts, sideFronts } = options;
    this.options = options;
    this.tasks = new FrontTasks(systemClock, sideFronts?.tasks);
    const words = new BreakerWords(starts.worker.breakerWords);
    countNativeTrips(words);
    this.breakers = FrontBreakers.of({
      settings,
      words,
      clusterState: () => this.states.current,
      inflight: () => this.front?.server.breakerFigures().inflight_requests,
    });
  }

  /** To be waited for before {@link open}: nobody comes in unasked. */
  async secure(): Promise<void> {
    const { settings, log: logger, lines, logsPath } = this.options;
    const { states, ready } = this;
    const coordinator = (): Line | undefined => lines.get(COORDINATOR);
    const self = (): OwnRun | undefined => this.self;
    this.security = await loadSecurity({ settings, logger, states, ready, self, coordinator }, { logsPath });
  }

  /** Opens the ports of clients and of nodes. Clients are answered when it is {@link begin}. */
  async open(
    names: NodeNames,
    routes: readonly WireRoute[],
    tls: TlsSettings | undefined,
  ): Promise<{ readonly listener: PortListener; readonly transportPort: number }> {
    const { sideFronts } = this.options;
    const front = this.makeFront(routes, tls);
    const transport = this.makeTransport(names);
    this.front = front;
    this.self = { id: names.nodeId, ephemeralId: names.ephemeralId };
    this.tasks.identify(names.nodeId);
    this.transport = transport;
    const isShared = sideFronts !== undefined;
    const opening = front.server.listen((options) => openListener({ ...options, isShared }));
    const [listener, transportPort] = await whenAllSettled(opening, transport.listen());
    return { listener, transportPort };
  }

  private makeFront(routes: readonly WireRoute[], tls: TlsSettings | undefined): RequestFront {
    const { starts, lines, log } = this.options;
    return new RequestFront({
      place: { place: 0, count: starts.frontCount },
      words: starts.fronts,
      start: starts.worker,
      parts: { lines, states: this.states },
      routes,
      logger: log,
      tasks: this.tasks.table,
      breakers: this.breakers,
      entrance: this.security,
      tls,
      ready: this.ready,
    });
  }

  private makeTransport(names: NodeNames): TransportFront {
    const { settings, links, log, starts, lines, anyWorker } = this.options;
    return new TransportFront({
      ...names,
      settings,
      security: links,
      logger: log,
      clock: systemClock,
      clusterState: () => this.states.current,
      tasks: this.tasks,
      isFresh: () => isFresh(starts.coordinator.freshness),
      call: async (target, message) => {
        const line = lines.get(target === 'any' ? (anyWorker() ?? target) : target);
        if (line === undefined) throw noSuchTarget(target);
        return (await line.call(message)) as Uint8Array;
      },
    });
  }

  /** Who the node is, once its ports are known. */
  introduce(node: NodeIdentity, { transport, ip }: PublishedAddresses): void {
    this.transport?.publish(transport);
    this.security?.identify({ id: node.id, name: node.name, ip });
    this.front?.introduce(node);
  }

  /** Lets the requests go on that have come until now. */
  begin(): void {
    this.becomeReady();
  }

  /** From any thread of the node. */
  receive(peer: string, message: FrontMessage | PublishMessage): unknown {
    const { keystore, log } = this.options;
    switch (message.kind) {
      case 'publish':
        this.follow(message);
        return undefined;
      case 'log':
        log.log(message.level, message.message, message.fields, message.logger);
        return undefined;
      case 'audit':
        this.security?.audit(message.entry);
        return undefined;
      case 'figures':
        return this.figures();
      case 'secure-settings':
        return keystore.copy();
      case 'reload-secure-settings':
        return keystore.reload(message.password);
      case 'security':
        return this.answerSecurity(message.question);
      default:
        return this.tasks.receive(peer, message);
    }
  }

  private follow({ publication }: PublishMessage): void {
    const { settings, log } = this.options;
    this.states.apply(unpackPublication(publication));
    log.setLevels(logLevels(this.states.current, settings));
    this.breakers.follow();
    this.front?.follow();
  }

  private async answerSecurity(question: SecurityQuestion): Promise<unknown> {
    await this.options.sideFronts?.follow(question);
    return must(this.security, 'security that is on').answer(question);
  }

  private async figures(): Promise<FrontFigures> {
    const { sideFronts, starts } = this.options;
    const { breakers, states } = this;
    // Before side fronts are waited for: all are of one moment.
    const transport = this.transport?.figures();
    const own = httpFigures(must(this.front, 'the front of a node that is asked').server, this.security);
    const http = (await sideFronts?.figures(own)) ?? own;
    return nodeFigures({ start: starts.worker, breakers, states }, http, transport);
  }

  /** Closes the port of clients, then waits until all fronts have answered what they accepted. Undefined: it was never open. */
  async stopServing(onWait: (what: string) => void): Promise<HttpFigures | undefined> {
    // The first one closes the port before it waits.
    const [, withSides] = await Promise.all([this.front?.server.stop(onWait), this.options.sideFronts?.stop(onWait)]);
    const figures = this.front && httpFigures(this.front.server, this.security);
    return figures && withSides ? withSides(figures) : figures;
  }

  /** Of a node that did not start: whatever is open. */
  async abandon(): Promise<void> {
    await Promise.allSettled([this.front?.server.stop(), this.security?.close(), this.transport?.stop()]);
  }
}
