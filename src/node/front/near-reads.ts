/** The reads that the front carries out itself, and when it leaves them to workers. */
import type { NodeIdentity } from '../../actions/context.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { TurnOfLoop } from '../../base/turn-of-loop.js';
import { NO_TIME, type NoTime } from '../../http/late-reads.js';
import type { BareRequest, PromptAnswer, WireAnswer, WireRequest, WireRoute } from '../../rest/wire.js';
import type { ActiveWait } from './active-wait.js';
import type { IdleProcessors } from './idle-processors.js';
import { isNear } from './placement.js';
import type { WorkerStart } from '../thread-messages.js';
import type { RequestHandler } from '../worker/request-handler.js';
import type { ThreadParts } from '../worker/thread-services.js';

/** In one turn of the event loop the front reads for so long itself, even while processors have nothing to do. */
const SHARE_MS = 0.3;
/** After so long it reads no more in this turn: whatever else came to it would wait. */
const TURN_MS_MAX = 2;
/**
 * For so long it answers at once in one turn: hundreds of clients with a request each. A client may send thousands without waiting, and all that came
 * of them is read in one turn. What is left over waits for the next turn (`LateReads`).
 */
export const AT_ONCE_MS_MAX = 25;

export interface NearReadServices {
  readonly start: WorkerStart;
  readonly parts: ThreadParts;
  /** One that no worker has. */
  readonly slot: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activeWait: ActiveWait;
  readonly idle: Pick<IdleProcessors, 'hasSome'>;
}

export class NearReads {
  private readonly services: NearReadServices;
  private readonly share: TurnOfLoop;
  private readonly turn: TurnOfLoop;
  private readonly atOnce: TurnOfLoop;
  /** Those answered at once have time of their own: others would wait for as long as enough of them come. */
  private readonly searches: TurnOfLoop;
  /** Loaded by the first read: a node that nobody asks needs no memory for it. */
  private reader: RequestHandler | undefined;
  private isLoading = false;

  constructor(services: NearReadServices) {
    this.services = services;
    this.share = new TurnOfLoop(services.clock, SHARE_MS);
    this.turn = new TurnOfLoop(services.clock, TURN_MS_MAX);
    this.atOnce = new TurnOfLoop(services.clock, AT_ONCE_MS_MAX);
    this.searches = new TurnOfLoop(services.clock, TURN_MS_MAX);
  }

  /**
   * Undefined for what takes time, or is not known yet. To hand the rest to a worker would take as long. `isNext`: no other request of its kind waits for
   * the time of this turn.
   */
  answerAtOnce(
    request: BareRequest,
    body: Uint8Array | undefined,
    { placement }: WireRoute,
    isNext: boolean,
  ): PromptAnswer | NoTime | undefined {
    if (placement !== 'near' || this.reader === undefined) return undefined;
    const { atOnce } = this.reader;
    if (atOnce.isSearch(request)) {
      if (this.isForWorker) return undefined;
      if (!isNext || !this.searches.hasTime) return NO_TIME;
    } else if (!isNext || !this.atOnce.hasTime) return atOnce.mayFind(request) ? NO_TIME : undefined;
    const answer = atOnce.find(request, body);
    if (answer !== undefined) this.services.activeWait.noteAnswer();
    return answer;
  }

  /** The front has read for long enough in this turn that a worker may do so instead. */
  private get isForWorker(): boolean {
    return !this.share.hasTime && this.services.idle.hasSome;
  }

  /** For what {@link answerAtOnce} does not answer. Undefined where a worker is to. */
  answer(request: WireRequest, route: WireRoute, node: NodeIdentity): Promise<WireAnswer> | undefined {
    if (!isNear(this.services.parts.states.current, node.id, request, route)) return undefined;
    if (this.reader === undefined) {
      if (!this.isLoading) void this.load(node);
      return undefined;
    }
    if (this.reader.atOnce.isForOwner(request) || this.isForWorker) return undefined;
    return this.services.activeWait.during(this.read(request, this.reader), true);
  }

  /** The cluster state is another. */
  follow(): void {
    this.reader?.follow(this.services.parts.states.current);
  }

  /** Where all processors are busy, a read that has no time in this turn waits for the next. */
  private async read(request: WireRequest, reader: RequestHandler): Promise<WireAnswer> {
    if (!this.turn.hasTime) await this.turn.leaveTime();
    return reader.answer(request);
  }

  /** Workers answer until it is done, and for good where it fails. */
  private async load(node: NodeIdentity): Promise<void> {
    const { start, parts, slot, logger } = this.services;
    this.isLoading = true;
    try {
      const { nearReader } = await import('./near-reader.js');
      this.reader = await nearReader(start, parts, slot, node);
      this.follow();
    } catch (error) {
      logger.log('error', 'the front cannot read', { reason: asQuarryError(error).message });
    }
  }
}
