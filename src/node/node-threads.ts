/** The threads of a node beside the one that starts them, and the lines between them all. */
import { systemClock } from '../base/clock.js';
import { bytesOrShare } from '../base/memory.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { Logger } from '../base/logger.js';
import type { WireRoute } from '../rest/wire.js';
import { Mailbox, type Line, type MailOrder } from '../workers/mailbox.js';
import { MessageTurns } from '../workers/message-turns.js';
import { WorkerPool } from '../workers/pool.js';
import { newChannel, startThread, type ServiceThread } from '../workers/threads.js';
import { COORDINATOR, FRONT, frontNames, workerName, type Wire } from '../workers/wires.js';
import { WorkerSlots } from '../workers/worker-slots.js';
import type { SideFronts } from './front/side-fronts.js';
import { configureSearchThreads } from './search-threads.js';
import type { CoordinatorOrder, FrontMessage, PublishMessage, WorkerTask } from './thread-messages.js';
import type { ThreadStarts } from './thread-starts.js';

export interface NodeThreadsOptions {
  readonly settings: NodeSettings;
  readonly starts: ThreadStarts;
  readonly logger: Logger;
  /** Undefined: there is one front. */
  readonly Sides: typeof SideFronts | undefined;
  /** What a thread, which may be the first front itself, tells or asks the first front. */
  readonly receive: (peer: string, message: FrontMessage | PublishMessage) => unknown;
  /** The first front has a line to that thread. If it had one before, that was to a thread that is gone. */
  readonly onLine: (peer: string, line: Mailbox) => void;
  /** The node cannot go on. */
  readonly onFatal: (reason: string) => void;
}

const REQUEST_CACHE = 'indices.requests.cache.size';

export class NodeThreads {
  readonly coordinator: ServiceThread;
  readonly pool: WorkerPool;
  /** Undefined: there is one front. */
  readonly sideFronts: SideFronts | undefined;
  /** Of the first front. */
  readonly lines = new Map<string, Line>();
  private readonly options: NodeThreadsOptions;
  /** What threads tell of their tasks stays in order. */
  private readonly mailOrder: MailOrder = { turns: new MessageTurns(systemClock), laneOf: () => 'messages' };
  private isEnding = false;

  /** They start at once, and wait for their lines. */
  constructor(options: NodeThreadsOptions) {
    const { settings, starts } = options;
    this.options = options;
    this.coordinator = startThread('coordinator', entryOf('coordinator'), starts.coordinator, (reason) => {
      this.fail(`the coordinator ended: ${reason}`);
    });
    this.sideFronts = this.makeSideFronts();
    const requestCacheBytes = bytesOrShare(settings.values[REQUEST_CACHE], REQUEST_CACHE);
    configureSearchThreads(settings, requestCacheBytes, starts.workerCount);
    this.pool = this.startPool();
    this.lines.set(FRONT, this.lineToItself());
  }

  private makeSideFronts(): SideFronts | undefined {
    const { starts, logger, Sides, receive } = this.options;
    return (
      Sides &&
      new Sides({
        count: starts.frontCount,
        entry: entryOf('side-front'),
        mailOrder: this.mailOrder,
        receive,
        onEnd: (reason) => {
          if (this.isEnding) logger.log('error', 'connections were lost while the node stopped', { reason });
          this.fail(reason);
        },
      })
    );
  }

  private startPool(): WorkerPool {
    const { starts, logger } = this.options;
    return new WorkerPool({
      entry: entryOf('worker'),
      slots: new WorkerSlots(starts.worker.slotWords),
      fronts: frontNames(starts.frontCount),
      startData: starts.worker,
      clock: systemClock,
      logger,
      connect: (peer, wire) => this.connect(peer, wire),
      onCrash: (slot) => {
        this.coordinator.post({ kind: 'worker-lost', slot } satisfies CoordinatorOrder, []);
      },
      onFatal: (reason) => {
        this.fail(reason);
      },
    });
  }

  /** What reads in this thread reach the front by. */
  private lineToItself(): Line {
    const { receive } = this.options;
    return {
      call: (message) => new Promise((resolve) => resolve(receive(FRONT, message as FrontMessage))),
      note: (message) => void receive(FRONT, message as FrontMessage),
      close: () => undefined,
    };
  }

  /** Of all endpoints: a worker knows them. */
  async routes(): Promise<readonly WireRoute[]> {
    return (await this.pool.run({ kind: 'describe' } satisfies WorkerTask, 0)) as readonly WireRoute[];
  }

  /** Name of a worker that takes calls, each in turn; undefined while there is none. */
  anyWorker(): string | undefined {
    const slot = this.pool.nextReadySlot();
    return slot === undefined ? undefined : workerName(slot);
  }

  connectWithCoordinator(front: string): Promise<void> {
    const [near, far] = newChannel();
    this.connectCoordinator({ peer: front, port: far });
    return this.connect(front, { peer: COORDINATOR, port: near });
  }

  /** Takes a line to another thread for the thread of that name. Resolves when a front has it; the coordinator is asked nothing before it is told of it. */
  private async connect(name: string, wire: Wire): Promise<void> {
    if (name === FRONT) this.connectFront(wire);
    else if (name === COORDINATOR) this.connectCoordinator(wire);
    else await this.sideFronts?.connect(name, wire);
  }

  private connectCoordinator(wire: Wire): void {
    const order: CoordinatorOrder = { kind: 'wire', wire };
    this.coordinator.post(order, [wire.port]);
  }

  private connectFront({ peer, port }: Wire): void {
    this.lines.get(peer)?.close();
    const receive = (message: unknown): unknown => this.options.receive(peer, message as FrontMessage | PublishMessage);
    const mailbox = new Mailbox(port, peer, receive, this.mailOrder);
    this.lines.set(peer, mailbox);
    this.options.onLine(peer, mailbox);
  }

  /** From now on a thread that ends does not fail the node. False: so it was already. */
  expectEnd(): boolean {
    if (this.isEnding) return false;
    this.isEnding = true;
    return true;
  }

  private fail(reason: string): void {
    if (this.isEnding) return;
    this.options.logger.log('error', 'the node cannot go on', { reason });
    this.options.onFatal(reason);
  }
}

/** The program is bundled, and each kind of thread begins in a file of its own beside this one. */
function entryOf(kind: 'coordinator' | 'side-front' | 'worker'): URL {
  return new URL(`${kind}-thread.js`, import.meta.url);
}
