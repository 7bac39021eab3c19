/**
 * Makes plans of queries that documents hold, when these are indexed: what a plan says does not depend on a mapping. Values that
 * a query takes from other documents are fetched here, before the operation has a number: the plan has them, and goes with it
 * into the translog and to every copy.
 */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseJson } from '../../base/json.js';
import type { PlannedQueries, PlannedText } from '../../native/planned-queries.js';
import type { NativeShard } from '../../native/shard.js';
import { Place } from '../../search/body/place.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import { parseQuery } from '../../search/query/parse-query.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ReadContext } from '../read-from-copies.js';
import { fetchLookups } from '../searches/fetch-lookups.js';
import { commonSearchSettings } from '../searches/search-plans.js';

/** Characters of fetched plans after which the shard goes on with those that there are. */
const FETCHED_CHARS_MAX = 16 * 1024 * 1024;

/** Whose fetched plans a shard has. */
const HOLDERS = new WeakMap<NativeShard, QueryPlanner>();

/** The plans of one batch of a shard. */
export class QueryPlanner {
  readonly #shard: NativeShard;
  readonly #index: string;
  readonly #context: ReadContext;

  constructor(shard: NativeShard, index: string, context: ReadContext) {
    this.#shard = shard;
    this.#index = index;
    this.#context = context;
  }

  /** After the last call. */
  end(): void {
    if (HOLDERS.get(this.#shard) === this) forgetFetched(this.#shard);
  }

  /**
   * Gives the shard the plans of these texts, JSON of objects; those of the first fit in any case.
   *
   * Throws why the first text that has no plan has none, after all others.
   */
  async plan(texts: readonly string[]): Promise<void> {
    const made = await this.#plansOf(texts);
    if (made.planned.fetched.length > 0) {
      forgetFetchedOfOthers(this.#shard, this);
      HOLDERS.set(this.#shard, this);
    }
    this.#shard.addQueryPlans(made.planned);
    if (made.errors.length === 0) return;
    throw new QuarryError('mapper_parsing_exception', 'failed to parse', { cause: made.errors[0] });
  }

  async #plansOf(texts: readonly string[]): Promise<{ readonly planned: PlannedQueries; readonly errors: unknown[] }> {
    const state = this.#context.clusterState();
    const index = state.indices.get(this.#index);
    const settings = commonSearchSettings(state, index === undefined ? [] : [index]);
    const plans: PlannedText[] = [];
    const fetched: PlannedText[] = [];
    const errors: unknown[] = [];
    let fetchedChars = 0;
    for (const text of texts) {
      if (fetchedChars > FETCHED_CHARS_MAX) break;
      try {
        const written = planOf(text, settings);
        const plan = await fetchLookups(written, [this.#index], this.#context);
        const json = JSON.stringify(plan);
        (plan === written ? plans : fetched).push([text, json]);
        if (plan !== written) fetchedChars += json.length;
      } catch (error) {
        errors.push(error);
      }
    }
    return { planned: { max_clauses: settings.maxClauseCount, plans, fetched }, errors };
  }
}

/** Before each call of a batch: values that were fetched for another one may be too old for it. */
export function forgetFetchedOfOthers(shard: NativeShard, planner: QueryPlanner | undefined): void {
  if (HOLDERS.get(shard) !== planner) forgetFetched(shard);
}

function forgetFetched(shard: NativeShard): void {
  if (HOLDERS.delete(shard)) shard.forgetFetchedPlans();
}

function planOf(text: string, settings: SearchSettings): QueryPlan {
  const bytes = Buffer.from(text, 'utf8');
  return parseQuery(Place.ofBody({ bytes, object: () => parseJson(text) as JsonObject }), settings);
}
