/**
 * A front beside the first one: it carries a part of the connections, with its own lines to the workers. What there is once in a node (the port, the
 * log, the nodes' port, tasks that workers announce) stays with the first.
 */
import { must } from '../../base/assert.js';
import { BreakerWords } from '../../base/breakers.js';
import { systemClock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { TaskTable } from '../../base/tasks/task-table.js';
import type { OwnRun } from '../../cluster/blocks/global-blocks.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import type { AuditEntry } from '../../cluster/security/audit/audit-entry.js';
import { StateHolder } from '../../coordinator/state-holder.js';
import { describeRequest } from '../../rest/tasks/describe-request.js';
import type { AppRing } from '../../transport/app-ring.js';
import { joinListener } from '../../transport/join-listener.js';
import { Mailbox, type Line, type MailOrder } from '../../workers/mailbox.js';
import { MessageTurns } from '../../workers/message-turns.js';
import { COORDINATOR, FRONT, type Wire } from '../../workers/wires.js';
import { unpackPublication } from '../packed-publication.js';
import type { FrontMessage, PublishMessage } from '../thread-messages.js';
import { httpFigures, type HttpFigures } from './figures.js';
import { FrontBreakers } from './front-breakers.js';
import type { FrontSecurity } from './front-security.js';
import { loadSecurity } from './load-security.js';
import { RemoteHasher } from './remote-hasher.js';
import { RequestFront } from './request-front.js';
import type { SideFrontMessage, SideFrontNote, SideFrontStart } from './side-front-messages.js';

/** The coordinator sends the state that it has as soon as it is asked. */
const STATE_MS_MAX = 30_000;

export class SideFront {
  private readonly given: SideFrontStart;
  private readonly lines = new Map<string, Line>();
  private readonly states = new StateHolder(systemClock);
  private readonly tasks: TaskTable;
  private readonly mailOrder: MailOrder = { turns: new MessageTurns(systemClock), laneOf: () => 'messages' };
  private readonly logger: Logger = {
    log: (level, message, fields, logger) =>
      this.lines.get(FRONT)?.note({ kind: 'log', level, message, fields, logger }),
  };
  private security: FrontSecurity | undefined;
  private front: RequestFront | undefined;

  constructor(given: SideFrontStart) {
    const { place, node } = given;
    const numbers = { remainder: place.place, count: place.count };
    this.given = given;
    this.tasks = new TaskTable({ clock: systemClock, describe: describeRequest, matchesAny, numbers });
    this.tasks.identify(node.id);
  }

  /** Takes the place of the former line of that name. */
  connect({ peer, port }: Wire): void {
    this.lines.get(peer)?.close();
    const receive = (message: unknown): unknown => this.receive(message as PublishMessage | SideFrontMessage);
    this.lines.set(peer, new Mailbox(port, peer, receive, this.mailOrder));
  }

  private receive(message: PublishMessage | SideFrontMessage): unknown {
    switch (message.kind) {
      case 'publish':
        this.states.apply(unpackPublication(message.publication));
        this.front?.follow();
        return undefined;
      case 'connect':
        this.connect(message.wire);
        return undefined;
      case 'begin':
        return this.begin(message.isBootstrapping);
      case 'http-figures':
        return this.figures();
      case 'ask-tasks':
        return this.tasks.answer(message.question);
      case 'report-task':
        this.tasks.report(message.number, message.report);
        return undefined;
      case 'security':
        return this.security?.answer(message.question);
      case 'stop':
        return this.stop();
    }
  }

  private async begin(isBootstrapping: boolean): Promise<void> {
    const { place, words, start, routes, tls, node } = this.given;
    const { states, lines, logger, tasks } = this;
    const { settings } = start;
    const ready = Promise.resolve();
    must(await states.when(() => true, STATE_MS_MAX), 'the cluster state');
    const coordinator = (): Line | undefined => lines.get(COORDINATOR);
    const write = (entry: AuditEntry): void => lines.get(FRONT)?.note({ kind: 'audit', entry } satisfies FrontMessage);
    const hasher = new RemoteHasher(() => lines.get(FRONT));
    const self = (): OwnRun => node;
    const services = { settings, logger, states, ready, self, coordinator, hasher, isBootstrapping };
    this.security = await loadSecurity(services, { write });
    const breakers: FrontBreakers = FrontBreakers.of({
      settings,
      words: new BreakerWords(start.breakerWords),
      clusterState: () => states.current,
      inflight: () => this.front?.server.breakerFigures().inflight_requests,
    });
    const parts = { lines, states };
    const entrance = this.security;
    this.front = new RequestFront({
      place,
      words,
      start,
      parts,
      routes,
      logger,
      tasks,
      breakers,
      entrance,
      tls,
      ready,
    });
    this.front.introduce(node);
    await this.front.server.listen((options) => joinListener(options, this.ring()));
  }

  /** That of the first front, which listens. */
  private ring(): AppRing {
    const note = (what: SideFrontNote): void => this.lines.get(FRONT)?.note(what);
    return {
      add: (descriptor) => {
        note({ kind: 'add-app', descriptor });
      },
      replace: (former, next) => {
        note({ kind: 'replace-app', former, next });
      },
    };
  }

  private figures(): HttpFigures | undefined {
    return this.front === undefined ? undefined : httpFigures(this.front.server, this.security);
  }

  private async stop(): Promise<HttpFigures | undefined> {
    await this.front?.server.stop((what) => {
      this.lines.get(FRONT)?.note({ kind: 'stop-waits', what } satisfies SideFrontNote);
    });
    await this.security?.close();
    return this.figures();
  }
}
