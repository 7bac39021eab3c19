/** A shard as a search sees it, and the steps of a search over one or several of them. Plans are encoded JSON. */
import type { JsonScalar } from '../base/json-value.js';
import { native } from './addon.js';
import { briefOrLong, type Attended } from './brief-or-long.js';
import { guarded } from './errors.js';
import { present } from './present.js';
import type { RawFlag, RawReduced, RawReducer, RawSearcher } from './raw-addon.js';

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
  /** Hits show what is to be looked up for them in other indices: see {@link wantedLookups}. */
  readonly hasLookups?: boolean;
}

/** Documents of another index that hits are to show something of. */
export interface WantedLookups {
  /** An expression. */
  readonly target_index: string;
  readonly target_field: string;
  /** What is shown of the document. */
  readonly fetch_fields: readonly { readonly field: string; readonly format?: string }[];
  /** The target field is to have one of them; each stands for a document. */
  readonly values: readonly string[];
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

/** Bytes. */
export interface FieldUsage {
  readonly invertedIndex: number;
  readonly storedFields: number;
  readonly docValues: number;
  readonly norms: number;
  /** Vectors and their graphs. */
  readonly knnVectors: number;
}

export interface DiskUsage {
  /** Of the segment files, headers and padding included. */
  readonly storeBytes: number;
  /** By name; the engine's own are `_id`, `_source`, `_seq_no`, `_version` and `_primary_term`. */
  readonly fields: Readonly<Record<string, FieldUsage>>;
}

const NEVER_CANCELLED = new Int32Array(1);

export class Searcher {
  readonly #raw: RawSearcher;

  constructor(raw: RawSearcher) {
    this.#raw = raw;
  }

  /** Lets go of the view, whose files nobody may remove before; nothing can be asked of it after that. */
  release(): void {
    this.#raw.release();
  }

  /** A whole search on one shard. With a key the answer may be one that was given before, and is kept. */
  execute(plan: Uint8Array, cacheKey: string | undefined, attended: Attended): SearchResult | Promise<SearchResult> {
    const call = {
      now: (word: Int32Array, mayLast: boolean) => this.#raw.execute(plan, cacheKey, word, mayLast),
      later: (flag: RawFlag) => this.#raw.executeLater(plan, cacheKey, flag),
    };
    return briefOrLong(call, attended);
  }

