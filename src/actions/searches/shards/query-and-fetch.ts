/** The two phases of a search over several shards. */
import { must } from '../../../base/assert.js';
import { asQuarryError } from '../../../base/error-wire.js';
import { QuarryError, type ErrorType } from '../../../base/errors.js';
import { begunInTurns } from '../../../base/turn-of-loop.js';
import type { ReducedSearch } from '../../../native/searcher.js';
import { isConnectionFailure } from '../../../transport/protocol.js';
import type { ActionContext } from '../../context.js';
import type { CopyPreference } from '../../copy-preference.js';
import type { QueryPhaseOutput } from '../../operations/search-shard.js';
import type { SlowSearch } from '../../operations/search-times.js';
import { CopyFailure, readFromCopies, type CopyAnswer } from '../../read-from-copies.js';
import type { CopyPlace, ShardKey } from '../../shard-client.js';
import type { HeldView } from '../../operations/search-shard.js';
import type { HeldName } from '../contexts/open-searchers.js';
import { withFound } from '../slow-log.js';
import type { BatchedReduce } from './batched-reduce.js';
import type { PlannedShard } from './planned-shards.js';
import type { SearchRequest } from '../search.js';
import type { ShardFailure } from './shard-failures.js';

/** Its result was merged already. */
export interface QueriedShard extends PlannedShard, Pick<QueryPhaseOutput, 'searcher'> {
  /** The copy that holds the searcher. */
  readonly place: CopyPlace;
  /** The searcher is held for longer than this search. */
  readonly isKept: boolean;
}

export interface Queried {
  readonly queried: readonly QueriedShard[];
  readonly failures: readonly ShardFailure[];
}

/** `reduce` is given what the shards answer. */
export async function queryAll(
  shards: readonly PlannedShard[],
  { copies, progress }: Pick<SearchRequest, 'copies' | 'progress'>,
  reduce: Pick<BatchedReduce, 'take'>,
  context: ActionContext,
): Promise<Queried> {
  const asked = await begunInTurns(shards, context.loop, async (shard, at): Promise<CopyOutcome> => {
    const outcome = await queryOne(shard, copies, context);
    if (outcome instanceof CopyFailure) {
      progress?.failed(failureOf(shard.key, outcome));
      reduce.take(at, undefined);
      return outcome;
    }
    const { result, ...held } = outcome.output;
    progress?.answered(result);
    reduce.take(at, result);
    const slow = withFound(shard.slow, shard.target.index, shard.plan, result);
    return { place: outcome.place, output: { ...held, ...(slow === undefined ? {} : { slow }) } };
  });
  const outcomes = await Promise.all(asked);
  const queried: QueriedShard[] = [];
  const failures: ShardFailure[] = [];
  for (const [at, shard] of shards.entries()) {
    const outcome = outcomes[at];
    if (outcome instanceof CopyFailure) failures.push(failureOf(shard.key, outcome));
    else if (outcome !== undefined) {
      const isKept = shard.held !== undefined || shard.scroll !== undefined;
      queried.push({ ...shard, ...outcome.output, place: outcome.place, isKept });
    }
  }
  return { queried, failures };
}

type CopyOutcome = CopyAnswer<Pick<QueryPhaseOutput, 'searcher'> & Pick<PlannedShard, 'slow'>> | CopyFailure;

async function queryOne(
  { key, plan, groups, slow, fetches, cache, held, scroll }: PlannedShard,
  copies: CopyPreference,
  context: ActionContext,
): Promise<CopyAnswer<QueryPhaseOutput> | CopyFailure> {
  const input = {
    ...{ plan, groups, fetches },
    ...(slow === undefined ? {} : { slow }),
    ...(scroll === undefined ? {} : { scroll }),
    ...(cache === undefined ? {} : { cache }),
  };
  if (held === undefined) return readFromCopies(context, key, copies, 'query-phase', input);
  const { place } = held;
  try {
    return { place, output: await context.shards.onCopy(key, place, 'query-phase', { ...input, view: viewOf(held) }) };
  } catch (error) {
    return new CopyFailure(asQuarryError(error), place.nodeId);
  }
}

