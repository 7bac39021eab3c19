/** A shard as a search sees it, and the steps of a search over one or several of them. Plans are encoded JSON. */
import type { Cancellation } from '../base/cancellation.js';
import { native } from './addon.js';
import { guarded } from './errors.js';
import type { RawReduced, RawSearcher } from './raw-addon.js';

/** The finished pieces of a response. */
export interface SearchResult {
  /** The `hits` object as JSON. */
  readonly hits: Uint8Array;
  /** The `aggregations` object as JSON. */
  readonly aggregations?: Uint8Array;
  /** The `profile` object as JSON. */
  readonly profile?: Uint8Array;
  readonly timedOut: boolean;
  /** Present with `terminate_after`. */
  readonly terminatedEarly?: boolean;
}

export interface CountResult {
  readonly count: number;
  readonly terminatedEarly: boolean;
}

export interface ExplainedDocument {
  readonly matched: boolean;
  /** JSON. */
  readonly explanation: Uint8Array;
}

export class Searcher {
  readonly #raw: RawSearcher;

  constructor(raw: RawSearcher) {
    this.#raw = raw;
  }

  /** A whole search on one shard. */
  execute(plan: Uint8Array, cancellation: Cancellation): SearchResult {
    return guarded(() => this.#raw.execute(plan, cancellation.word));
  }

  count(plan: Uint8Array, cancellation: Cancellation): CountResult {
    return guarded(() => this.#raw.count(plan, cancellation.word));
  }

  /** Undefined when searches do not see the document that the plan names. */
  explain(plan: Uint8Array): ExplainedDocument | undefined {
    return guarded(() => this.#raw.explain(plan)) ?? undefined;
  }

  /** The plan's query as text. */
  describe(plan: Uint8Array): string {
    return guarded(() => this.#raw.describe(plan));
  }

  /** The first half of a search over several shards: its answer goes to `reduceSearch`. */
  queryPhase(plan: Uint8Array, cancellation: Cancellation): Uint8Array {
    return guarded(() => this.#raw.queryPhase(plan, cancellation.word));
  }

  /** The second half, on the searcher that ran the first: its answer goes to `ReducedSearch.render`. */
  fetchPhase(plan: Uint8Array, fetchList: Uint8Array, cancellation: Cancellation): Uint8Array {
    return guarded(() => this.#raw.fetchPhase(plan, fetchList, cancellation.word));
  }
}

/** The merged query phases of several shards. */
export class ReducedSearch {
  readonly #raw: RawReduced;

  constructor(raw: RawReduced) {
    this.#raw = raw;
  }

  /** What to fetch from the shard at this place; empty when it has no hit to show. */
  fetchList(shard: number): Uint8Array {
    return guarded(() => this.#raw.fetchList(shard));
  }

  /** Once. `fetched` has an answer of `fetchPhase` (or no bytes) at each shard's place. */
  render(fetched: readonly Uint8Array[]): SearchResult {
    return guarded(() => this.#raw.render([...fetched]));
  }
}

/** Merges query phases; the order of the shards decides ties. */
export function reduceSearch(plan: Uint8Array, results: readonly Uint8Array[]): ReducedSearch {
  return guarded(() => new ReducedSearch(native().reduce(plan, [...results])));
}
