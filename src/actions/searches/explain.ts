/** Why one document matches a query, or does not. */
import { must } from '../../base/assert.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ExplainedDocument } from '../../native/searcher.js';
import type { QueryCheckPlan } from '../../search/plan/search-plan.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ActionContext } from '../context.js';
import { asSystem } from '../security/authority.js';
import type { CopyPreference } from '../copy-preference.js';
import { documentShard, getDocument } from '../documents/get-documents.js';
import type { SourceSpec } from '../../native/bulk.js';
import { requireFromCopies } from '../read-from-copies.js';
import { fetchLookups } from './hits/fetch-lookups.js';
import { checkPlanForTarget } from './search-plans.js';
import type { SearchTarget } from './shards/search-targets.js';

export interface ExplainRequest {
  readonly plan: QueryCheckPlan;
  readonly settings: SearchSettings;
  /** The one index that was named. */
  readonly target: SearchTarget;
  readonly id: string;
  readonly routing: string | undefined;
  readonly copies: CopyPreference;
  /** What to show of the document; undefined: nothing. */
  readonly shown: { readonly source?: SourceSpec; readonly storedFields?: readonly string[] } | undefined;
}

export interface ExplainAnswer {
  /** Undefined when searches do not see the document. */
  readonly explained: ExplainedDocument | undefined;
  readonly document: JsonObject | undefined;
}

export async function explain(request: ExplainRequest, context: ActionContext): Promise<ExplainAnswer> {
  const { target, id, routing, copies, settings, shown } = request;
  const { name } = target.index;
  const address = {
    index: name,
    id,
    options: { realtime: false, ...shown, ...(routing === undefined ? {} : { routing }) },
  };
  // The index was resolved, perhaps from an alias that alone may be used.
  const resolved = { ...asSystem(context), shards: context.shards };
  const key = documentShard(resolved.clusterState(), address, context.clock.nowMs());
  const wanted = await fetchLookups(request.plan, [name], context);
  const plan = checkPlanForTarget({ ...wanted, id }, target, settings);
  const explained = await requireFromCopies(context, key, copies, 'explain-document', { plan });
  if (explained === null || shown === undefined) return { explained: explained ?? undefined, document: undefined };
  const { result } = await getDocument(address, { refresh: false, copies }, resolved);
  const body = JSON.parse(Buffer.from(must(result.body, 'body')).toString('utf8')) as JsonObject;
  return { explained, document: embedded(body) };
}

/** A document inside another answer, which names index and id itself. */
function embedded(body: JsonObject): JsonObject {
  const own = new Set(['_index', '_id', '_version']);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !own.has(name)));
}
