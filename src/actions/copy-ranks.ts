/**
 * How promising each node is for the next search, by what it did with those before: adaptive replica selection after C3
 * (Suresh et al., "C3: Cutting Tail Latency in Cloud Data Stores via Adaptive Replica Selection", NSDI 2015). With moving
 * averages of response time R, service time S and queue length q̄, and n the requests that are under way to the node times
 * the nodes that are known,
 *
 *     rank = R - S + (1 + n + q̄)³ · S        (the lowest is the best)
 *
 * Kept by each thread for itself; the thread learns from the searches that it sends.
 */

/** Weight of the newest figure in the moving averages. */
const ALPHA = 0.3;
/** Makes long queues weigh more than slow service. */
const QUEUE_EXPONENT = 3;
/** After so many they begin again. */
const TURNS = 1 << 30;

/** What one answered request tells. */
export interface CopyFigures {
  /** From asking to the answer. */
  readonly responseMs: number;
  /** Of it the work itself. */
  readonly serviceMs: number;
  /** Requests that the node had besides. */
  readonly queue: number;
}

export interface KnownNode extends CopyFigures {
  readonly nodeId: string;
  /** Requests that have not been answered yet. */
  readonly underWay: number;
  readonly rank: number;
}

export class CopyRanks {
  private readonly figures = new Map<string, CopyFigures>();
  private readonly underWay = new Map<string, number>();
  private turn = 0;

  /** Rises with each call; for choices among nodes of which nothing is known. */
  nextTurn(): number {
    this.turn = (this.turn + 1) % TURNS;
    return this.turn;
  }

  /** Follows one request to the node. Call the result once it has ended, with figures if it was answered. */
  follow(nodeId: string): (figures?: CopyFigures) => void {
    this.underWay.set(nodeId, this.underWayTo(nodeId) + 1);
    return (figures) => {
      const left = this.underWayTo(nodeId) - 1;
      if (left > 0) this.underWay.set(nodeId, left);
      else this.underWay.delete(nodeId);
      if (figures !== undefined) this.note(nodeId, figures);
    };
  }

  /** Undefined for a node that was never asked: it should be. */
  rankOf(nodeId: string): number | undefined {
    const known = this.figures.get(nodeId);
    if (known === undefined) return undefined;
    const { responseMs, serviceMs, queue } = known;
    const queueEstimate = 1 + this.underWayTo(nodeId) * this.figures.size + queue;
    return responseMs - serviceMs + queueEstimate ** QUEUE_EXPONENT * serviceMs;
  }

  /** What is known of each node. */
  known(): readonly KnownNode[] {
    return [...this.figures].map(([nodeId, figures]) => {
      return { nodeId, underWay: this.underWayTo(nodeId), rank: this.rankOf(nodeId) ?? 0, ...figures };
    });
  }

  /** The nodes that were passed over come closer to the chosen one, so that a slow one is tried again in time. */
  passedOver(chosen: string, others: readonly string[]): void {
    const best = this.figures.get(chosen);
    if (best === undefined) return;
    for (const nodeId of others) {
      const known = this.figures.get(nodeId);
      if (known === undefined || nodeId === chosen) continue;
      this.figures.set(nodeId, {
        responseMs: (known.responseMs + best.responseMs) / 2,
        serviceMs: moved(known.serviceMs, (known.serviceMs + best.serviceMs) / 2),
        queue: (known.queue + best.queue) / 2,
      });
    }
  }

  /** Forgets nodes that are gone. */
  keepOnly(isThere: (nodeId: string) => boolean): void {
    for (const nodeId of [...this.figures.keys()]) if (!isThere(nodeId)) this.figures.delete(nodeId);
  }

  private underWayTo(nodeId: string): number {
    return this.underWay.get(nodeId) ?? 0;
  }

  private note(nodeId: string, figures: CopyFigures): void {
    const known = this.figures.get(nodeId) ?? figures;
    this.figures.set(nodeId, {
      responseMs: moved(known.responseMs, figures.responseMs),
      serviceMs: moved(known.serviceMs, figures.serviceMs),
      queue: moved(known.queue, figures.queue),
    });
  }
}

function moved(average: number, newest: number): number {
  return average + ALPHA * (newest - average);
}
