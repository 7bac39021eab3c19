/** The side fronts of a node, as its first front has them. */
import { must } from '../../base/assert.js';
import type { AppRing } from '../../transport/app-ring.js';
import { Mailbox, type MailOrder } from '../../workers/mailbox.js';
import { newChannel, startThread, type ServiceThread } from '../../workers/threads.js';
import { FRONT, frontNames, type Wire } from '../../workers/wires.js';
import type { FrontMessage, SecurityQuestion } from '../thread-messages.js';
import type { HttpFigures } from './figures.js';
import type { SideFrontMessage, SideFrontNote, SideFrontOrder, SideFrontStart } from './side-front-messages.js';
import { SideTasks } from './side-tasks.js';
import { sumOfHttp } from './sums.js';

export interface SideFrontsOptions {
  /** Of all fronts of the node, the first one among them. */
  readonly count: number;
  readonly entry: URL;
  readonly mailOrder: MailOrder;
  /** What the threads of a node ask its first front. */
  readonly receive: (peer: string, message: FrontMessage) => unknown;
  /** One of them ended, and the connections that it had are lost. */
  readonly onEnd: (reason: string) => void;
}

export interface SideThread {
  readonly name: string;
  readonly thread: ServiceThread;
  readonly line: Mailbox;
}

export class SideFronts {
  readonly names: readonly string[];
  readonly tasks: SideTasks;
  private readonly options: SideFrontsOptions;
  private threads: readonly SideThread[] = [];
  private ring: AppRing | undefined;
  private onWait: ((what: string) => void) | undefined;
  /** Of those that have ended. */
  private last: readonly unknown[] = [];
  private isEnding = false;

  constructor(options: SideFrontsOptions) {
    this.options = options;
    this.names = frontNames(options.count).slice(1);
    this.tasks = new SideTasks(options.count, () => this.threads);
  }

  /** Starts the threads, which take no connections yet. `ring` hands these out; `start` is the same for all but the place. */
  start(ring: AppRing | undefined, start: Omit<SideFrontStart, 'place' | 'name'>): void {
    const { count, entry, onEnd, mailOrder } = this.options;
    this.ring = ring;
    this.threads = this.names.map((name, at) => {
      const data: SideFrontStart = { ...start, name, place: { place: at + 1, count } };
      const thread = startThread(name, entry, data, (reason) => {
        if (!this.isEnding) onEnd(`${name} ended: ${reason}`);
      });
      const [near, far] = newChannel();
      const receive = (message: unknown): unknown => this.receive(name, message as FrontMessage | SideFrontNote);
      const line = new Mailbox(near, name, receive, mailOrder);
      const first: SideFrontOrder = { wire: { peer: FRONT, port: far } };
      thread.post(first, [far]);
      return { name, thread, line };
    });
  }

  /** Gives the side front of that name a line to another thread. Resolves when it has it. */
  async connect(name: string, wire: Wire): Promise<void> {
    if (this.isEnding) return;
    const message: SideFrontMessage = { kind: 'connect', wire };
    await must(this.named(name), name).line.call(message, [wire.port]);
  }

  /** Has them take connections once they have all their lines. The first front takes all until then, so that nobody waits for them. */
  async begin(connectWithCoordinator: (name: string) => Promise<void>, isBootstrapping: () => boolean): Promise<void> {
    await Promise.all(this.names.map(connectWithCoordinator));
    await this.ask({ kind: 'begin', isBootstrapping: isBootstrapping() });
  }

  /** Of all fronts; `first` are those of the first one. */
  async figures(first: HttpFigures): Promise<HttpFigures> {
    return sumWith(first, [...this.last, ...(await this.ask({ kind: 'http-figures' }))]);
  }

  /** Has them forget whom they know, where that is what the first front was asked for: each lets in those who come to it. */
  async follow(question: SecurityQuestion): Promise<void> {
    if (question.kind === 'clear-authentications') await this.ask({ kind: 'security', question });
  }

  /** Resolves when they have answered what they had accepted; gives a sum with what they counted. */
  async stop(onWait: (what: string) => void): Promise<(first: HttpFigures) => HttpFigures> {
    this.onWait = onWait;
    const message: SideFrontMessage = { kind: 'stop' };
    // One that ends early takes no time from those that go on.
    this.last = await Promise.all(this.threads.map(({ line }) => line.call(message).catch(() => undefined)));
    await this.abandon();
    this.threads = [];
    return (first) => sumWith(first, this.last);
  }

  async abandon(): Promise<void> {
    this.isEnding = true;
    await Promise.all(this.threads.map(({ thread }) => thread.stop()));
  }

  private receive(name: string, message: FrontMessage | SideFrontNote): unknown {
    switch (message.kind) {
      case 'add-app':
        this.ring?.add(message.descriptor);
        return undefined;
      case 'replace-app':
        this.ring?.replace(message.former, message.next);
        return undefined;
      case 'stop-waits':
        this.onWait?.(message.what);
        return undefined;
      default:
        return this.options.receive(name, message);
    }
  }

  private async ask(message: SideFrontMessage): Promise<readonly unknown[]> {
    return Promise.all(this.threads.map(({ line }) => line.call(message)));
  }

  private named(wanted: string): SideThread | undefined {
    return this.threads.find(({ name }) => name === wanted);
  }
}

/** `answers`: figures of side fronts that take connections. */
function sumWith(first: HttpFigures, answers: readonly unknown[]): HttpFigures {
  const known = (answers as readonly (HttpFigures | undefined)[]).filter((each) => each !== undefined);
  return known.reduce(sumOfHttp, first);
}