  /** The same if it takes no longer than a few milliseconds; undefined where it does, or is expected to. Nobody can cancel it. */
  executeAtOnce(plan: Uint8Array, cacheKey: string | undefined): SearchResult | undefined {
    return guarded(() => this.#raw.execute(plan, cacheKey, NEVER_CANCELLED, false)) ?? undefined;
  }

  /** Counts one phase of a search under the groups that it names. */
  countGroups(names: readonly string[], phase: 'query' | 'fetch', timeMs: number): void {
    if (names.length > 0) this.#raw.countGroups(names, phase === 'fetch', timeMs);
  }

  /** Counts a phase of a search that failed. */
  countFailure(phase: 'query' | 'fetch'): void {
    this.#raw.countFailure(phase === 'fetch');
  }

  /** What its segments take on disk. */
  diskUsage(): DiskUsage {
    return JSON.parse(guarded(() => this.#raw.diskUsage())) as DiskUsage;
  }

  /** Of a number or date, as its column has it, deleted documents included; null where no document has one. */
  greatest(field: string): number | null | Promise<number | null> {
    return present(() => guarded(() => this.#raw.greatest(field)));
  }

  /** The response's `term_vectors` of a document with this source. */
  termVectors(source: Uint8Array, plan: Uint8Array): Uint8Array | Promise<Uint8Array> {
    return present(() => guarded(() => this.#raw.termVectors(source, plan)));
  }

  /** False only when nothing of the shard matches the query of a count plan. */
  canMatch(plan: Uint8Array): boolean | Promise<boolean> {
    return present(() => guarded(() => this.#raw.canMatch(plan)));
  }

  count(plan: Uint8Array, attended: Attended): CountResult | Promise<CountResult> {
    const call = {
      now: (word: Int32Array, mayLast: boolean) => this.#raw.count(plan, word, mayLast),
      later: (flag: RawFlag) => this.#raw.countLater(plan, flag),
    };
    return briefOrLong(call, attended);
  }

  /** Null when searches do not see the document that the plan names. */
  explain(plan: Uint8Array): ExplainedDocument | null | Promise<ExplainedDocument | null> {
    return present(() => guarded(() => this.#raw.explain(plan)));
  }

  /** Gives up the terms of text fields by document that are kept for later searches. */
  clearFieldData(): void {
    guarded(() => {
      this.#raw.clearFieldData();
    });
  }

  /** What each suggestion of the plan finds, as JSON. */
  suggest(plan: Uint8Array, attended: Attended): Uint8Array | Promise<Uint8Array> {
    const call = {
      now: (word: Int32Array, mayLast: boolean) => this.#raw.suggest(plan, word, mayLast),
      later: (flag: RawFlag) => this.#raw.suggestLater(plan, flag),
    };
    return briefOrLong(call, attended);
  }

  /** The plan's query as text. */
  describe(plan: Uint8Array): string | Promise<string> {
    return present(() => guarded(() => this.#raw.describe(plan)));
  }

  /** What the shard counts of all that scores of a search are computed from: goes to {@link mergeStatistics}. */
  statistics(plan: Uint8Array, attended: Attended): Uint8Array | Promise<Uint8Array> {
    const call = {
      now: (word: Int32Array, mayLast: boolean) => this.#raw.statistics(plan, word, mayLast),
      later: (flag: RawFlag) => this.#raw.statisticsLater(plan, flag),
    };
    return briefOrLong(call, attended);
  }

  /**
   * The first half of a search over several shards: its answer goes to `reduceSearch`. `cursor` is where a scroll stands
   * after a page (see {@link advanceCursor}), `cacheKey` as for {@link execute}.
   */
  queryPhase(
    plan: Uint8Array,
    { cursor, cacheKey }: { readonly cursor?: Uint8Array | undefined; readonly cacheKey?: string | undefined },
    attended: Attended,
  ): Uint8Array | Promise<Uint8Array> {
    // The same plan may be that of a whole search, whose answer is another.
    const key = cacheKey === undefined ? undefined : `${cacheKey}/query`;
    const call = {
      now: (word: Int32Array, mayLast: boolean) => this.#raw.queryPhase(plan, key, cursor, word, mayLast),
      later: (flag: RawFlag) => this.#raw.queryPhaseLater(plan, key, cursor, flag),
    };
    return briefOrLong(call, attended);
  }

  /** The second half, on the searcher that ran the first: its answer goes to `ReducedSearch.render`. */
  fetchPhase(plan: Uint8Array, fetchList: Uint8Array, attended: Attended): Uint8Array | Promise<Uint8Array> {
    const call = {
      now: (word: Int32Array, mayLast: boolean) => this.#raw.fetchPhase(plan, fetchList, word, mayLast),
      later: (flag: RawFlag) => this.#raw.fetchPhaseLater(plan, fetchList, flag),
    };
    return briefOrLong(call, attended);
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

  /** With `collapse`: the values that the shown hits stand for. */
  groups(): readonly JsonScalar[] {
    return JSON.parse(guarded(() => this.#raw.groups())) as readonly JsonScalar[];
  }

  /**
   * Once. `fetched` has an answer of `fetchPhase` (or no bytes) at each shard's place; `members` has further members of each
   * shown hit as JSON text (`,"name":value`), or is empty.
   */
  render(fetched: readonly Uint8Array[], members: readonly Uint8Array[] = []): SearchResult {
    return guarded(() => this.#raw.render([...fetched], [...members]));
  }

  /** Where it is not rendered: a collection of garbage would give back what it holds only later. */
  release(): void {
    guarded(() => {
      this.#raw.release();
    });
  }
}

/**
 * Where a scroll stands on a shard after a page: `result` is the shard's answer for the page, `fetchList` what was shown of
 * it, `before` where it stood (undefined before the first page).
 */
export function advanceCursor(result: Uint8Array, before: Uint8Array | undefined, fetchList: Uint8Array): Uint8Array {
  return guarded(() => native().advanceCursor(result, before, fetchList));
}

/** What is to be looked up for the hits of a result, each value once. */
export function wantedLookups(hits: Uint8Array): readonly WantedLookups[] {
  return JSON.parse(guarded(() => native().wantedLookups(hits))) as readonly WantedLookups[];
}

/** The hits with what was found: `answers` has for every value, in their order, the `hits` of its search, or no bytes. */
export function resolveLookups(hits: Uint8Array, answers: readonly Uint8Array[]): Uint8Array {
  return guarded(() => native().resolveLookups(hits, [...answers]));
}

/** The sum of what shards count, as plans have it. */
export function mergeStatistics(shards: readonly Uint8Array[]): string {
  return guarded(() => native().mergeStatistics([...shards]));
}

/** Merges query phases as they come; the order of the shards, in which they are added, decides ties. */
export class SearchReducer {
  readonly #raw: RawReducer;

  constructor(plan: Uint8Array) {
    this.#raw = guarded(() => new (native().NativeReducer)(plan));
  }

  /** Merges the results of the next shards, which need not be kept. */
  add(results: readonly Uint8Array[]): void {
    guarded(() => {
      this.#raw.add([...results]);
    });
  }

  /** Once. */
  finish(): ReducedSearch {
    return guarded(() => new ReducedSearch(this.#raw.finish()));
  }

  /** Where it is not finished: a collection of garbage would give back what it holds only later. */
  release(): void {
    guarded(() => {
      this.#raw.release();
    });
  }
}

/** Merges the query phases of all shards, in their order. */
export function reduceSearch(plan: Uint8Array, results: readonly Uint8Array[]): ReducedSearch {
  const reducer = new SearchReducer(plan);
  try {
    reducer.add(results);
    return reducer.finish();
  } finally {
    reducer.release();
  }
}
