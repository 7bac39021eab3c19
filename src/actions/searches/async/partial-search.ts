/** What the shards of a search have answered while others are still asked. */
import { reduceSearch, type SearchResult } from '../../../native/searcher.js';
import { encodePlan, type SearchPlan } from '../../../search/plan/search-plan.js';
import type { SearchAnswer, SearchProgress } from '../search.js';
import type { ShardFailure } from '../shards/shard-failures.js';

export class PartialSearch implements SearchProgress {
  private plan: SearchPlan | undefined;
  private total = 0;
  private pending = 0;
  private skipped = 0;
  private results: Uint8Array[] = [];
  private failures: ShardFailure[] = [];
  private reduced: { readonly shards: number; readonly result: SearchResult | undefined } | undefined;

  planned(plan: SearchPlan, shards: number, skipped: number): void {
    this.plan = plan;
    this.total = shards + skipped;
    this.pending = shards;
    this.skipped = skipped;
    this.results = [];
    this.failures = [];
    this.reduced = undefined;
  }

  answered(result: Uint8Array | undefined): void {
    this.pending--;
    if (result !== undefined) this.results.push(result);
  }

  failed(failure: ShardFailure): void {
    this.pending--;
    this.failures.push(failure);
  }

  /** What shards answered is let go of; what it came to is kept where it will be shown. */
  ended(isShown: boolean): void {
    if (isShown) this.merged();
    else this.reduced = undefined;
    this.results = [];
  }

  get hasFailures(): boolean {
    return this.failures.length > 0;
  }

  /** Totals and aggregations; hits are fetched when all shards have answered. */
  get answer(): SearchAnswer {
    const { total, skipped, failures, pending } = this;
    return { shards: { total, skipped, failures, pending }, result: this.merged() };
  }

  private merged(): SearchResult | undefined {
    const { plan, results, reduced } = this;
    if (plan === undefined || results.length === 0 || reduced?.shards === results.length) return reduced?.result;
    const result = reduceShown(plan, results);
    this.reduced = { shards: results.length, result };
    return result;
  }
}

/** Undefined: they cannot be merged, which is told when the search ends. */
function reduceShown(plan: SearchPlan, results: readonly Uint8Array[]): SearchResult | undefined {
  try {
    const withoutHits = encodePlan({ ...plan, from: 0, size: 0 });
    return reduceSearch(withoutHits, results).render(results.map(() => NOTHING));
  } catch {
    return undefined;
  }
}

const NOTHING = new Uint8Array(0);
