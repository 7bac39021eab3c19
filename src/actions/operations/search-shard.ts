/** Searches of one shard: whole, or in the two phases that a search over several shards needs. */
import { advanceCursor, type CountResult, type Searcher, type SearchResult } from '../../native/searcher.js';
import { defineViewOperation, type SearchedShard, type ShardOperationContext } from '../shard-operation.js';
import { shardName } from '../shard-client.js';
import type { HeldName, Keep } from '../searches/open-searchers.js';
import type { CacheUse } from '../searches/request-cache.js';
import { fetched, queried } from './search-times.js';

export interface PlanInput {
  /** Encoded JSON. */
  readonly plan: Uint8Array;
}

/** A point in time on this shard; its time begins anew, and is a longer one where the search says so. */
export interface HeldView extends HeldName {
  readonly keepAliveMs?: number;
}

export interface SearchInput extends PlanInput {
  /** Groups of statistics that count this search. */
  readonly groups: readonly string[];
  /** What is searched instead of the newest view. */
  readonly view?: HeldView;
  /** The answer may come from the request cache; only of the newest view. */
  readonly cache?: CacheUse;
}

const viewOf = ({ view }: { readonly view?: HeldView }): HeldName | undefined => view;
const searcherNamed = ({ searcher }: { readonly searcher: HeldName }): HeldName => searcher;

export const searchShard = defineViewOperation('search', viewOf, (shard, input: SearchInput, context): SearchResult => {
  const startedMs = context.clock.monotonicMs();
  const result = wholeSearch(shard, input, context);
  // One call does both phases; its time is told as that of the query.
  queried(shard, { plan: input.plan, groups: input.groups, startedMs }, context);
  shard.searchGroups.fetched(input.groups, 0);
  return result;
});

function wholeSearch(
  shard: SearchedShard,
  { plan, view, cache }: SearchInput,
  context: ShardOperationContext,
): SearchResult {
  if (view === undefined && cache === undefined) return shard.search(plan, context.cancellation);
  const searcher = searcherOf(shard, view, context);
  return cached(shard, cache, 'search', context, {
    make: () => searcher.execute(plan, context.cancellation),
    bytesOf: ({ timedOut, hits, aggregations, profile }) =>
      timedOut ? undefined : hits.length + (aggregations?.length ?? 0) + (profile?.length ?? 0),
  });
}

function searcherOf(shard: SearchedShard, view: HeldView | undefined, context: ShardOperationContext): Searcher {
  return view === undefined ? shard.searcher() : context.searchers.touch(view, view.keepAliveMs).searcher;
}

interface Cacheable<Answer> {
  readonly make: () => Answer;
  /** Undefined: the answer is not to be kept. */
  readonly bytesOf: (answer: Answer) => number | undefined;
}

/** Nothing happens between the choice of the view and the look into the cache: they are of the same view. */
function cached<Answer>(
  shard: SearchedShard,
  use: CacheUse | undefined,
  kind: 'search' | 'query-phase',
  context: ShardOperationContext,
  { make, bytesOf }: Cacheable<Answer>,
): Answer {
  if (use === undefined || shard.office === 'departed') return make();
  const { index } = shard.key;
  const mappingVersion = context.clusterState().indices.get(index)?.mappingVersion ?? 0;
  const named = { ...use, key: `${kind}/${use.key}` };
  return context.requestCache.answer(shard, mappingVersion, named, make, bytesOf);
}

export interface CountInput extends PlanInput {
  readonly view?: HeldView;
}

export const countShard = defineViewOperation('count', viewOf, (shard, input: CountInput, context): CountResult =>
  searcherOf(shard, input.view, context).count(input.plan, context.cancellation),
);

/** Told without searching. */
export const canMatch = defineViewOperation('can-match', viewOf, (shard, input: CountInput, context): boolean =>
  searcherOf(shard, input.view, context).canMatch(input.plan),
);

/** What the shard counts of all that scores of the search are computed from. */
export const statisticsPhase = defineViewOperation(
  'statistics-phase',
  viewOf,
  (shard, input: CountInput, context): Uint8Array =>
    searcherOf(shard, input.view, context).statistics(input.plan, context.cancellation),
);

