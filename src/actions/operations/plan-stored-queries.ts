/** Makes plans of queries that documents hold, when these are indexed: what a plan says does not depend on a mapping. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseJson } from '../../base/json.js';
import type { ClusterState } from '../../cluster/state.js';
import type { PlannedQueries } from '../../native/shard.js';
import { Place } from '../../search/body/place.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import { parseQuery } from '../../search/query/parse-query.js';
import type { SearchSettings } from '../../search/settings.js';
import { commonSearchSettings } from '../searches/search-plans.js';

export interface StoredQueryPlans extends PlannedQueries {
  /** Why the first text that is no query is none. */
  readonly error?: unknown;
}

/** `texts` are JSON of objects. Those that are no queries are left out. */
export function planStoredQueries(texts: readonly string[], indexName: string, state: ClusterState): StoredQueryPlans {
  const index = state.indices.get(indexName);
  const settings = commonSearchSettings(state, index === undefined ? [] : [index]);
  const plans: (readonly [string, string])[] = [];
  const errors: unknown[] = [];
  for (const text of texts) {
    try {
      plans.push([text, JSON.stringify(planOf(text, settings))]);
    } catch (error) {
      errors.push(error);
    }
  }
  const [error] = errors;
  return { max_clauses: settings.maxClauseCount, plans, ...(errors.length === 0 ? {} : { error }) };
}

function planOf(text: string, settings: SearchSettings): QueryPlan {
  const bytes = Buffer.from(text, 'utf8');
  const plan = parseQuery(Place.ofBody({ bytes, object: () => parseJson(text) as JsonObject }), settings);
  const lookup = lookupIn(plan);
  if (lookup === undefined) return plan;
  throw illegalArgument(`[${lookup}] cannot take its values from another document inside a percolator query`);
}

/** The name of a query in a plan that needs documents first: nobody would fetch them when the query is percolated. */
function lookupIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (typeof member !== 'object' || member === null) continue;
    if ('lookup' in member || namesDocuments(member)) return name;
    const found = lookupIn(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of `more_like_this`: documents with an id. */
function namesDocuments(member: object): boolean {
  const { like_documents: liked = [], unlike_documents: unliked = [] } = member as {
    readonly like_documents?: readonly { readonly id?: string }[];
    readonly unlike_documents?: readonly { readonly id?: string }[];
  };
  return [...liked, ...unliked].some(({ id }) => id !== undefined);
}
