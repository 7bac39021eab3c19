/**
 * Makes plans of queries that documents hold, when these are indexed: what a plan says does not depend on a mapping. Values that
 * a query takes from other documents are fetched here, before the operation has a number: the plan has them, and goes with it
 * into the translog and to every copy.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseJson } from '../../base/json.js';
import type { PlannedText, UnplannedTexts } from '../../native/planned-queries.js';
import type { NativeShard } from '../../native/shard.js';
import { Place } from '../../search/body/place.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import { parseQuery } from '../../search/query/parse-query.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ReadContext } from '../read-from-copies.js';
import { fetchLookups, needsDocuments } from '../searches/hits/fetch-lookups.js';
import { commonSearchSettings } from '../searches/search-plans.js';

/** Characters of fetched plans after which the shard goes on with those that there are. */
const FETCHED_CHARS_MAX = 16 * 1024 * 1024;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** Whose fetched plans a shard has. */
const HOLDERS = new WeakMap<NativeShard, QueryPlanner>();

/** The plans of one batch of a shard. */
export class QueryPlanner {
  readonly #shard: NativeShard;
  readonly #index: string;
  readonly #context: ReadContext;
  /** Texts of the batch that get no plan before their document is at hand. */
  readonly #waiting = new Set<string>();

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
   * Gives the shard the plans of these texts: of the document at hand, and of later ones such as take nothing from other
   * documents, which the batch may write before.
   *
   * Throws why the first text of the document at hand that has no plan has none; the plans before it are given.
   */
  async plan(texts: UnplannedTexts): Promise<void> {
    const made = new MadePlans(this.#settings());
    try {
      await this.#planAtHand(texts.at_hand, made);
      this.#planAhead(texts.later, made);
    } finally {
      this.#give(made);
    }
  }

  async #planAtHand(texts: readonly string[], made: MadePlans): Promise<void> {
    let fetchedChars = 0;
    for (const text of texts) {
      if (fetchedChars > FETCHED_CHARS_MAX) break;
      this.#context.cancellation.throwIfCancelled();
      try {
        const written = planOf(text, made.settings);
        const plan = await fetchLookups(written, [this.#index], this.#context);
        const json = JSON.stringify(plan);
        (plan === written ? made.plans : made.fetched).push([text, json]);
        if (plan !== written) fetchedChars += json.length;
      } catch (error) {
        throw refusalOf(error);
      }
    }
  }

  /** What is wrong with a text is told when its document is at hand. */
  #planAhead(texts: readonly string[], made: MadePlans): void {
    for (const text of texts) {
      if (this.#waiting.has(text)) continue;
      const plan = planAhead(text, made.settings);
      if (plan === undefined) this.#waiting.add(text);
      else made.plans.push([text, plan]);
    }
  }

  #give({ settings, plans, fetched }: MadePlans): void {
    if (fetched.length > 0) {
      forgetFetchedOfOthers(this.#shard, this);
      HOLDERS.set(this.#shard, this);
    }
    this.#shard.addQueryPlans({ max_clauses: settings.maxClauseCount, plans, fetched });
  }

  #settings(): SearchSettings {
    const state = this.#context.clusterState();
    const index = state.indices.get(this.#index);
    return commonSearchSettings(state, index === undefined ? [] : [index]);
  }
}

class MadePlans {
  readonly settings: SearchSettings;
  readonly plans: PlannedText[] = [];
  readonly fetched: PlannedText[] = [];

  constructor(settings: SearchSettings) {
    this.settings = settings;
  }
}

/** What passes is no fault of the document, which may come again; all else is. */
function refusalOf(thrown: unknown): QuarryError {
  const error = asQuarryError(thrown);
  if (passes(error)) return error;
  return new QuarryError('mapper_parsing_exception', 'failed to parse', { cause: error });
}

function passes({ type, status }: QuarryError): boolean {
  // A shape that a document lacks is told as an illegal state.
  if (type === 'illegal_state_exception') return false;
  return type === 'task_cancelled_exception' || status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
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

/** JSON; `undefined` where the text is no query, or takes values from other documents. */
function planAhead(text: string, settings: SearchSettings): string | undefined {
  try {
    const plan = planOf(text, settings);
    return needsDocuments(plan) ? undefined : JSON.stringify(plan);
  } catch {
    return undefined;
  }
}
