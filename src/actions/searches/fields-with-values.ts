/** Which fields some document of an index has a value of. */
import type { IndexMetadata } from '../../cluster/state.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import { nestedAround } from '../../mapping/walk.js';
import { limitsPlan } from '../../search/request/parse-search-request.js';
import type { ActionContext } from '../context.js';
import { ADAPTIVE } from '../copy-preference.js';
import { commonSearchSettings } from './search-plans.js';
import { search } from './search.js';

/** Counted by one search. */
const FIELDS_AT_ONCE = 500;

export async function fieldsWithValues(
  index: IndexMetadata,
  fields: readonly string[],
  context: ActionContext,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < fields.length; at += FIELDS_AT_ONCE) {
    const some = fields.slice(at, at + FIELDS_AT_ONCE);
    const counts = await countDocuments(index, some, context);
    for (const [place, field] of some.entries()) if ((counts[place] ?? 0) > 0) found.add(field);
  }
  return found;
}

/** Nested objects are documents of their own. */
function hasValue({ mapping }: IndexMetadata, field: string): QueryPlan {
  const path = nestedAround(mapping, field);
  const query: QueryPlan = { exists: { field } };
  return path === undefined ? query : { nested: { path, query } };
}

/** Of each field, how many documents have a value. */
async function countDocuments(
  index: IndexMetadata,
  fields: readonly string[],
  context: ActionContext,
): Promise<readonly number[]> {
  const settings = commonSearchSettings(context.clusterState(), [index]);
  const plan: SearchPlan = {
    query: { match_all: {} },
    from: 0,
    size: 0,
    track_total_hits: 'disabled',
    now_ms: context.clock.nowMs(),
    limits: limitsPlan(settings),
    aggregations: fields.map((field, at) => ({ name: String(at), kind: { filter: hasValue(index, field) }, aggs: [] })),
    fetch: { source: { enabled: false } },
  };
  const shards = Array.from({ length: index.numberOfShards }, (_, shard) => shard);
  const targets = [{ index, shards, filters: [] }];
  const { result } = await search({ plan, settings, targets, copies: ADAPTIVE, allowPartial: false }, context);
  const text = Buffer.from(result?.aggregations ?? []).toString('utf8');
  const buckets = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, { readonly doc_count: number }>>;
  return fields.map((_, at) => buckets[String(at)]?.doc_count ?? 0);
}
