/** Answers on their way out: counted by route, and bounded where readers are slow. */
import { tooMuchData, type BreakerFigures } from '../base/breakers.js';
import type { Clock } from '../base/clock.js';
import type { QuarryError } from '../base/errors.js';
import { UNSENT_ANSWER_BYTES_MAX } from '../base/limits.js';
import type { SharedSum } from '../base/shared-sum.js';
import { packed } from '../rest/packed.js';
import type { PromptAnswer, WireAnswer, WireRoute } from '../rest/wire.js';
import type { Exchange } from './exchange.js';
import { RouteTraffic } from './route-traffic.js';

export class Outgoing {
  readonly traffic = new RouteTraffic<WireRoute>();
  /** Requests that somebody carries out or whose answer is not sent yet. */
  unanswered = 0;
  private readonly bytes: Pick<SharedSum, 'add' | 'total'>;
  private readonly clock: Clock;
  private refused = 0;

  /** `bytes` are of all fronts of the node. */
  constructor(bytes: Pick<SharedSum, 'add' | 'total'>, clock: Clock) {
    this.bytes = bytes;
    this.clock = clock;
  }

  get isFull(): boolean {
    return this.bytes.total > UNSENT_ANSWER_BYTES_MAX;
  }

  figures(): BreakerFigures {
    return { limitBytes: UNSENT_ANSWER_BYTES_MAX, usedBytes: this.bytes.total, refused: this.refused };
  }

  /** For one more request while it {@link isFull}. */
  refusal(): QuarryError {
    this.refused++;
    return tooMuchData('in_flight_answers', '<http_response>', {
      wantedBytes: this.bytes.total,
      limitBytes: UNSENT_ANSWER_BYTES_MAX,
      durability: 'TRANSIENT',
    });
  }

  /** Of a request among the {@link unanswered}. */
  send(exchange: Exchange, route: WireRoute, answer: PromptAnswer): void {
    if (answer.isToBePacked === true) void this.sendPacked(exchange, route, answer);
    else this.sendWhole(exchange, route, answer);
  }

  private async sendPacked(exchange: Exchange, route: WireRoute, answer: WireAnswer): Promise<void> {
    const { length } = answer.body;
    this.bytes.add(length);
    try {
      this.sendWhole(exchange, route, await packed(answer));
    } catch (error) {
      this.unanswered--;
      this.sendError(exchange, route, error);
    } finally {
      this.bytes.add(-length);
    }
  }

  private sendWhole(exchange: Exchange, route: WireRoute, answer: WireAnswer): void {
    const { length } = answer.body;
    this.count(exchange, route, length);
    this.bytes.add(length);
    exchange.send(answer, () => {
      this.bytes.add(-length);
      this.unanswered--;
    });
  }

  sendError(exchange: Exchange, route: WireRoute, error: unknown): void {
    this.count(exchange, route, exchange.sendError(error));
  }

  /** One that was answered at once took no time worth asking a clock for. */
  private count({ isAborted, sinceMs }: Exchange, route: WireRoute, bytes: number): void {
    if (isAborted) return;
    this.traffic.answered(route, bytes, sinceMs === undefined ? 0 : this.clock.monotonicMs() - sinceMs);
  }
}
