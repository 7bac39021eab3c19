/** `GET _snapshot/{repository}/{snapshot}`: which snapshots there are, page by page. */
import type { ActionContext } from '../../actions/context.js';
import { snapshotMissing } from '../../actions/snapshots/create-snapshot.js';
import {
  listSnapshotsOfAll,
  nameOf,
  startedAtMs,
  uuidOf,
  type ListedSnapshot,
} from '../../actions/snapshots/list-snapshots.js';
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { named } from '../../base/logger.js';
import type { JsonObject } from '../../base/json-value.js';
import { isPattern, matchesAny, patternMatcher, withoutExclusions } from '../../cluster/names/wildcard.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stateReadParameters } from '../indices/index-names.js';
import { booleanParameter, enumParameter, integerParameter, splitList, stringParameter } from '../parameters.js';
import { renderSnapshot } from './render.js';
import { namedRepositories } from './repository.js';

const SORT_KEYS = [
  'start_time',
  'duration',
  'name',
  'repository',
  'index_count',
  'shard_count',
  'failed_shard_count',
] as const;
type SortKey = (typeof SORT_KEYS)[number];
/** Records that are read at once. */
const READS_AT_ONCE = 16;
const NO_POLICY = '_none';

const parameters = {
  ...stateReadParameters,
  after: stringParameter(),
  from_sort_value: stringParameter(),
  ignore_unavailable: booleanParameter(false),
  include_repository: booleanParameter(true),
  index_details: booleanParameter(false),
  index_names: booleanParameter(true),
  offset: integerParameter(0),
  order: enumParameter(['asc', 'desc']),
  size: integerParameter(),
  slm_policy_filter: stringParameter(),
  sort: enumParameter(SORT_KEYS),
  verbose: booleanParameter(true),
};

export const getSnapshotsEndpoint = defineEndpoint({
  name: 'snapshot.get',
  action: 'cluster:admin/snapshot/get',
  methods: ['GET'],
  paths: ['/_snapshot/{repository}/{snapshot}'],
  parameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts, parameters: asked, sentParameters }, context) {
    if (!asked.verbose) checkPlain(sentParameters);
    const found = await find(context, parts.repository, parts.snapshot, asked.ignore_unavailable);
    const filtered = found.filter(byPolicy(asked.slm_policy_filter));
    const shape = {
      showsRepository: asked.include_repository,
      showsIndices: asked.index_names,
      showsDetails: asked.index_details,
    };
    const render = (listed: ListedSnapshot): Promise<JsonObject> =>
      asked.verbose ? renderSnapshot(context, listed, shape) : renderPlain(context, listed, asked.include_repository);
    const { page, remaining, total, snapshots } = await readPage(context, filtered, asked, render);
    if (context.settings.values['compatibility.distribution'] === 'opensearch') return answerValue({ snapshots });
    const last = page.at(-1);
    const next = remaining > 0 && last !== undefined ? { next: encodeAfter(last, asked.sort ?? 'start_time') } : {};
    return answerValue({ snapshots, total, ...next, remaining });
  },
});

const ONLY_VERBOSE = [
  'sort',
  'size',
  'order',
  'after',
  'offset',
  'from_sort_value',
  'slm_policy_filter',
  'index_details',
];

/** What is asked for is not known without the records. */
function checkPlain(sent: ReadonlySet<string>): void {
  const refused = ONLY_VERBOSE.find((name) => sent.has(name));
  if (refused === undefined) return;
  const reason = `Validation Failed: 1: can't use [${refused}] with verbose=false;`;
  throw new QuarryError('action_request_validation_exception', reason);
}

/** Snapshots of all repositories that are named; one of several that cannot be read is left out if that is wanted. */
async function find(
  context: ActionContext,
  repositoryPart: string,
  snapshotPart: string,
  ignoresUnavailable: boolean,
): Promise<readonly ListedSnapshot[]> {
  const repositories = namedRepositories(context.clusterState(), repositoryPart).map(({ name }) => name);
  const asked = splitList(snapshotPart);
  const lists = await listSnapshotsOfAll(context, repositories, ignoresUnavailable);
  const isLenient = ignoresUnavailable || repositories.length > 1;
  return lists.flatMap((all, at) => select(all, asked, repositories[at] ?? '', isLenient));
}

