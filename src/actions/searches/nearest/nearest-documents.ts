/**
 * `knn` of a search: before its query each shard is searched for the nearest vectors. The `k` nearest of all shards become
 * clauses of the query of the shard that they are in, by their ids and sequence numbers: views may change in between.
 */
import { begunInTurns } from '../../../base/turn-of-loop.js';
import type { FoundDocumentPlan, FoundPlan, KnnSectionPlan } from '../../../search/plan/knn-plans.js';
import type { QueryPlan } from '../../../search/plan/query-plan.js';
import type { SearchPlan } from '../../../search/plan/search-plan.js';
import type { SearchResult } from '../../../native/searcher.js';
import type { ActionContext } from '../../context.js';
import { CopyFailure } from '../../read-from-copies.js';
import { shardName, type ShardKey } from '../../shard-client.js';
import { profilesOf, withNearestProfiles, type ShardProfile } from './nearest-profiles.js';
import { plannedShards } from '../shards/planned-shards.js';
import { failureOf } from '../shards/query-and-fetch.js';
import { searchShard } from '../shards/search-one-shard.js';
import { withSlowLog } from '../slow-log.js';
import type { SearchRequest } from '../search.js';
import type { ShardFailure } from '../shards/shard-failures.js';

/** What was found, by shard. */
export class NearestDocuments {
  readonly failures: readonly ShardFailure[];
  readonly #clauses: ReadonlyMap<string, readonly QueryPlan[]>;
  readonly #profiles: readonly ShardProfile[];

  constructor(
    clauses: ReadonlyMap<string, readonly QueryPlan[]>,
    failures: readonly ShardFailure[],
    profiles: readonly ShardProfile[],
  ) {
    this.#clauses = clauses;
    this.failures = failures;
    this.#profiles = profiles;
  }

  /** The `profile` of the search with what was done for it before. */
  withProfile(result: SearchResult): SearchResult {
    if (result.profile === undefined) return result;
    return { ...result, profile: withNearestProfiles(result.profile, this.#profiles) };
  }

  /** The search as one shard gets it: what its query matches, and what was found there. */
  planFor(plan: SearchPlan, key: ShardKey): SearchPlan {
    const clauses = this.#clauses.get(shardName(key)) ?? [];
    const own = 'match_none' in plan.query ? [] : [plan.query];
    const [only, ...others] = [...own, ...clauses];
    if (only === undefined) return { ...plan, query: { match_none: {} } };
    return others.length === 0 ? { ...plan, query: only } : { ...plan, query: { bool: { should: [only, ...others] } } };
  }

  /** Whether the shard failed, so that it is not asked again. */
  hasFailed(key: ShardKey): boolean {
    return this.failures.some((failure) => shardName(failure.key) === shardName(key));
  }
}

/** A document with its place among those of all shards. */
interface Found extends FoundDocumentPlan {
  readonly shard: string;
}

/** Undefined where the search has no `knn`. */
export async function nearestDocuments(
  request: SearchRequest,
  context: ActionContext,
): Promise<NearestDocuments | undefined> {
  const { knn = [] } = request.plan;
  if (knn.length === 0) return undefined;
  const failures = new Map<string, ShardFailure>();
  const clauses = new Map<string, QueryPlan[]>();
  const profiles: ShardProfile[] = [];
  const answered = new Set<string>();
  const searched = await Promise.all(
    knn.map((section) => searchSection(section, request, { failures, profiles, answered }, context)),
  );
  context.cancellation.throwIfCancelled();
  for (const [at, found] of searched.entries()) {
    const { name, ...section } = knn[at] ?? {};
    const shown = shownOf(section);
    // Also where nothing was found: what cannot be shown is refused by every shard.
    const everywhere = shown.shown === undefined ? [] : [...answered];
    for (const [shard, documents] of byShard(found, everywhere)) {
      const query: QueryPlan = { found: { documents, ...shown } };
      const own = clauses.get(shard) ?? [];
      own.push(name === undefined ? query : { named: { name, query } });
      clauses.set(shard, own);
    }
  }
  return new NearestDocuments(clauses, [...failures.values()], profiles);
}

/** What the searches of all sections tell beside what they found. */
interface Told {
  /** By shard. */
  readonly failures: Map<string, ShardFailure>;
  readonly profiles: ShardProfile[];
  /** Shards that are no failures. */
  readonly answered: Set<string>;
}

/** What hits show of their nested documents. */
function shownOf({ inner_hits: shown, ...knn }: Partial<Omit<KnnSectionPlan, 'name'>>): Pick<FoundPlan, 'shown'> {
  const { field, query_vector } = knn;
  if (shown === undefined || field === undefined || query_vector === undefined) return {};
  return { shown: { query: { knn: { ...knn, field, query_vector } }, inner_hits: shown } };
}

/** The nearest of all shards, those of equal scores in the order of the shards. */
async function searchSection(
  { name: _name, inner_hits: _shown, ...knn }: KnnSectionPlan,
  request: SearchRequest,
  { failures, profiles, answered }: Told,
  context: ActionContext,
): Promise<readonly Found[]> {
  const { slice: _slice, scroll: _scroll, expand: _expand, progress: _progress, ...whole } = request;
  const planned = plannedShards({ ...whole, plan: phasePlan({ knn }, knn.k, request.plan) }, new Map());
  const shards = withSlowLog(planned.shards, request, planned.shards.length + planned.skipped, context);
  const asked = await begunInTurns(shards, context.loop, async (shard): Promise<readonly Found[]> => {
    const answer = await searchShard(shard, request.copies, context);
    const id = shardName(shard.key);
    if (!(answer instanceof CopyFailure)) {
      answered.add(id);
      profiles.push(...profilesOf(answer.output.profile));
      return hitsOf(answer.output.hits, id);
    }
    failures.set(id, failureOf(shard.key, answer));
    return [];
  });
  const found = await Promise.all(asked);
  return found
    .flat()
    .sort((left, right) => right.score - left.score)
    .slice(0, knn.k);
}

/** A search for ids and numbers of the best hits alone. */
function phasePlan(query: QueryPlan, size: number, { now_ms, limits, runtime, profile }: SearchPlan): SearchPlan {
  return {
    query,
    from: 0,
    size,
    track_total_hits: 'disabled',
    now_ms,
    limits,
    ...(runtime === undefined ? {} : { runtime }),
    ...(profile === undefined ? {} : { profile }),
    fetch: { source: { enabled: false }, seq_no_primary_term: true },
  };
}

interface RenderedHits {
  readonly hits: readonly { readonly _id: string; readonly _seq_no: number; readonly _score: number }[];
}

function hitsOf(rendered: Uint8Array, shard: string): readonly Found[] {
  const { hits } = JSON.parse(Buffer.from(rendered).toString('utf8')) as RenderedHits;
  return hits.map(({ _id: id, _seq_no: seqNo, _score: score }) => ({ id, seq_no: seqNo, score, shard }));
}

/** With those of `everywhere` in which nothing was found. */
function byShard(
  found: readonly Found[],
  everywhere: readonly string[],
): ReadonlyMap<string, readonly FoundDocumentPlan[]> {
  const shards = new Map<string, FoundDocumentPlan[]>(everywhere.map((shard) => [shard, []]));
  for (const { shard, ...document } of found) {
    const own = shards.get(shard) ?? [];
    own.push(document);
    shards.set(shard, own);
  }
  return shards;
}