/** As a shard operation names the view that a search holds. */
export function viewOf({ searcher, keepAliveMs }: NonNullable<PlannedShard['held']>): HeldView {
  return { ...searcher, ...(keepAliveMs === undefined ? {} : { keepAliveMs }) };
}

export function failureOf(key: ShardKey, { error, nodeId }: CopyFailure): ShardFailure {
  return { key, error, nodeId };
}

export interface FetchedFrom {
  readonly key: ShardKey;
  readonly place: CopyPlace;
  /** Absent where nothing will be shown. */
  readonly searcher?: QueryPhaseOutput['searcher'];
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  readonly slow?: SlowSearch;
  readonly isKept: boolean;
  /** Scrolls hear of every page, also of one that shows nothing of them. */
  readonly isScroll: boolean;
}

const NOTHING = new Uint8Array(0);

export interface FetchedPage {
  /** For `ReducedSearch.render`; nothing of shards that failed. */
  readonly fetched: readonly Uint8Array[];
  readonly failures: readonly ShardFailure[];
}

/**
 * Of every shard its documents on the page; a shard without any only lets go of its searcher. A search may begin again where
 * `lossOf` the page says so. Throws what is wrong with the request: the references find that before they search, on all shards.
 */
export async function fetchAll(
  queried: readonly FetchedFrom[],
  reduced: ReducedSearch,
  context: ActionContext,
): Promise<FetchedPage> {
  const asked = await begunInTurns(queried, context.loop, async (shard, at): Promise<Uint8Array> => {
    const fetchList = reduced.fetchList(at);
    const { searcher } = shard;
    if (searcher === undefined) return NOTHING;
    if (fetchList.length > 0 || shard.isScroll) return fetchFrom({ ...shard, searcher }, fetchList, context);
    letGo([shard], context);
    return NOTHING;
  });
  const outcomes = await Promise.allSettled(asked);
  const fetched: Uint8Array[] = [];
  const failures: ShardFailure[] = [];
  for (const [at, shard] of queried.entries()) {
    const outcome = must(outcomes[at], 'the outcome of a shard');
    fetched.push(outcome.status === 'fulfilled' ? outcome.value : NOTHING);
    if (outcome.status === 'fulfilled') continue;
    const error = asQuarryError(outcome.reason);
    if (isOfRequest(error)) throw error;
    letGo([shard], context);
    failures.push({ key: shard.key, error, nodeId: shard.place.nodeId });
  }
  return { fetched, failures };
}

function fetchFrom(
  shard: FetchedFrom & { readonly searcher: HeldName },
  fetchList: Uint8Array,
  context: ActionContext,
): Promise<Uint8Array> {
  const { key, place, plan, groups, slow, searcher, isKept } = shard;
  const input = { searcher, plan, groups, fetchList, isKept, ...(slow === undefined ? {} : { slow }) };
  return context.shards.onCopy(key, place, 'fetch-phase', input);
}

/** Nothing waits for it: a searcher that cannot be told expires. A search that was cancelled lets go of its searchers all the same. */
export function letGo(shards: readonly Omit<FetchedFrom, 'isScroll'>[], context: ActionContext): void {
  const lasting = context.tasks.detached().shards;
  for (const { key, place, searcher, isKept } of shards) {
    if (!isKept && searcher !== undefined)
      lasting.onCopy(key, place, 'release-searcher', { searcher }).catch(() => undefined);
  }
}

const LOSSES: ReadonlySet<ErrorType> = new Set([
  'no_shard_available_action_exception',
  'search_context_missing_exception',
  'shard_not_found_exception',
]);

/** What another shard would say as well, had it any hits to show; unlike what is gone or has too much to do. */
function isOfRequest({ status }: QuarryError): boolean {
  return status >= 400 && status < 500 && status !== 404 && status !== 429;
}

/** Of a copy that no longer has the view that was queried. */
export function lossOf({ failures }: FetchedPage): QuarryError | undefined {
  return failures.find(({ error }) => isConnectionFailure(error) || LOSSES.has(error.type))?.error;
}