function select(
  all: readonly ListedSnapshot[],
  asked: readonly string[],
  repository: string,
  ignoresUnavailable: boolean,
): readonly ListedSnapshot[] {
  const names = withoutExclusions(asked);
  const chosen = new Set<ListedSnapshot>();
  for (const expression of names.wanted) {
    const found = all.filter(matcherOf(expression));
    const isName = expression !== '_current' && expression !== '_all' && !isPattern(expression);
    if (found.length === 0 && isName && !ignoresUnavailable) throw snapshotMissing(repository, expression);
    for (const each of found) chosen.add(each);
  }
  // Wherever it stands: what it leaves out is not brought back by a name that comes after it.
  const unwanted = names.unwanted.map(patternMatcher);
  return all.filter((each) => chosen.has(each) && !unwanted.some((matches) => matches(nameOf(each))));
}

function matcherOf(expression: string): (listed: ListedSnapshot) => boolean {
  if (expression === '_current') return ({ kind }) => kind === 'running';
  const matches = patternMatcher(expression === '_all' ? '*' : expression);
  return (listed) => matches(nameOf(listed));
}

function byPolicy(filter: string | undefined): (listed: ListedSnapshot) => boolean {
  if (filter === undefined) return () => true;
  const expressions = splitList(filter);
  const wanted = expressions.filter((each) => !each.startsWith('-') && each !== NO_POLICY);
  const unwanted = expressions.filter((each) => each.startsWith('-')).map((each) => each.slice(1));
  const takesNone = expressions.includes(NO_POLICY);
  return (listed) => {
    const policy = policyOf(listed);
    if (policy === undefined) return takesNone;
    return (wanted.length === 0 ? !takesNone : matchesAny(wanted, policy)) && !matchesAny(unwanted, policy);
  };
}

function policyOf(listed: ListedSnapshot): string | undefined {
  if (listed.kind === 'finished') return listed.summary.policy;
  const policy = listed.operation.metadata?.['policy'];
  return typeof policy === 'string' ? policy : undefined;
}

interface Page {
  readonly page: readonly ListedSnapshot[];
  readonly remaining: number;
  /** On all pages. */
  readonly total: number;
  /** Those of the page as they are shown. */
  readonly snapshots: readonly JsonObject[];
}

/** With `ignore_unavailable`, snapshots whose record cannot be read are as if they were not there. */
async function readPage(
  context: ActionContext,
  found: readonly ListedSnapshot[],
  asked: PageParameters & { readonly ignore_unavailable: boolean },
  render: (listed: ListedSnapshot) => Promise<JsonObject>,
): Promise<Page> {
  const shown = new Map<ListedSnapshot, JsonObject>();
  const unreadable = new Set<ListedSnapshot>();
  const show = async (listed: ListedSnapshot): Promise<void> => {
    try {
      shown.set(listed, await render(listed));
    } catch (error) {
      if (!asked.ignore_unavailable) throw error;
      const { type, message: reason } = asQuarryError(error);
      const what = { repository: listed.repository.name, snapshot: nameOf(listed), type, reason };
      named(context.logger, 'snapshots').log('warn', 'a snapshot that could not be read was left out of a list', what);
      unreadable.add(listed);
    }
  };
  for (;;) {
    const left = found.filter((listed) => !unreadable.has(listed));
    const { page, remaining } = pageOf(left, asked);
    const unread = page.filter((listed) => !shown.has(listed));
    if (unread.length === 0) {
      return { page, remaining, total: left.length, snapshots: shownOf(page, shown) };
    }
    await inOrder(unread, show);
  }
}

function shownOf(
  page: readonly ListedSnapshot[],
  shown: ReadonlyMap<ListedSnapshot, JsonObject>,
): readonly JsonObject[] {
  return page.map((listed) => shown.get(listed)).filter((each) => each !== undefined);
}

interface PageParameters {
  readonly sort: SortKey | undefined;
  readonly order: 'asc' | 'desc' | undefined;
  readonly size: number | undefined;
  readonly offset: number | undefined;
  readonly after: string | undefined;
  readonly from_sort_value: string | undefined;
}

