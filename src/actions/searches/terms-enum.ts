/** The first terms of a field that begin with a text, in their order. */
import { Place } from '../../search/body/place.js';
import type { FieldType, Mapping } from '../../mapping/types.js';
import { fieldsOf } from '../../mapping/walk.js';
import { parseAggregations } from '../../search/aggs/parse-aggregations.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import { limitsPlan } from '../../search/request/parse-search-request.js';
import type { SearchSettings } from '../../search/settings.js';
import type { ActionContext } from '../context.js';
import { ADAPTIVE } from '../copy-preference.js';
import { filteredTargets } from './index-filter.js';
import { commonSearchSettings } from './search-plans.js';
import type { SearchTarget } from './shards/search-targets.js';
import { search } from './search.js';
import type { ShardCounts } from './shards/shard-failures.js';

export interface TermsEnumRequest {
  readonly targets: readonly SearchTarget[];
  readonly field: string;
  /** What the terms begin with. */
  readonly text: string;
  readonly caseInsensitive: boolean;
  readonly size: number;
  /** Terms behind this one. */
  readonly after: string | undefined;
  readonly filter: Place | undefined;
  readonly timeoutMs: number;
}

export interface TermsEnumAnswer {
  readonly terms: readonly string[];
  /** False: the time was over before all were found. */
  readonly isComplete: boolean;
  readonly shards: ShardCounts;
}

/** Types whose terms are their values; of any other there are none to tell. */
const TYPES: ReadonlySet<FieldType> = new Set(['constant_keyword', 'keyword', 'version']);
/** Types whose keys have terms. */
const KEYED_TYPES: ReadonlySet<FieldType> = new Set(['flat_object', 'flattened']);
/** Terms that are looked at by one search. */
const PAGE = 1_000;

export async function termsEnum(request: TermsEnumRequest, context: ActionContext): Promise<TermsEnumAnswer> {
  const { field, filter, size, timeoutMs } = request;
  const startedMs = context.clock.monotonicMs();
  const fitting = request.targets.filter(({ index }) => typeWithTerms(index.mapping, field) !== undefined);
  const inOrder = fitting.every(({ index }) => typeWithTerms(index.mapping, field) !== 'version');
  const targets = filter === undefined ? fitting : await filteredTargets(fitting, filter, ADAPTIVE, context);
  const settings = commonSearchSettings(
    context.clusterState(),
    targets.map(({ index }) => index),
  );
  const total = request.targets.reduce((sum, { shards }) => sum + shards.length, 0);
  const terms: string[] = [];
  for (let after = request.after; ;) {
    const plan = pagePlan(request, after, settings, context.clock.nowMs());
    const page = await pageOf({ plan, settings, targets, copies: ADAPTIVE, allowPartial: true }, context);
    const shards = { total, failures: page.failures };
    terms.push(...page.terms.filter((term) => begins(term, request)));
    const last = page.terms.at(-1);
    const isOver = last === undefined || page.terms.length < PAGE || (inOrder && isBehind(last, request));
    if (isOver || terms.length >= size) return { terms: terms.slice(0, size), isComplete: true, shards };
    if (context.clock.monotonicMs() - startedMs >= timeoutMs) return { terms, isComplete: false, shards };
    after = last;
  }
}

/** The type of the field, or of the one that it is a key of. */
function typeWithTerms(mapping: Mapping, name: string): FieldType | undefined {
  for (const { path, field } of fieldsOf(mapping)) {
    if (path === name && TYPES.has(field.type)) return field.type;
    if (KEYED_TYPES.has(field.type) && name.startsWith(`${path}.`)) return field.type;
  }
  return undefined;
}

type Page = { readonly terms: readonly string[]; readonly failures: ShardCounts['failures'] };

async function pageOf(request: Parameters<typeof search>[0], context: ActionContext): Promise<Page> {
  const { result, shards } = await search(request, context);
  const text = Buffer.from(result?.aggregations ?? []).toString('utf8');
  if (text === '') return { terms: [], failures: shards.failures };
  const { terms } = JSON.parse(text) as { terms: { buckets: readonly { readonly key: { readonly term: string } }[] } };
  return { terms: terms.buckets.map(({ key }) => key.term), failures: shards.failures };
}

function pagePlan(
  { field, text, caseInsensitive }: TermsEnumRequest,
  after: string | undefined,
  settings: SearchSettings,
  nowMs: number,
): SearchPlan {
  const prefix: QueryPlan = { prefix: { field, value: text, case_insensitive: caseInsensitive } };
  const composite = {
    size: PAGE,
    sources: [{ term: { terms: { field } } }],
    ...(after === undefined ? {} : { after: { term: after } }),
  };
  return {
    query: text === '' ? { match_all: {} } : prefix,
    from: 0,
    size: 0,
    track_total_hits: 'disabled',
    now_ms: nowMs,
    limits: limitsPlan(settings),
    aggregations: parseAggregations(Place.ofValue({ terms: { composite } }), settings),
    fetch: { source: { enabled: false } },
  };
}

/** A document that has one such term may have others. */
function begins(term: string, { text, caseInsensitive }: TermsEnumRequest): boolean {
  return caseInsensitive ? term.toLowerCase().startsWith(text.toLowerCase()) : term.startsWith(text);
}

/** Whether no term from this one on begins so, where terms come in the order of their bytes. */
function isBehind(term: string, { text, caseInsensitive }: TermsEnumRequest): boolean {
  return !caseInsensitive && !term.startsWith(text) && Buffer.compare(Buffer.from(term), Buffer.from(text)) > 0;
}
