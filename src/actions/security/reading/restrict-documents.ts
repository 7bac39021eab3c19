/** A plan as it is put to an index of which not every document may be read. */
import type { AggregationPlan } from '../../../search/aggs/aggregation-plan.js';
import { mapKnn } from '../../../search/plan/knn-plans.js';
import type { QueryPlan } from '../../../search/plan/query-plan.js';
import type { SearchPlan } from '../../../search/plan/search-plan.js';
import { SENT_ALONG } from './plan-members.js';
import { refusedToReader } from './refusal.js';
import { refuseScripts } from './refuse-scripts.js';

/** Any kind of plan that has a query. */
export interface QueryHolder {
  readonly query: QueryPlan;
}

/** With the documents as a filter. Throws `security_exception` for what would tell of other documents. */
export function withDocuments<Plan extends QueryHolder & Partial<SearchPlan>>(plan: Plan, documents: QueryPlan): Plan {
  if (plan.profile === true) {
    throw refusedToReader('A search request cannot be profiled if document level security is enabled');
  }
  const among = withinJoins(plan, documents);
  const { query, aggregations, alias_filter: aliasFilter } = among;
  return {
    ...among,
    query: filtered(query, documents),
    ...(aggregations === undefined ? {} : { aggregations: aggregations.map((each) => restricted(each, documents)) }),
    // What the documents of a `global` aggregation pass.
    ...(aggregations === undefined
      ? {}
      : { alias_filter: aliasFilter === undefined ? documents : filtered(aliasFilter, documents) }),
  };
}

/** The plan with everything in it that looks for other documents than its query finds looking among these. */
export function withinJoins<Plan extends QueryHolder>(plan: Plan, documents: QueryPlan): Plan {
  refuseScripts(plan);
  const joined = mapJoins(plan, documents) as Plan;
  return mapKnn(joined, (knn) => ({ ...knn, alias_filter: [...(knn.alias_filter ?? []), documents] }));
}

export function filtered(query: QueryPlan, documents: QueryPlan): QueryPlan {
  return { bool: { must: [query], filter: [documents] } };
}

const JOINS: ReadonlySet<string> = new Set(['has_child', 'has_parent']);

function mapJoins(value: unknown, documents: QueryPlan): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return typeof value[0] === 'object' ? value.map((each) => mapJoins(each, documents)) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (SENT_ALONG.has(name)) return [name, member];
      const mapped = mapJoins(member, documents);
      return [name, JOINS.has(name) && isQueryHolder(mapped) ? joinAmong(mapped, documents) : mapped];
    }),
  );
}

function isQueryHolder(value: unknown): value is QueryHolder {
  return typeof value === 'object' && value !== null && 'query' in value;
}

function joinAmong(join: QueryHolder, documents: QueryPlan): QueryHolder {
  return { ...join, query: filtered(join.query, documents) };
}

interface TermsLike {
  readonly min_doc_count?: number;
  readonly background?: QueryPlan | null;
}

function restricted(aggregation: AggregationPlan, documents: QueryPlan): AggregationPlan {
  const kind = Object.entries(aggregation.kind).map(([name, body]) => [
    name,
    kindAmong(name, body as object, documents),
  ]);
  return {
    ...aggregation,
    kind: Object.fromEntries(kind) as object,
    aggs: aggregation.aggs.map((each) => restricted(each, documents)),
  };
}

/** Most kinds look at the documents that they are given; these also look at others. */
function kindAmong(name: string, body: object, documents: QueryPlan): object {
  switch (name) {
    case 'children':
    case 'parent':
      throw refusedToReader(`the aggregation [${name}] isn't supported if document level security is enabled`);
    case 'terms':
    case 'multi_terms':
      if ((body as TermsLike).min_doc_count === 0) {
        const reason = `[min_doc_count] of [${name}] cannot be [0] if document level security is enabled`;
        throw refusedToReader(reason);
      }
      return body;
    case 'significant_terms':
      return { ...body, background: amongBackground(body, documents) };
    case 'significant_text': {
      const { terms } = body as { readonly terms: TermsLike };
      return { ...body, terms: { ...terms, background: amongBackground(terms, documents) } };
    }
    default:
      return body;
  }
}

function amongBackground({ background }: TermsLike, documents: QueryPlan): QueryPlan {
  return background === undefined || background === null ? documents : filtered(background, documents);
}
