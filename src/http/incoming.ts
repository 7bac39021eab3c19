/** Bodies on their way in: bounded one by one and all together, and given up where they come too late. */
import { BodyBuffers, type ReceivedBody } from '../base/body-buffers.js';
import type { BreakerFigures } from '../base/breakers.js';
import { QuarryError } from '../base/errors.js';
import { IDLE_BODY_BYTES_MAX, MANAGEMENT_BODY_BYTES_SPARE } from '../base/limits.js';
import type { SharedSum } from '../base/shared-sum.js';
import { contentTooLarge } from '../rest/content-too-large.js';
import type { WireRoute } from '../rest/wire.js';
import type { Exchange } from './exchange.js';
import type { FrontBreakers } from './held-bytes.js';

export interface IncomingOptions {
  /** Of one body. */
  readonly bytesMax: number;
  readonly breakers: FrontBreakers;
  /** What all fronts of the node hold. */
  readonly held: SharedSum;
  /** How many of them there are. */
  readonly fronts: number;
}

/** What a request holds, in refusals. */
const HTTP_REQUEST = '<http_request>';

export class Incoming {
  private readonly bytesMax: number;
  private readonly breakers: FrontBreakers;
  private readonly buffers: BodyBuffers;
  /** Requests whose body is not complete yet, and how to give up on it. */
  private readonly receiving = new Map<Exchange, (error: QuarryError) => void>();

  constructor({ bytesMax, breakers, held, fronts }: IncomingOptions) {
    this.bytesMax = bytesMax;
    this.breakers = breakers;
    this.buffers = new BodyBuffers({
      breaker: breakers.inflightName,
      what: HTTP_REQUEST,
      limitBytes: () => breakers.inflightLimitBytes(),
      used: held,
      idleBytesMax: IDLE_BODY_BYTES_MAX / fronts,
      onTake: (bytes) => {
        breakers.checkParent(bytes, HTTP_REQUEST);
      },
    });
  }

  /** Requests whose body is not complete yet. */
  get count(): number {
    return this.receiving.size;
  }

  figures(): BreakerFigures {
    return this.buffers.figures();
  }

  /** Throws for a request that is refused before anything of its body has come. */
  check({ declaredLength }: Exchange, route: WireRoute): void {
    if ((declaredLength ?? 0) > this.bytesMax) throw contentTooLarge(this.bytesMax);
    if (declaredLength === 0 && !isManagement(route)) this.breakers.checkParent(0, HTTP_REQUEST);
  }

  /** Calls `onBody` when the body is complete. What goes wrong until then is answered. */
  receive(exchange: Exchange, route: WireRoute, onBody: (body: ReceivedBody) => void): void {
    const spareBytes = isManagement(route) ? MANAGEMENT_BODY_BYTES_SPARE : 0;
    let isOver = false as boolean;
    const giveUp = exchange.receive(
      { buffers: this.buffers, bytesMax: this.bytesMax, spareBytes },
      (body) => {
        isOver = true;
        this.receiving.delete(exchange);
        onBody(body);
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

  /** A client that sends slowly does not hold up the end of the node. */
  giveUp(): void {
    for (const [exchange, giveUp] of [...this.receiving]) {
      exchange.closeAfterwards();
      giveUp(new QuarryError('node_closed_exception', 'node is stopping: the body of the request came too late'));
    }
  }
}

/** Who manages the node is heard when there is no memory: that is when it is needed. */
function isManagement({ pool }: WireRoute): boolean {
  return pool === 'management';
}