export interface QueryPhaseInput extends SearchInput {
  /** Hits are to be shown: the fetch phase needs the view. */
  readonly fetches: boolean;
  /** Opens a scroll. */
  readonly scroll?: Keep;
}

export interface QueryPhaseOutput {
  /** Names the searcher that is kept for the fetch phase; absent where there will be none. */
  readonly searcher?: HeldName;
  readonly result: Uint8Array;
}

export const queryPhase = defineViewOperation(
  'query-phase',
  viewOf,
  (shard, input: QueryPhaseInput, context): QueryPhaseOutput => {
    const { plan, groups, view, scroll, cache, fetches } = input;
    const startedMs = context.clock.monotonicMs();
    const searcher = searcherOf(shard, view, context);
    const spentMs = (): number => context.clock.monotonicMs() - startedMs;
    const result = cached(shard, cache, 'query-phase', context, {
      make: () => searcher.queryPhase(plan, undefined, context.cancellation),
      bytesOf: ({ length }) => (spentMs() < (cache?.timeoutMs ?? Infinity) ? length : undefined),
    });
    queried(shard, { plan, groups, startedMs }, context);
    if (view !== undefined) return { searcher: { id: view.id, token: view.token }, result };
    if (!fetches) return { result };
    const name = shardName(shard.key);
    if (scroll === undefined) return { searcher: context.searchers.keep(name, searcher), result };
    // What another node sent lies in memory that is used again.
    const page = { plan: plan.slice(), groups, result };
    return { searcher: context.searchers.keepScroll(name, scroll, searcher, page), result };
  },
);

export interface ScrollPageInput {
  readonly searcher: HeldName;
  /** From now on; undefined: as before. */
  readonly keepAliveMs: number | undefined;
}

export interface ScrollPageOutput {
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  readonly result: Uint8Array;
}

/** The query phase of a further page of a scroll. */
export const scrollPage = defineViewOperation(
  'scroll-page',
  searcherNamed,
  (shard, input: ScrollPageInput, context): ScrollPageOutput => {
    const startedMs = context.clock.monotonicMs();
    const { searcher, scroll } = context.searchers.touch(input.searcher, input.keepAliveMs);
    if (scroll === undefined) return context.searchers.missing(input.searcher);
    const { plan, groups, cursor } = scroll;
    scroll.result = searcher.queryPhase(plan, cursor, context.cancellation);
    queried(shard, { plan, groups, startedMs }, context);
    return { plan, groups, result: scroll.result };
  },
);

export interface FetchPhaseInput extends PlanInput {
  readonly groups: readonly string[];
  readonly searcher: HeldName;
  /** From the reduced query phases; empty: nothing of this shard is shown. */
  readonly fetchList: Uint8Array;
  /** The searcher is held for longer than this search. */
  readonly isKept: boolean;
}

const NOTHING = new Uint8Array(0);

export const fetchPhase = defineViewOperation(
  'fetch-phase',
  searcherNamed,
  (shard, input: FetchPhaseInput, context): Uint8Array => {
    const { plan, fetchList, groups } = input;
    const startedMs = context.clock.monotonicMs();
    try {
      const { searcher, scroll } = context.searchers.get(input.searcher);
      const hits = fetchList.length === 0 ? NOTHING : searcher.fetchPhase(plan, fetchList, context.cancellation);
      if (scroll !== undefined) scroll.cursor = advanceCursor(scroll.result, scroll.cursor, fetchList);
      return hits;
    } finally {
      if (fetchList.length > 0) fetched(shard, { plan, groups, startedMs }, context);
      if (!input.isKept) context.searchers.release(input.searcher);
    }
  },
);

export interface ReleaseInput {
  readonly searcher: HeldName;
}

/** False when it was not held any more. */
export const releaseSearcher = defineViewOperation(
  'release-searcher',
  searcherNamed,
  (_shard, input: ReleaseInput, context): boolean => context.searchers.release(input.searcher),
);
