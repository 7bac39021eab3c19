/** All that one front thread needs to have requests of clients answered: a server, reads of its own, lines to the workers. */
import type { NodeIdentity } from '../../actions/context.js';
import { must } from '../../base/assert.js';
import { systemClock } from '../../base/clock.js';
import { named, type Logger } from '../../base/logger.js';
import { SharedSum, sharedParts } from '../../base/shared-sum.js';
import type { TaskTable } from '../../base/tasks/task-table.js';
import type { TlsSettings } from '../../base/tls-settings.js';
import type { Entrance } from '../../http/gate.js';
import type { FrontBreakers } from '../../http/held-bytes.js';
import { poolWords, type FrontPlace } from '../../http/pool-room.js';
import { HttpServer } from '../../http/server.js';
import type { WireAnswer, WireRequest, WireRoute } from '../../rest/wire.js';
import type { Line } from '../../workers/mailbox.js';
import { WorkerSlots } from '../../workers/worker-slots.js';
import { workerName } from '../../workers/wires.js';
import type { WorkerStart } from '../thread-messages.js';
import type { ThreadParts } from '../worker/thread-services.js';
import { ActiveWait, activeWaitMs } from './active-wait.js';
import { IdleProcessors, busyMoments } from './idle-processors.js';
import { NearReads } from './near-reads.js';
import { slotOfRequest } from './placement.js';
import { RequestLines } from './request-lines.js';

/** What the fronts of a node share, as it is sent to their threads. */
export interface FrontWords {
  /** See {@link WorkerSlots}. */
  readonly slots: Int32Array;
  /** See `HeldBytes`. */
  readonly bodies: Float64Array;
  readonly answers: Float64Array;
  /** See {@link IdleProcessors}. */
  readonly busy: Float64Array;
  /** See {@link poolWords}. */
  readonly pools: Int32Array;
}

export function frontWords(slots: Int32Array, fronts: number): FrontWords {
  return {
    slots,
    bodies: sharedParts(fronts),
    answers: sharedParts(fronts),
    busy: busyMoments(fronts),
    pools: poolWords(fronts),
  };
}

export interface RequestFrontOptions {
  readonly place: FrontPlace;
  readonly words: FrontWords;
  /** For the reads that this thread carries out itself. */
  readonly start: WorkerStart;
  readonly parts: ThreadParts;
  readonly routes: readonly WireRoute[];
  readonly logger: Logger;
  readonly tasks: TaskTable;
  readonly breakers: FrontBreakers;
  /** Undefined: security is off. */
  readonly entrance: Entrance | undefined;
  readonly tls: TlsSettings | undefined;
  /** Requests wait until it resolves; then {@link RequestFront.introduce} was called. */
  readonly ready: Promise<void>;
}

export class RequestFront {
  readonly server: HttpServer;
  private readonly options: RequestFrontOptions;
  private readonly requests: RequestLines;
  private readonly nearReads: NearReads;
  private readonly idle: IdleProcessors;
  private node: NodeIdentity | undefined;

  constructor(options: RequestFrontOptions) {
    const { place, words, start, parts, routes, logger, tasks, breakers, entrance, tls } = options;
    const slots = new WorkerSlots(words.slots);
    this.options = options;
    this.idle = new IdleProcessors(words.busy, place.place, slots, systemClock);
    const activeWait = new ActiveWait(systemClock, activeWaitMs(start.settings), () => this.idle.hasSome);
    const lineTo = (slot: number): Line => must(parts.lines.get(workerName(slot)), workerName(slot));
    this.requests = new RequestLines(slots, lineTo, activeWait);
    this.nearReads = new NearReads({
      ...{ start, parts, logger, activeWait },
      slot: slots.count + place.place,
      clock: systemClock,
      idle: this.idle,
    });
    this.server = new HttpServer({
      ...{ settings: start.settings, routes, tasks, breakers, entrance, tls },
      workerCount: slots.count,
      admission: { front: place, words: words.pools },
      held: {
        bodies: new SharedSum(words.bodies, place.place),
        answers: new SharedSum(words.answers, place.place),
      },
      clock: systemClock,
      logger: named(logger, 'http'),
      answerAtOnce: (request, body, route, isNext) => {
        this.idle.noteRequest();
        return this.nearReads.answerAtOnce(request, body, route, isNext);
      },
      serve: (request, route) => this.serve(request, route),
    });
  }

  /** Who the node is, before it is ready. */
  introduce(node: NodeIdentity): void {
    this.node = node;
  }

  /** The cluster state is another. */
  follow(): void {
    this.nearReads.follow();
  }

  private async serve(request: WireRequest, route: WireRoute): Promise<WireAnswer> {
    await this.options.ready;
    this.idle.noteRequest();
    const node = must(this.node, 'identity of a node that is ready');
    const near = this.nearReads.answer(request, route, node);
    const { states } = this.options.parts;
    return near ?? this.requests.ask(request, route, slotOfRequest(states.current, node.id, request, route));
  }
}
