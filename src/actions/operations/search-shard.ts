/** Searches of one shard: whole, or in the two phases that a search over several shards needs. */
import { advanceCursor, type CountResult, type Searcher, type SearchResult } from '../../native/searcher.js';
import {
  defineHeldViewOperation,
  defineReadOperation,
  type SearchedShard,
  type ShardOperationContext,
} from '../shard-operation.js';
import { shardName } from '../shard-client.js';
import type { CacheUse } from '../searches/cache-use.js';
import type { HeldName, Keep } from '../searches/contexts/open-searchers.js';
import { foundByQuery, foundInHits } from '../searches/slow-log.js';
import { fetched, queried, type SlowSearch } from './search-times.js';

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
  readonly slow?: SlowSearch;
  /** What is searched instead of the newest view. */
  readonly view?: HeldView;
  /** The answer may come from the request cache; only of the newest view. */
  readonly cache?: CacheUse;
}

const searcherNamed = ({ searcher }: { readonly searcher: HeldName }): HeldName => searcher;

export const searchShard = defineReadOperation(
  'search',
  (shard, input: SearchInput, context): Promise<SearchResult> => {
    const { plan, groups, view, cache, slow } = input;
    const startedMs = context.clock.monotonicMs();
    return onSearcher(shard, view, context, async (searcher) => {
      const result = await counted(searcher, 'query', () => searcher.execute(plan, cache?.key, context));
      // One call does both phases; its time is told as that of the query.
      const found = (): string => foundInHits(result.hits);
      queried(shard.key, searcher, { plan, groups, startedMs, slow, found }, context);
      searcher.countGroups(groups, 'fetch', 0);
      return result;
    });
  },
);

/** Statistics tell which phases failed. */
async function counted<Output>(
  searcher: Searcher,
  phase: 'query' | 'fetch',
  work: () => Promise<Output> | Output,
): Promise<Output> {
  try {
    return await work();
  } catch (error) {
    searcher.countFailure(phase);
    throw error;
  }
}

/** On a view that is held, or on the newest, which is let go of afterwards. */
export async function onSearcher<Output>(
  shard: SearchedShard,
  view: HeldView | undefined,
  context: Pick<ShardOperationContext, 'searchers'>,
  use: (searcher: Searcher) => Promise<Output> | Output,
): Promise<Output> {
  if (view !== undefined) return use(context.searchers.touch(shardName(shard.key), view, view.keepAliveMs).searcher);
  const searcher = shard.searcher();
  try {
    return await use(searcher);
  } finally {
    searcher.release();
  }
}

export interface CountInput extends PlanInput {
  readonly view?: HeldView;
}

export const countShard = defineReadOperation(
  'count',
  (shard, { plan, view }: CountInput, context): Promise<CountResult> =>
    onSearcher(shard, view, context, (searcher) => searcher.count(plan, context)),
);

/** Told without searching. */
export const canMatch = defineReadOperation(
  'can-match',
  (shard, { plan, view }: CountInput, context): Promise<boolean> =>
    onSearcher(shard, view, context, (searcher) => searcher.canMatch(plan)),
);

