/** What searches of several shards hold open on this worker between their two phases. */
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import type { Searcher } from '../../native/searcher.js';

/** Held at once by one worker; more searches are refused until some end. */
const OPEN_MAX = 5_000;
/** A search that does not come back for its hits by then has failed. */
const KEPT_MS = 60_000;

interface Held {
  readonly searcher: Searcher;
  readonly cancelExpiry: () => void;
}

export class OpenSearchers {
  private readonly clock: Clock;
  private readonly held = new Map<number, Held>();
  private nextId = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Keeps the searcher until it is released, or for a time. */
  keep(searcher: Searcher): number {
    if (this.held.size >= OPEN_MAX) {
      const reason = `Trying to create too many search contexts. Must be less than or equal to: [${OPEN_MAX}].`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    const id = this.nextId++;
    const cancelExpiry = this.clock.schedule(KEPT_MS, () => {
      this.release(id);
    });
    this.held.set(id, { searcher, cancelExpiry });
    return id;
  }

  get(id: number): Searcher {
    const held = this.held.get(id);
    if (held !== undefined) return held.searcher;
    throw new QuarryError('search_context_missing_exception', `No search context found for id [${id}]`);
  }

  release(id: number): void {
    this.held.get(id)?.cancelExpiry();
    this.held.delete(id);
  }
}
