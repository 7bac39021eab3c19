/** Merges what shards answer while others are still searching, so that not all of it is held at once. */
import { asQuarryError } from '../../../base/error-wire.js';
import { SearchReducer, type ReducedSearch } from '../../../native/searcher.js';
import { encodePlan, type SearchPlan } from '../../../search/plan/search-plan.js';
import { reduceFailure } from './shard-failures.js';

/** Results that are held until they are merged, where the request does not say. */
const BATCH_SIZE = 512;

export class BatchedReduce {
  private readonly reducer: SearchReducer;
  private readonly batchSize: number;
  /** What came before the answer of a shard that is to be merged first; undefined: the shard failed. */
  private readonly early = new Map<number, Uint8Array | undefined>();
  /** The shard that is merged next. */
  private next = 0;
  private pending: Uint8Array[] = [];
  private partialReduces = 0;
  private failure: unknown;
  private reduced: ReducedSearch | undefined;

  /** `shards`: how many there are. */
  constructor(plan: SearchPlan, batchSize: number | undefined, shards: number) {
    const isCountOnly = plan.size === 0 && (plan.aggregations ?? []).length === 0;
    // Where nothing but a number is merged, there is nothing to be gained.
    this.batchSize = isCountOnly ? Math.max(2, shards) : (batchSize ?? BATCH_SIZE);
    this.reducer = new SearchReducer(encodePlan(plan));
  }

  /** The shard at this place answered; undefined: it failed. Never throws. */
  take(place: number, result: Uint8Array | undefined): void {
    this.early.set(place, result);
    // The order of the shards decides ties, and that of sums.
    for (; this.early.has(this.next); this.next++) {
      const found = this.early.get(this.next);
      this.early.delete(this.next);
      if (found !== undefined) this.hold(found);
    }
  }

  /** What was merged, when all shards have answered or failed. Throws where it cannot be merged: that fails the whole search. */
  finish(): ReducedSearch {
    this.merge();
    if (this.failure !== undefined) throw reduceFailure(asQuarryError(this.failure));
    this.reduced = this.reducer.finish();
    return this.reduced;
  }

  /** Gives back what is held; what was rendered holds nothing any more. */
  release(): void {
    this.reducer.release();
    this.reduced?.release();
  }

  /** How often results were merged, the last time included; told once {@link finish} is called. */
  get phases(): number {
    return this.partialReduces + 1;
  }

  private hold(result: Uint8Array): void {
    const merged = this.partialReduces > 0 ? 1 : 0;
    if (this.pending.length + merged >= this.batchSize) {
      this.partialReduces++;
      this.merge();
    }
    this.pending.push(result);
  }

  private merge(): void {
    const { pending } = this;
    this.pending = [];
    if (this.failure !== undefined || pending.length === 0) return;
    try {
      this.reducer.add(pending);
    } catch (error) {
      this.failure = error;
    }
  }
}