/** What the shard counts of all that scores of the search are computed from. */
export const statisticsPhase = defineReadOperation(
  'statistics-phase',
  (shard, { plan, view }: CountInput, context): Promise<Uint8Array> =>
    onSearcher(shard, view, context, (searcher) => searcher.statistics(plan, context)),
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

/** Scrolls are held where they can be listed: by the owner. */
export const queryPhase = defineReadOperation(
  'query-phase',
  async (shard, input: QueryPhaseInput, context): Promise<QueryPhaseOutput> => {
    const { plan, groups, view, scroll, cache, fetches, slow } = input;
    const startedMs = context.clock.monotonicMs();
    const query = async (searcher: Searcher): Promise<Uint8Array> => {
      const use = { cacheKey: cache?.key };
      const result = await counted(searcher, 'query', () => searcher.queryPhase(plan, use, context));
      const found = (): string => foundByQuery(plan, result);
      queried(shard.key, searcher, { plan, groups, startedMs, slow, found }, context);
      return result;
    };
    if (view !== undefined || !fetches) {
      const result = await onSearcher(shard, view, context, query);
      if (view === undefined) return { result };
      const { keepAliveMs: _, ...held } = view;
      return { searcher: held, result };
    }
    const searcher = shard.searcher();
    try {
      const result = await query(searcher);
      const name = shardName(shard.key);
      if (scroll === undefined) return { searcher: context.searchers.keep(name, searcher), result };
      // What another node sent lies in memory that is used again.
      const page = { plan: plan.slice(), groups, result };
      return { searcher: context.searchers.keepScroll(name, scroll, searcher, page), result };
    } catch (error) {
      searcher.release();
      throw error;
    }
  },
  ({ scroll }) => scroll !== undefined,
);

export interface ScrollPageInput {
  readonly searcher: HeldName;
  /** From now on; undefined: as before. */
  readonly keepAliveMs: number | undefined;
  readonly slow?: SlowSearch;
}

export interface ScrollPageOutput {
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  readonly result: Uint8Array;
}

/** The query phase of a further page of a scroll. */
export const scrollPage = defineHeldViewOperation(
  'scroll-page',
  searcherNamed,
  async (shard, input: ScrollPageInput, context): Promise<ScrollPageOutput> => {
    const startedMs = context.clock.monotonicMs();
    const { searcher, scroll } = context.searchers.touch(shardName(shard.key), input.searcher, input.keepAliveMs);
    if (scroll === undefined) return context.searchers.missing(input.searcher);
    const { plan, groups, cursor } = scroll;
    const result = await counted(searcher, 'query', () => searcher.queryPhase(plan, { cursor }, context));
    scroll.result = result;
    const found = (): string => foundByQuery(plan, result);
    queried(shard.key, searcher, { plan, groups, startedMs, slow: input.slow, found }, context);
    return { plan, groups, result };
  },
);

export interface FetchPhaseInput extends PlanInput {
  readonly groups: readonly string[];
  readonly slow?: SlowSearch;
  readonly searcher: HeldName;
  /** From the reduced query phases; empty: nothing of this shard is shown. */
  readonly fetchList: Uint8Array;
  /** The searcher is held for longer than this search. */
  readonly isKept: boolean;
}

const NOTHING = new Uint8Array(0);

export const fetchPhase = defineHeldViewOperation(
  'fetch-phase',
  searcherNamed,
  async (shard, input: FetchPhaseInput, context): Promise<Uint8Array> => {
    const { plan, fetchList, groups, slow } = input;
    const startedMs = context.clock.monotonicMs();
    try {
      const { searcher, scroll } = context.searchers.get(shardName(shard.key), input.searcher);
      // Before they are fetched: hits that cannot be are lost to their page alone, as in the reference.
      if (scroll !== undefined) scroll.cursor = advanceCursor(scroll.result, scroll.cursor, fetchList);
      const fetch = (): Promise<Uint8Array> | Uint8Array => searcher.fetchPhase(plan, fetchList, context);
      const hits = fetchList.length === 0 ? NOTHING : await counted(searcher, 'fetch', fetch);
      const found = (): string => slow?.found ?? '-1';
      if (fetchList.length > 0) fetched(shard.key, searcher, { plan, groups, startedMs, slow, found }, context);
      return hits;
    } finally {
      if (!input.isKept) context.searchers.release(shardName(shard.key), input.searcher);
    }
  },
);

export interface ReleaseInput {
  readonly searcher: HeldName;
}

/** False when it was not held any more. */
export const releaseSearcher = defineHeldViewOperation(
  'release-searcher',
  searcherNamed,
  (shard, input: ReleaseInput, context): boolean => context.searchers.release(shardName(shard.key), input.searcher),
);
