/** What deleting and updating by query have in common: the search in path, query string and body. */
import type { ActionContext } from '../../actions/context.js';
import { restrictionIn } from '../../actions/security/reading/guarded-shards.js';
import { refusedToReader } from '../../actions/security/reading/refusal.js';
import { asParts } from '../../actions/security/authority.js';
import type { JobPlan } from '../../actions/by-query/job.js';
import { ScrollSource } from '../../actions/by-query/scroll-source.js';
import { keepOf } from '../../actions/searches/contexts/keep-alive.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json-value.js';
import type { RequestBody } from '../../search/body/place.js';
import { validationFailure } from '../../search/request/combinations.js';
import {
  booleanParameter,
  integerParameter,
  listParameter,
  stringParameter,
  type ParameterValues,
} from '../parameters.js';
import {
  noSearchValues,
  readSearch,
  scrollRequest,
  SEARCH_ACTION,
  toldOf,
  type ReadSearch,
  type SearchValues,
} from '../search/search-call.js';
import { scopeParameters, uriQueryParameters } from '../search/search-parameters.js';
import { sourceParameters } from '../document/write-parameters.js';
import { readConflicts, readMaxDocs, runParameters, shareOf, sliceCount, type Conflicts } from './common.js';

const SCROLL_SIZE = 1_000;
const SCROLL_KEPT = '5m';

export const queryParameters = {
  ...runParameters,
  ...scopeParameters,
  ...uriQueryParameters,
  ...sourceParameters,
  conflicts: stringParameter(),
  from: integerParameter(),
  request_cache: booleanParameter(),
  scroll: stringParameter(SCROLL_KEPT),
  scroll_size: integerParameter(SCROLL_SIZE),
  search_timeout: stringParameter(),
  search_type: stringParameter(),
  size: integerParameter(),
  sort: listParameter(),
  stats: listParameter(),
  terminate_after: integerParameter(),
  version: booleanParameter(),
} as const;

export type QueryValues = ParameterValues<typeof queryParameters>;

export interface QueryWork {
  readonly plans: readonly Omit<JobPlan, 'make'>[];
}

export interface SplitBody {
  /** What the search is read from. */
  readonly search: RequestBody;
  readonly maxDocs: number | undefined;
  readonly conflicts: Conflicts | undefined;
  readonly isSliced: boolean;
  readonly hasQuery: boolean;
}

/** Members that a search does not have; `more` are further ones, which the caller reads. */
export function splitBody(body: RequestBody, more: readonly string[] = []): SplitBody {
  const given = body.object() ?? {};
  const { max_docs: maxDocs, conflicts, ...rest } = given;
  for (const name of ['from', 'stored_fields'] as const) {
    if (rest[name] !== undefined) throw illegalArgument(`${name} is not supported in this context`);
  }
  const search = Object.fromEntries(Object.entries(rest).filter(([name]) => !more.includes(name)));
  return {
    // The text gives numbers their digits and errors their places, and its memory is another request's when this one is answered.
    search: { bytes: new Uint8Array(body.bytes), object: () => search },
    maxDocs: maxDocs === undefined ? undefined : readCount('max_docs', maxDocs),
    conflicts: typeof conflicts === 'string' ? readConflicts(conflicts) : undefined,
    isSliced: isJsonObject(rest['slice']),
    hasQuery: rest['query'] !== undefined,
  };
}

export function readCount(name: string, value: unknown): number {
  const count = typeof value === 'string' ? Number(value) : value;
  if (typeof count === 'number' && Number.isInteger(count)) return count;
  throw new QuarryError(
    'x_content_parse_exception',
    `failed to parse field [${name}]: [${String(value)}] is no integer`,
  );
}

/** What hits have to show for their documents to be changed. */
export interface Wanted {
  readonly source: boolean;
}

export function queryWork(
  index: string,
  given: QueryValues,
  body: SplitBody,
  wanted: Wanted,
  context: ActionContext,
): QueryWork {
  if (given.from !== undefined) throw illegalArgument('from is not supported in this context');
  const abortsOnConflict =
    (given.conflicts === undefined ? body.conflicts : readConflicts(given.conflicts)) !== 'proceed';
  const maxDocs = readMaxDocs([body.maxDocs, given.size, given.max_docs]);
  const { scroll_size: pageSize = SCROLL_SIZE } = given;
  if (pageSize <= 0) throw validationFailure([`[scroll_size] must be greater than 0 but was [${pageSize}]`]);
  const sort = given.sort ?? (body.search.object()?.['sort'] === undefined ? ['_doc'] : undefined);
  const parameters = searchValues({ ...given, sort }, wanted);
  const search = asParts(context, SEARCH_ACTION);
  const read = toldOf(readSearch({ index, parameters, body: body.search }, search), search);
  if (wanted.source) requireWholeSources(read, search);
  return planSlices(read, { ...given, pageSize, maxDocs, abortsOnConflict, isSliced: body.isSliced }, context);
}

/** What is read is written back: fields that may not be read would be lost. */
function requireWholeSources({ scope }: ReadSearch, { shards }: ActionContext): void {
  if (scope instanceof QuarryError) return;
  if (scope.targets.every(({ index }) => restrictionIn(shards, index.name)?.fields === undefined)) return;
  throw refusedToReader("Can't execute an update by query if field level security is enabled");
}

interface SlicedBy extends Pick<QueryValues, 'slices' | 'wait_for_active_shards' | 'timeout'> {
  readonly scroll: string;
  readonly pageSize: number;
  readonly maxDocs: number | undefined;
  readonly abortsOnConflict: boolean;
  readonly isSliced: boolean;
}

/** One job for each slice, each with a scroll of its own. */
export function planSlices(read: ReadSearch, by: SlicedBy, context: ActionContext): QueryWork {
  if (read.scope instanceof QuarryError) throw read.scope;
  const { pageSize, maxDocs, abortsOnConflict } = by;
  const keep = keepOf('scroll', by.scroll, context);
  const count = sliceCount(by.slices, maxDocs, by.isSliced, read.scope.targets);
  // A limit may be less than a page.
  const size = Math.min(pageSize, maxDocs ?? pageSize);
  const plans = Array.from({ length: count }, (_, slice) => {
    const part = count === 1 ? read.draft : { ...read.draft, slice: { id: slice, max: count, field: undefined } };
    const request = scrollRequest({ ...read, draft: { ...part, size: Math.max(1, size) } }, context, keep);
    return {
      source: new ScrollSource(request, keep.keepAliveMs),
      pageSize,
      maxDocs: shareOf(maxDocs, slice, count),
      abortsOnConflict,
      activeShards: by.wait_for_active_shards,
      timeoutMs: by.timeout,
    };
  });
  return { plans };
}

function searchValues(given: QueryValues, { source }: Wanted): SearchValues {
  return {
    ...noSearchValues(),
    allow_partial_search_results: true,
    ignore_unavailable: given.ignore_unavailable,
    allow_no_indices: given.allow_no_indices,
    expand_wildcards: given.expand_wildcards,
    preference: given.preference,
    routing: given.routing,
    analyzer: given.analyzer,
    analyze_wildcard: given.analyze_wildcard,
    default_operator: given.default_operator,
    df: given.df,
    lenient: given.lenient,
    q: given.q,
    request_cache: given.request_cache,
    search_type: given.search_type,
    sort: given.sort,
    stats: given.stats,
    terminate_after: given.terminate_after,
    timeout: given.search_timeout,
    _source: [source ? 'true' : 'false'],
    seq_no_primary_term: true,
    version: true,
  };
}