function pageOf(
  all: readonly ListedSnapshot[],
  asked: PageParameters,
): { readonly page: readonly ListedSnapshot[]; readonly remaining: number } {
  const { sort = 'start_time', order = 'asc', size = -1, offset = 0, after, from_sort_value: from } = asked;
  if (offset < 0) throw illegalArgument('[offset] must not be negative');
  if (size === 0 || size < -1) throw illegalArgument('[size] must be positive, or -1 for no limit');
  if (after !== undefined && offset > 0) throw illegalArgument("can't use after and offset simultaneously");
  if (after !== undefined && from !== undefined)
    throw illegalArgument("can't use after and from_sort_value simultaneously");
  const sign = order === 'asc' ? 1 : -1;
  const position = (listed: ListedSnapshot): Position => ({
    value: sortValue(listed, sort),
    name: nameOf(listed),
    repository: listed.repository.name,
  });
  const sorted = all
    .map((listed) => ({ listed, at: position(listed) }))
    .sort((left, right) => sign * comparePositions(left.at, right.at));
  const begin = after === undefined ? undefined : decodeAfter(after, sort);
  const kept = sorted.filter(({ at }) => {
    if (begin !== undefined) return sign * comparePositions(at, begin) > 0;
    return from === undefined || sign * compare(at.value, parseSortValue(from, sort)) >= 0;
  });
  const rest = kept.slice(offset);
  const page = size === -1 ? rest : rest.slice(0, size);
  return { page: page.map(({ listed }) => listed), remaining: rest.length - page.length };
}

type SortValue = string | number;

interface Position {
  readonly value: SortValue;
  readonly name: string;
  readonly repository: string;
}

function sortValue(listed: ListedSnapshot, sort: SortKey): SortValue {
  switch (sort) {
    case 'start_time':
      return startedAtMs(listed);
    case 'duration':
      return listed.kind === 'finished' ? listed.summary.endedAtMs - listed.summary.startedAtMs : 0;
    case 'name':
      return nameOf(listed);
    case 'repository':
      return listed.repository.name;
    case 'index_count':
      return listed.kind === 'finished' ? listed.summary.indices : listed.operation.indices.length;
    case 'shard_count':
      return listed.kind === 'finished' ? listed.summary.totalShards : 0;
    case 'failed_shard_count':
      return listed.kind === 'finished' ? listed.summary.totalShards - listed.summary.successfulShards : 0;
  }
}

function parseSortValue(text: string, sort: SortKey): SortValue {
  if (sort === 'name' || sort === 'repository') return text;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw illegalArgument(`[from_sort_value] must be a number for the sort key [${sort}], found [${text}]`);
}

function comparePositions(left: Position, right: Position): number {
  return (
    compare(left.value, right.value) || compare(left.name, right.name) || compare(left.repository, right.repository)
  );
}

function compare(left: SortValue, right: SortValue): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Where the next page begins. */
function encodeAfter(last: ListedSnapshot, sort: SortKey): string {
  const parts = [String(sortValue(last, sort)), last.repository.name, nameOf(last)];
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

function decodeAfter(text: string, sort: SortKey): Position {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    parts = undefined;
  }
  const isList = Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string');
  if (!isList) throw illegalArgument(`invalid value for parameter [after]: [${text}]`);
  const [value = '', repository = '', name = ''] = parts as string[];
  return { value: parseSortValue(value, sort), repository, name };
}

/** What is known without reading the record. */
function renderPlain(context: ActionContext, listed: ListedSnapshot, showsRepository: boolean): Promise<JsonObject> {
  const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
  return indicesOf(listed).then((indices) => ({
    snapshot: nameOf(listed),
    uuid: uuidOf(listed),
    ...(showsRepository && !isOpensearch ? { repository: listed.repository.name } : {}),
    indices,
    data_streams: [],
    ...(isOpensearch ? {} : { feature_states: [] }),
    state: listed.kind === 'finished' ? listed.summary.state : 'IN_PROGRESS',
  }));
}

async function indicesOf(listed: ListedSnapshot): Promise<readonly string[]> {
  if (listed.kind === 'running') return listed.operation.indices.map(({ index }) => index.name).sort();
  const { indices } = await listed.repository.root();
  return indices
    .filter(({ snapshots }) => listed.summary.uuid in snapshots)
    .map(({ name }) => name)
    .sort();
}

async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += READS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + READS_AT_ONCE).map(work))));
  }
  return results;
}
