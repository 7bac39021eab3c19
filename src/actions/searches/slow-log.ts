/** What slow logs tell of a search beyond what a shard knows of it. Only shards of indices that have slow logs are told. */
import { includesUser, slowFromMs } from '../../cluster/settings/slow-log-settings.js';
import { slowLogUser, type SlowLogUser } from '../../cluster/security/slow-log-user.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { reduceSearch } from '../../native/searcher.js';
import { encodePlan, type SearchPlan } from '../../search/plan/search-plan.js';
import type { ActionContext } from '../context.js';
import type { SlowSearch } from '../operations/search-times.js';
import type { PlannedShard } from './shards/planned-shards.js';
import type { SearchRequest } from './search.js';

/** Of the body of a search, in characters: each shard is sent it. */
const SOURCE_LENGTH_MAX = 4_000;

type Logged = Pick<IndexMetadata, 'settings'>;

export function hasSlowLog({ settings }: Logged): boolean {
  return slowFromMs(settings, 'query') !== undefined || slowFromMs(settings, 'fetch') !== undefined;
}

/** Of a search of these indices; undefined: none of them asks for it. */
export function loggedSource(indices: readonly Logged[], body: () => unknown): string | undefined {
  if (!indices.some(hasSlowLog)) return undefined;
  return JSON.stringify(body() ?? {}).slice(0, SOURCE_LENGTH_MAX);
}

/** `shards`: all that the search is about. */
export function withSlowLog(
  planned: readonly PlannedShard[],
  request: Pick<SearchRequest, 'scoredAlike' | 'source'>,
  shards: number,
  context: ActionContext,
): readonly PlannedShard[] {
  if (!planned.some(({ target }) => hasSlowLog(target.index))) return planned;
  return planned.map((shard) => {
    const slow = slowSearch(shard.target.index, request, shards, context);
    return slow === undefined ? shard : { ...shard, slow };
  });
}

export function slowSearch(
  index: Logged,
  { scoredAlike = false, source }: Pick<SearchRequest, 'scoredAlike' | 'source'>,
  shards: number,
  { tasks, subject }: ActionContext,
): SlowSearch | undefined {
  if (!hasSlowLog(index)) return undefined;
  const user: SlowLogUser | undefined =
    subject !== undefined && includesUser(index.settings, 'search') ? slowLogUser(subject) : undefined;
  return {
    opaqueId: tasks.opaqueId,
    shards,
    searchType: scoredAlike ? 'DFS_QUERY_THEN_FETCH' : 'QUERY_THEN_FETCH',
    ...(source === undefined ? {} : { source }),
    ...(user === undefined ? {} : { user }),
  };
}

/** For the fetch phase of a shard, whose log tells what its query phase has found. */
export function withFound(
  slow: SlowSearch | undefined,
  index: Logged | undefined,
  plan: Uint8Array,
  result: Uint8Array,
): SlowSearch | undefined {
  if (slow === undefined || index === undefined || slowFromMs(index.settings, 'fetch') === undefined) return slow;
  try {
    return { ...slow, found: foundByQuery(plan, result) };
  } catch {
    // For want of memory: no search fails for what its log would say.
    return slow;
  }
}

/** How many hits a shard has in this answer of its query phase. */
export function foundByQuery(plan: Uint8Array, result: Uint8Array): string {
  const { aggregations: _, ...whole } = JSON.parse(Buffer.from(plan).toString('utf8')) as SearchPlan;
  const withoutHits = { ...whole, from: 0, size: 0, fetch: { ...whole.fetch, total_hits_as_int: false } };
  return foundInHits(reduceSearch(encodePlan(withoutHits), [result]).render([NOTHING]).hits);
}

/** By the `hits` of an answer, which begin with it. */
export function foundInHits(hits: Uint8Array): string {
  const beginning = Buffer.from(hits.subarray(0, TOTAL_LENGTH_MAX)).toString('latin1');
  const { value, relation, plain } = TOTAL.exec(beginning)?.groups ?? {};
  const count = value ?? plain;
  return count === undefined || count === '-1' ? '-1' : `${count}${relation === 'gte' ? '+' : ''} hits`;
}

const TOTAL = /^\{"total":(?:\{"value":(?<value>\d+),"relation":"(?<relation>\w+)"\}|(?<plain>-?\d+))/;
/** Of the longest number that may be there, and what is around it. */
const TOTAL_LENGTH_MAX = 80;
const NOTHING = new Uint8Array(0);
