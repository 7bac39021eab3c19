/** Further pages of a scroll, and its end. */
import { asQuarryError } from '../../../base/error-wire.js';
import { QuarryError } from '../../../base/errors.js';
import { reduceSearch } from '../../../native/searcher.js';
import { withTotalAsInt } from '../../../search/plan/search-plan.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import type { ActionContext } from '../../context.js';
import { broadcast } from '../../indices/broadcast.js';
import type { ScrollPageOutput } from '../../operations/search-shard.js';
import { decodeContextId, type HeldPart } from './context-id.js';
import { ownerOfHeld } from './seal.js';
import { withLookups } from '../hits/lookup-fields.js';
import { fetchAll, type FetchedFrom } from '../shards/query-and-fetch.js';
import { search, type SearchAnswer } from '../search.js';
import { slowSearch, withFound } from '../slow-log.js';
import { checkFailures, type ShardFailure } from '../shards/shard-failures.js';

export interface ScrollRequest {
  readonly scrollId: string;
  /** From now on; undefined: as before. */
  readonly keepAliveMs: number | undefined;
  readonly totalAsInt: boolean;
}

/** Throws `search_phase_execution_exception` with status 404 when none of the shards holds the scroll any more. */
export async function nextPage(request: ScrollRequest, context: ActionContext): Promise<SearchAnswer> {
  const { parts } = decodeContextId(request.scrollId, 'scroll', ownerOfHeld('scroll', context));
  const { scrollId, keepAliveMs } = request;
  if (parts.length === 0) return { shards: { total: 0, failures: [] }, result: undefined, scrollId };
  const pages: (HeldPart & ScrollPageOutput & Pick<FetchedFrom, 'slow'>)[] = [];
  const failures: ShardFailure[] = [];
  const asked = parts.map(async (part) => {
    const { key, place, searcher } = part;
    const index = context.clusterState().indices.get(key.index);
    const slow = index === undefined ? undefined : slowSearch(index, {}, parts.length, context);
    const input = { searcher, keepAliveMs, ...(slow === undefined ? {} : { slow }) };
    const page = await context.shards.onCopy(key, place, 'scroll-page', input);
    const found = withFound(slow, index, page.plan, page.result);
    return { ...part, ...page, ...(found === undefined ? {} : { slow: found }) };
  });
  for (const [at, outcome] of (await Promise.allSettled(asked)).entries()) {
    if (outcome.status === 'fulfilled') pages.push(outcome.value);
    else failures.push(failureOf(parts[at], outcome.reason));
  }
  const counts = { total: parts.length, failures };
  checkFailures(counts, true);
  context.cancellation.throwIfCancelled();
  const [first] = pages;
  if (first === undefined) return { shards: counts, result: undefined, scrollId };
  const reduced = reduceSearch(
    withTotalAsInt(first.plan, request.totalAsInt),
    pages.map(({ result }) => result),
  );
  try {
    const shards = pages.map((page): FetchedFrom => ({ ...page, isKept: true, isScroll: true }));
    const fetchedPage = await fetchAll(shards, reduced, context);
    const shown = { ...counts, failures: [...failures, ...fetchedPage.failures] };
    checkFailures(shown, true, 'fetch');
    context.cancellation.throwIfCancelled();
    const result = await withLookups(reduced.render(fetchedPage.fetched), undefined, search, context);
    return { shards: shown, result, scrollId };
  } finally {
    reduced.release();
  }
}

function failureOf(part: HeldPart | undefined, reason: unknown): ShardFailure {
  const error = asQuarryError(reason);
  const key = part?.key ?? { index: '', indexUuid: '', shard: 0 };
  // A shard that is gone took the scroll with it.
  const isGone = error.type === 'shard_not_found_exception';
  const missing = `No search context found for id [${part?.searcher.id ?? 0}]`;
  return {
    key,
    error: isGone ? new QuarryError('search_context_missing_exception', missing) : error,
    nodeId: part?.place.nodeId,
  };
}

/** How many shards held what the ids name. Nothing is closed when one of them is no id. */
export async function releaseHeld(
  ids: readonly string[],
  kind: 'scroll' | 'pit',
  context: ActionContext,
): Promise<number> {
  const owner = ownerOfHeld(kind, context);
  const parts = ids.flatMap((id) => decodeContextId(id, kind, owner).parts);
  const outcomes = await Promise.allSettled(
    parts.map(({ key, place, searcher }) => context.shards.onCopy(key, place, 'release-searcher', { searcher })),
  );
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
}

/** Of all nodes. */
export async function releaseAllScrolls(context: ActionContext): Promise<number> {
  const { answers } = await broadcast(context, openIndices(context), 'release-scrolls', null);
  return answers.reduce((sum, { output }) => sum + output, 0);
}

export function openIndices(context: ActionContext): readonly IndexMetadata[] {
  return [...context.clusterState().indices.values()].filter(({ state }) => state === 'open');
}
