/**
 * Scripts of a request where not every document may be read. The kernels run those of queries and of computed fields on documents that may not be read
 * as well: what such a script throws, and whether it throws, would tell of them. A field of the request could also stand in the place of one that
 * the role's query names.
 */
import { QuarryError } from '../../../base/errors.js';
import type { Mapping } from '../../../mapping/types.js';
import type { QueryPlan } from '../../../search/plan/query-plan.js';
import { isMembers, SENT_ALONG, type Members } from './plan-members.js';
import { refusedToReader } from './refusal.js';

interface ScriptedPlan {
  readonly query: QueryPlan;
  readonly alias_filter?: QueryPlan;
  readonly runtime?: readonly unknown[];
}

/** Aggregations whose scripts see documents that match, or results. */
const OF_MATCHES: ReadonlySet<string> = new Set(['scripted_metric', 'pipeline']);

/** Throws `security_exception` for scripts that would see other documents than those that match. */
export function refuseScripts(plan: ScriptedPlan): void {
  if (plan.runtime !== undefined && plan.runtime.length > 0) {
    throw refusedToReader("[runtime_mappings] isn't supported if document level security is enabled");
  }
  const { alias_filter: aliasFilter, query, ...others } = plan;
  walk('query', withoutFilter(query, aliasFilter));
  for (const [name, member] of Object.entries(others)) walk(name, member);
}

/** The query as the request has it: filters of aliases are the administrator's. */
function withoutFilter(query: QueryPlan, aliasFilter: QueryPlan | undefined): unknown {
  if (aliasFilter === undefined || !('bool' in query)) return query;
  const { filter = [], ...others } = query.bool;
  const text = JSON.stringify(aliasFilter);
  return { bool: { ...others, filter: filter.filter((each) => JSON.stringify(each) !== text) } };
}

function walk(name: string, value: unknown): void {
  if (SENT_ALONG.has(name)) return;
  if (Array.isArray(value)) {
    // A list of scalars may be long, and has no scripts.
    if (typeof value[0] === 'object') for (const each of value) walkEntry(name, each);
  } else if (isMembers(value)) walkMembers(value);
}

/** Scripts of hits and of sorts by numbers run on documents that were found. */
function walkEntry(list: string, entry: unknown): void {
  if (list === 'script_fields') return;
  const script = list === 'sort' && isMembers(entry) ? entry['script'] : undefined;
  if (isMembers(script) && !('computed' in script)) return;
  walk('', entry);
}

function walkMembers(members: Members): void {
  if ('computed' in members || 'stored_id' in members || typeof members['source'] === 'string') {
    throw refusedToReader(
      "scripts of queries, aggregations and sorts by texts aren't supported if document level security is enabled",
    );
  }
  const isAggregation = 'kind' in members && 'aggs' in members;
  for (const [name, member] of Object.entries(members)) {
    if (
      isAggregation &&
      name === 'kind' &&
      isMembers(member) &&
      Object.keys(member).every((kind) => OF_MATCHES.has(kind))
    ) {
      continue;
    }
    walk(name, member);
  }
}

/** Of values that the scripts of a mapping give as well. */
const MAY_QUOTE: ReadonlySet<string> = new Set([
  ...['illegal_argument_exception', 'parse_exception', 'parsing_exception', 'mapper_parsing_exception'],
  ...['number_format_exception', 'input_coercion_exception'],
]);

/** The error without the values of documents that a script may have put into it. */
export function withoutScriptTrace(error: QuarryError, mapping: Mapping | undefined): QuarryError {
  const isComputing = [...(mapping?.runtime.values() ?? [])].some(({ script }) => script !== undefined);
  if (!isOfScript(error) && !(isComputing && MAY_QUOTE.has(error.type))) return error;
  const reason = 'a script or a computed field failed: why is not told if document level security is enabled';
  return new QuarryError('script_exception', reason);
}

function isOfScript({ type, cause, rootCauses }: QuarryError): boolean {
  if (type === 'script_exception') return true;
  return rootCauses.some(isOfScript) || (cause instanceof QuarryError && isOfScript(cause));
}
